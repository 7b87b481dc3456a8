"""Calls that the ops of the thresholds in skimage.filters take that need a histogram."""

import numpy as np

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


def threshold_li(image, *, tolerance=None, initial_guess=None, iter_callback=None):
    if image.size == 0:
        return "image is empty"
    if image.dtype.kind == "b":
        return "image is boolean"
    if image.dtype.char == "e":
        return "float16 is too coarse for the steps to be the same"
    if tolerance is not None and not isinstance(tolerance, _NUMBERS):
        return "tolerance is not a plain number"
    if callable(initial_guess):
        return "initial_guess is a Python function, which cannot run on the GPU"
    if initial_guess is not None and not isinstance(initial_guess, _NUMBERS):
        return "initial_guess is not a plain number"
    return None


_NUMBERS = (int, float, np.floating, np.integer)
