"""Calls that the op of skimage.filters.threshold_li takes."""

import numpy as np


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
