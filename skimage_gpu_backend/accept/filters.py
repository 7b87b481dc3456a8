"""Calls that the ops of skimage.filters take."""

import operator

import numpy as np

from ._detail import difference_of_gaussians, unsharp_mask
from ._gaussian import gaussian
from ._hysteresis import apply_hysteresis_threshold
from ._median import median
from ._ridges import frangi, hessian, meijering, sato
from ._stencils import BOUNDARY, MOST_AXES, cval_refusal
from ._thresholding import (
    threshold_isodata,
    threshold_li,
    threshold_minimum,
    threshold_multiotsu,
    threshold_otsu,
    threshold_triangle,
    threshold_yen,
)
from ._verdict import Invalid
from ._windows import threshold_local, threshold_niblack, threshold_sauvola

__all__ = [
    "apply_hysteresis_threshold",
    "difference_of_gaussians",
    "farid",
    "farid_h",
    "farid_v",
    "frangi",
    "gaussian",
    "hessian",
    "laplace",
    "median",
    "meijering",
    "prewitt",
    "prewitt_h",
    "prewitt_v",
    "roberts",
    "roberts_neg_diag",
    "roberts_pos_diag",
    "sato",
    "scharr",
    "scharr_h",
    "scharr_v",
    "sobel",
    "sobel_h",
    "sobel_v",
    "threshold_isodata",
    "threshold_li",
    "threshold_local",
    "threshold_minimum",
    "threshold_multiotsu",
    "threshold_niblack",
    "threshold_otsu",
    "threshold_sauvola",
    "threshold_triangle",
    "threshold_yen",
    "unsharp_mask",
]


def sobel(image, mask=None, *, axis=None, mode="reflect", cval=0.0):
    if image.ndim == 0:
        return "image has no axes"
    refusal = _axis(axis, image.ndim) or _mode(mode) or cval_refusal(cval)
    return refusal or _image_and_mask(image, mask)


scharr = prewitt = farid = sobel


def sobel_h(image, mask=None):
    if image.size == 0 or image.ndim != 2:
        return Invalid("image is empty or not 2-D")
    return _image_and_mask(image, mask)


sobel_v = scharr_h = scharr_v = prewitt_h = prewitt_v = sobel_h
roberts = roberts_pos_diag = roberts_neg_diag = sobel_h


def farid_h(image, *, mask=None):
    return sobel_h(image, mask)


farid_v = farid_h


def laplace(image, ksize=3, mask=None):
    if image.ndim == 0 or operator.index(ksize) < 3:
        return Invalid("image has no axes, or ksize is less than 3")
    return _image_and_mask(image, mask)


def _image_and_mask(image, mask):
    if image.ndim > MOST_AXES:
        return f"image has more than {MOST_AXES} axes"
    if mask is None:
        return None
    if isinstance(mask, np.ndarray) and type(mask) is not np.ndarray:
        return "mask is a subclass of a NumPy array"
    if mask.shape != image.shape:
        return "mask has another shape than the image"
    kind, size = mask.dtype.kind, mask.dtype.itemsize
    if kind == "c" or (kind == "f" and size == 2):
        return Invalid("SciPy does not erode a mask of this dtype")
    if kind not in "biuf" or size > 8:
        return f"mask has dtype {mask.dtype}"
    return None


def _axis(axis, ndim):
    if axis is None:
        return None
    if isinstance(axis, list | tuple | range | np.ndarray):
        axes = [operator.index(a) for a in axis]
        if not axes:
            return "axis is empty"
    elif np.isscalar(axis):
        axes = [operator.index(axis)]
    else:
        return "axis is neither an integer nor a sequence of integers"
    if any(not -ndim <= a < ndim for a in axes):
        return Invalid("axis is out of range")
    if len({a % ndim for a in axes}) != len(set(axes)):
        return "axis names one axis from both ends"
    return None


def _mode(mode):
    if isinstance(mode, str) and mode in BOUNDARY:
        return None
    return Invalid("mode is unknown")
