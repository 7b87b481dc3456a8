"""Calls that the ops of the pyramids take."""

import numpy as np

from ..functions.transform.resize import MOST_RESIZED
from ._interpolation import interpolation_refusal
from ._stencils import BOUNDARY, LEAST_SIGMA, NUMBERS
from ._verdict import Invalid


class _Floating:
    """What is sampled: scikit-image makes every image floating first."""

    dtype = np.dtype(float)


def _pyramid(image, factor, sigma, order, mode, cval, channel_axis):
    if image.size == 0 or image.ndim == 0:
        return "image is empty or has no axes"
    if not isinstance(factor, NUMBERS) or not np.isfinite(factor):
        return "the scale factor is no finite number"
    if factor <= 1:
        return Invalid("the scale factor is not above 1")
    if refusal := interpolation_refusal(_Floating, order, mode, cval):
        return refusal
    if channel_axis is not None and not isinstance(channel_axis, int | np.integer):
        return "channel_axis is no integer"
    if image.ndim - (channel_axis is not None) > MOST_RESIZED:
        return f"more than {MOST_RESIZED} axes change their length"
    smooths = True
    if sigma is not None:
        sigmas = [sigma] if isinstance(sigma, NUMBERS) else sigma
        if not isinstance(sigmas, list | tuple) or not all(isinstance(s, NUMBERS) for s in sigmas):
            return "sigma is neither a number nor a sequence of numbers"
        if len(sigmas) != 1 and (channel_axis is not None or len(sigmas) != image.ndim):
            return Invalid("sigma has another length than the image has axes")
        if min(sigmas) < 0:
            return Invalid("sigma is negative")
        smooths = max(sigmas) > LEAST_SIGMA
    if smooths and mode not in BOUNDARY:
        return Invalid("mode is unknown to the Gaussian filter")
    if mode == "symmetric" and order is not None and order > 1:
        return "SciPy's spline changes short axes that are reflected"
    if mode == "constant" and not np.isfinite(cval):
        return "the constant beyond the border is not finite"
    return None


def pyramid_reduce(
    image,
    downscale=2,
    sigma=None,
    order=1,
    mode="reflect",
    cval=0,
    preserve_range=False,
    *,
    channel_axis=None,
):
    return _pyramid(image, downscale, sigma, order, mode, cval, channel_axis)


def pyramid_expand(
    image,
    upscale=2,
    sigma=None,
    order=1,
    mode="reflect",
    cval=0,
    preserve_range=False,
    *,
    channel_axis=None,
):
    return _pyramid(image, upscale, sigma, order, mode, cval, channel_axis)


def pyramid_gaussian(
    image,
    max_layer=-1,
    downscale=2,
    sigma=None,
    order=1,
    mode="reflect",
    cval=0,
    preserve_range=False,
    *,
    channel_axis=None,
):
    if not isinstance(max_layer, int | np.integer):
        return "max_layer is no integer"
    return _pyramid(image, downscale, sigma, order, mode, cval, channel_axis)


pyramid_laplacian = pyramid_gaussian
