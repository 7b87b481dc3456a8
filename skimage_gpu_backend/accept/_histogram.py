"""What the calls that count a histogram on the device have in common."""

import operator

from ._verdict import Invalid

MOST_BINS = 1 << 24


def unfit(image, nbins):
    """Why there is no histogram of `image` in `nbins` bins, or None."""
    if image.size == 0:
        return "image is empty"
    if image.dtype.kind in "iu":  # nbins is not looked at
        return None
    try:
        nbins = operator.index(nbins)
    except TypeError:
        return "nbins is not an integer"
    if nbins < 1:
        return Invalid("nbins is less than 1")
    if nbins > MOST_BINS:
        return f"more than {MOST_BINS} bins"
    return None
