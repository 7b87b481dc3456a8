"""Calls that the op of skimage.filters.threshold_otsu takes."""

import operator

from ._verdict import Invalid

MOST_BINS = 1 << 24


def threshold_otsu(image=None, nbins=256, *, hist=None):
    if hist is not None:
        return "a histogram is given: nothing is left to do on a GPU"
    if image is None:
        return Invalid("neither image nor histogram is given")
    if image.size == 0:
        return Invalid("image is empty")
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
