"""Calls that the ops of skimage.filters take."""

import operator

import numpy as np

from ._stencils import BOUNDARY, LEAST_SIGMA, MOST_AXES, radius, sigma_per_axis
from ._thresholding import threshold_otsu
from ._verdict import Invalid

__all__ = [
    "farid",
    "farid_h",
    "farid_v",
    "gaussian",
    "laplace",
    "prewitt",
    "prewitt_h",
    "prewitt_v",
    "roberts",
    "roberts_neg_diag",
    "roberts_pos_diag",
    "scharr",
    "scharr_h",
    "scharr_v",
    "sobel",
    "sobel_h",
    "sobel_v",
    "threshold_otsu",
]

MOST_RADIUS = 1 << 20


def gaussian(
    image,
    sigma=1.0,
    *,
    mode="nearest",
    cval=0,
    preserve_range=False,
    truncate=4.0,
    channel_axis=None,
    out=None,
):
    ndim = image.ndim
    if ndim == 0:
        return "image has no axes"
    if not isinstance(sigma, _NUMBERS_OR_SEQUENCES):
        return "sigma is neither a number nor a sequence of numbers"
    if channel_axis is not None:
        if isinstance(sigma, np.ndarray) and sigma.ndim == 0:
            return Invalid("sigma is an array without axes beside a channel axis")
        channel_axis = operator.index(channel_axis)
    sigmas = sigma_per_axis(sigma, ndim, channel_axis)
    if len(sigmas) != ndim:
        return Invalid("sigma has another length than the image has axes")
    if not isinstance(mode, str) and len(mode) != ndim:
        return Invalid("mode has another length than the image has axes")
    filtered = False
    for s, name in zip(sigmas, [mode] * ndim if isinstance(mode, str) else mode, strict=True):
        if not isinstance(s, _NUMBERS):
            return "sigma is neither a number nor a sequence of numbers"
        if s < 0:
            return Invalid("sigma is negative")
        if s > LEAST_SIGMA:
            filtered = True
            reach = radius(s, truncate)
            if reach < 0:
                return Invalid("truncate is negative")
            if reach > MOST_RADIUS:
                return f"a Gaussian's radius of {reach} is above {MOST_RADIUS}"
            if name not in BOUNDARY:
                return Invalid("mode is unknown")
    if filtered and (refusal := _cval(cval)):
        return refusal
    return None if out is None else _out(out, image, filtered)


_NUMBERS = (int, float, np.number, np.bool_)
_NUMBERS_OR_SEQUENCES = (*_NUMBERS, list, tuple, range, np.ndarray)


def _out(out, image, filtered):
    if type(out) is not type(image):
        return "out is no array of the image's kind"
    dtype = out.dtype
    if dtype.kind != "f" or out.shape != image.shape:
        return Invalid("out has another shape than the image or no floating dtype")
    if dtype.itemsize not in (4, 8):
        return Invalid("SciPy does not filter into this dtype") if filtered else f"out is {dtype}"
    if not getattr(out.flags, "writeable", True):
        return Invalid("out is read-only")
    return None


def sobel(image, mask=None, *, axis=None, mode="reflect", cval=0.0):
    if image.ndim == 0:
        return "image has no axes"
    return _axis(axis, image.ndim) or _mode(mode) or _cval(cval) or _image_and_mask(image, mask)


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


def _cval(cval):
    if isinstance(cval, np.complexfloating):
        return Invalid("cval is complex")
    if not isinstance(cval, _NUMBERS) and not (
        isinstance(cval, np.ndarray) and cval.ndim == 0 and cval.dtype.kind in "biuf"
    ):
        return "cval is not a plain number"
    float(cval)  # raises for an int that is too large
    return None
