"""Calls that the ops of the thresholds over windows take: local, Niblack, Sauvola."""

import operator

import numpy as np

from ..functions.bridge import verdict_of
from ..functions.filters.gaussian import gaussian as _gaussian
from ._median import median
from ._stencils import BOUNDARY, cval_refusal
from ._verdict import Invalid

# Elements of a window along the last axis whose column sums fit into shared memory.
MOST_ACROSS = 1 + 1024

gaussian = verdict_of(_gaussian)


def threshold_niblack(image, window_size=15, k=0.2):
    return _window(image, window_size) or would_widen(image, k, "k")


def threshold_sauvola(image, window_size=15, k=0.2, r=None):
    refusal = _window(image, window_size) or would_widen(image, k, "k")
    return refusal or (None if r is None else would_widen(image, r, "r"))


def threshold_local(
    image, block_size=3, method="gaussian", offset=0, mode="reflect", param=None, cval=0
):
    if image.ndim == 0:
        return "image has no axes"
    if np.isscalar(block_size):
        block_size = (block_size,) * image.ndim
    if len(block_size) != image.ndim or any(size % 2 == 0 for size in block_size):
        return Invalid("block_size is even or has another length than the image has axes")
    if method == "gaussian":
        sigma = gaussian_sigma(block_size, param)
        refusal = gaussian(image, sigma, mode=mode, cval=cval)
    elif method == "mean":
        refusal = _mean(block_size, mode, cval)
    elif method == "median":
        refusal = _median(image, block_size, mode, cval)
    elif method == "generic":
        return "the method 'generic' calls a Python function for each pixel"
    else:
        return Invalid("method is unknown")
    return refusal or would_widen(image, offset, "offset")


def gaussian_sigma(block_size, param):
    """The sigma that covers a block, where `param` gives no other."""
    return [(size - 1) / 6.0 for size in block_size] if param is None else param


def _mean(block_size, mode, cval):
    if any(operator.index(size) < 1 for size in block_size):
        return "block_size is less than 1"
    if not isinstance(mode, str):
        return "mode is given for each axis"
    if mode not in BOUNDARY:
        return Invalid("mode is unknown")
    return cval_refusal(cval) or too_wide(block_size)


def _median(image, block_size, mode, cval):
    if image.dtype.name == "float16":
        return "no kernel for the method median of float16 images"
    if image.dtype.kind != "f" and cval != 0:
        return "a constant stands beyond the border that integers may not hold"
    return median(image, np.ones(block_size, bool), mode=mode, cval=cval)


def _window(image, window_size):
    if image.ndim == 0:
        return "image has no axes"
    if image.size == 0:
        return Invalid("image is empty")
    if isinstance(window_size, int | np.integer):
        window_size = (window_size,) * image.ndim
    elif not isinstance(window_size, list | tuple | np.ndarray):
        return "window_size is neither an integer nor a sequence of integers"
    if len(window_size) != image.ndim:
        return Invalid("window_size has another length than the image has axes")
    if any(size % 2 == 0 or operator.index(size) < 1 for size in window_size):
        return Invalid("window_size is even or less than 1")
    return too_wide(window_size)


def too_wide(window):
    """Reason to decline a window that the kernel's shared memory cannot take, or None."""
    if window[-1] > MOST_ACROSS:
        return f"a window of {window[-1]} is above {MOST_ACROSS} along the last axis"
    return None


def would_widen(image, number, name):
    """Reason to decline a parameter that changes the result's type or is no number, or None."""
    if type(number) in (int, float, bool):
        return None
    if not isinstance(number, np.number | np.bool_) or number.dtype.kind == "c":
        return f"{name} is no plain number"
    single = image.dtype.kind == "f" and image.dtype.itemsize < 8
    if number.dtype.itemsize > 8 or (
        single and np.result_type(np.float32, number.dtype) != np.float32
    ):
        return f"{name} of type {number.dtype} makes the result wider than the image"
    return None
