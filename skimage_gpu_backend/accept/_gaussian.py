"""Calls that the op of skimage.filters.gaussian takes."""

import operator

import numpy as np

from ._stencils import BOUNDARY, LEAST_SIGMA, NUMBERS, cval_refusal, radius, sigma_per_axis
from ._verdict import Invalid

MOST_RADIUS = 1 << 20
NUMBERS_OR_SEQUENCES = (*NUMBERS, list, tuple, range, np.ndarray)


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
    if not isinstance(sigma, NUMBERS_OR_SEQUENCES):
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
        if not isinstance(s, NUMBERS):
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
    if filtered and (refusal := cval_refusal(cval)):
        return refusal
    return None if out is None else _out(out, image, filtered)


def _out(out, image, filtered):
    if type(out) is not type(image):
        return "out is no array of the image's kind"
    dtype = out.dtype
    if dtype.kind != "f" or out.shape != image.shape:
        return Invalid("out has another shape than the image or no floating dtype")
    if dtype.itemsize not in (4, 8):
        refusal = f"out has dtype {dtype}"
        return Invalid(refusal) if filtered else refusal
    if not getattr(out.flags, "writeable", True):
        return Invalid("out is read-only")
    return None
