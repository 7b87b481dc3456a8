"""Calls that the op of skimage.metrics.normalized_mutual_information takes."""

import numpy as np

from ._verdict import Invalid

# Bins whose counts the host makes entropies of.
MOST_BINS = 1 << 22


def normalized_mutual_information(image0, image1, *, bins=100):
    if image0.ndim != image1.ndim:
        return Invalid("images differ in their number of dimensions")
    if image0.size == 0 or image1.size == 0:
        return "images are empty"
    if image0.ndim == 0:
        return "images have no axes"
    pair = (bins, bins) if isinstance(bins, int | np.integer) else bins
    if not isinstance(pair, list | tuple):
        return "bins are neither a number nor a pair of numbers"
    if len(pair) != 2:
        return Invalid("bins are not given for two images")
    if not all(isinstance(count, int | np.integer) for count in pair):
        return "bins are not whole numbers"
    if min(pair) < 1:
        return Invalid("bins are not positive")
    if int(pair[0]) * int(pair[1]) > MOST_BINS:
        return f"more than {MOST_BINS} bins"
    return None
