"""Calls that the ops of the thresholds in skimage.filters take that need a histogram."""

from ._histogram import unfit
from ._verdict import Invalid

_GIVEN = "a histogram is given: nothing is left to do on a GPU"


def threshold_otsu(image=None, nbins=256, *, hist=None):
    if hist is not None:
        return _GIVEN
    if image is None:
        return Invalid("neither image nor histogram is given")
    if image.size == 0:
        return Invalid("image is empty")
    return unfit(image, nbins)


def threshold_yen(image=None, nbins=256, *, hist=None):
    if hist is not None:
        return _GIVEN
    if image is None:
        return Invalid("neither image nor histogram is given")
    return unfit(image, nbins)


def threshold_isodata(image=None, nbins=256, return_all=False, *, hist=None):
    return threshold_yen(image, nbins, hist=hist)


def threshold_minimum(image=None, nbins=256, max_num_iter=10000, *, hist=None):
    return threshold_yen(image, nbins, hist=hist)


def threshold_multiotsu(image=None, classes=3, nbins=256, *, hist=None):
    return threshold_yen(image, nbins, hist=hist)


def threshold_triangle(image, nbins=256):
    return unfit(image, nbins)
