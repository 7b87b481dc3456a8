"""Calls that the ops of unsharp masking and of the difference of Gaussians take."""

import operator

import numpy as np

from ..functions.bridge import verdict_of
from ..functions.filters.gaussian import gaussian as _gaussian
from ..primitives.arguments import refuse_wider
from ._stencils import NUMBERS
from ._verdict import Invalid

_HALF_DONE = "for a negative channel axis scikit-image leaves most of the result as it finds it"

gaussian, wider = verdict_of(_gaussian), verdict_of(refuse_wider)
NUMBERS_OR_SEQUENCES = (*NUMBERS, list, tuple, range, np.ndarray)


def unsharp_mask(image, radius=1.0, amount=1.0, preserve_range=False, *, channel_axis=None):
    if channel_axis is not None:
        channel_axis = operator.index(channel_axis)
        if channel_axis >= image.ndim:
            return Invalid("channel_axis is out of range")
        if channel_axis < 0:
            return _HALF_DONE
        if image.ndim == 1:
            return "image has channels only"
        if np.iterable(radius) and len(radius) != image.ndim - 1:
            return Invalid("radius has another length than the image has axes beside channels")
    refusal = gaussian(image, radius, mode="reflect", channel_axis=channel_axis)
    return refusal or wider("amount", amount, image.dtype)


def difference_of_gaussians(
    image, low_sigma, high_sigma=None, *, mode="nearest", cval=0, channel_axis=None, truncate=4.0
):
    for sigma in (low_sigma, high_sigma):
        if not (sigma is None or isinstance(sigma, NUMBERS_OR_SEQUENCES)):
            return "sigma is neither a number nor a sequence of numbers"
    axes = image.ndim if channel_axis is None else image.ndim - 1
    low, high = both_sigmas(low_sigma, high_sigma, axes)
    if len(low) != axes or len(high) != axes:
        return Invalid("low_sigma or high_sigma has another length than the image has axes")
    for below, above in zip(low, high, strict=True):
        if above < below or below < 0:
            return Invalid("high_sigma is less than low_sigma, or this one is negative")
    # what holds for the larger radius holds for the smaller one
    return gaussian(image, high, mode=mode, cval=cval, truncate=truncate, channel_axis=channel_axis)


def both_sigmas(low, high, axes):
    """The sigmas of both Gaussians for each of `axes`, as scikit-image arranges them."""
    low = _floats(low)
    high = [sigma * 1.6 for sigma in low] if high is None else _floats(high)
    return [sigmas * axes if len(sigmas) == 1 else sigmas for sigmas in (low, high)]


def _floats(sigma):
    if isinstance(sigma, NUMBERS) or (isinstance(sigma, np.ndarray) and sigma.ndim == 0):
        return [float(sigma)]
    return [float(s) for s in sigma]
