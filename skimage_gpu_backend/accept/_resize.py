"""Calls that the ops of resize, rescale and the pyramids take."""

import math

import numpy as np

from ._interpolation import interpolation_order, interpolation_refusal, shows_ends
from ._stencils import NUMBERS
from ._verdict import Invalid

MOST_RESIZED = 3  # axes


def resize(
    image,
    output_shape,
    order=None,
    mode="reflect",
    cval=0,
    clip=True,
    preserve_range=False,
    anti_aliasing=None,
    anti_aliasing_sigma=None,
):
    if image.size == 0 or image.ndim == 0:
        return "image is empty or has no axes"
    if refusal := interpolation_refusal(image, order, mode, cval):
        return refusal
    shape = plain_sizes(output_shape)
    if isinstance(shape, str):
        return shape
    kind = image.dtype.kind
    if kind == "b" and anti_aliasing:
        return Invalid("boolean images are not smoothed")
    if kind in "iu" and anti_aliasing and order == 0:
        return "integers are smoothed as integers"
    if len(shape) < image.ndim - 1:
        return Invalid("output_shape has fewer numbers than the image has axes")
    full = full_shape(image.shape, shape)
    old = image.shape + (1,) * (len(full) - image.ndim)
    if mode == "constant" and not np.isfinite(cval):
        return "the constant beyond the border is not finite"
    changed = (
        a != b or shows_ends(a, interpolation_order(image.dtype, order), mode)
        for a, b in zip(old, full, strict=True)
    )
    if sum(changed) > MOST_RESIZED:
        return f"more than {MOST_RESIZED} axes change their length"
    return _sigma(anti_aliasing_sigma, len(full))


def plain_sizes(output_shape):
    """`output_shape` as a tuple of numbers, or the reason to decline it."""
    if hasattr(output_shape, "dtype") and not isinstance(output_shape, np.ndarray):
        return "output_shape is an array on the device"
    sizes = tuple(output_shape)
    if not all(isinstance(size, NUMBERS) and math.isfinite(size) for size in sizes):
        return "output_shape is not of numbers"
    if any(size < 1 for size in sizes):
        return "an axis of output_shape is shorter than 1"
    return sizes


def full_shape(old, shape):
    """`shape` with the channels that scikit-image adds."""
    return shape + old[-1:] if len(shape) == len(old) - 1 else shape


def _sigma(sigma, ndim):
    if sigma is None:
        return None
    if hasattr(sigma, "dtype") and not isinstance(sigma, np.ndarray | np.number):
        return "anti_aliasing_sigma is an array on the device"
    sigmas = np.atleast_1d(sigma)
    if sigmas.ndim != 1 or sigmas.dtype.kind not in "biuf" or len(sigmas) not in (1, ndim):
        return Invalid("anti_aliasing_sigma has another length than the image has axes")
    return None if sigmas.min() >= 0 else Invalid("anti_aliasing_sigma is negative")


def rescale(
    image,
    scale,
    order=None,
    mode="reflect",
    cval=0,
    clip=True,
    preserve_range=False,
    anti_aliasing=None,
    anti_aliasing_sigma=None,
    *,
    channel_axis=None,
):
    if refusal := channels_refusal(image, channel_axis):
        return refusal
    if hasattr(scale, "dtype") and not isinstance(scale, np.ndarray | np.number):
        return "scale is an array on the device"
    moved = Moved(image, channel_axis)
    shape = scaled_shape(moved.shape, scale, channel_axis is not None)
    if isinstance(shape, str):
        return shape
    return resize(
        moved, shape, order, mode, cval, clip, preserve_range, anti_aliasing, anti_aliasing_sigma
    )


def scaled_shape(old, scale, has_channels):
    """Shape of a rescaled image whose channels are last, or the reason to decline it."""
    scales = np.atleast_1d(scale)
    if scales.ndim != 1 or scales.dtype.kind not in "iuf" or not np.isfinite(scales).all():
        return "scale is not of numbers"
    if len(scales) > 1:
        if len(scales) != len(old) - has_channels:
            return Invalid("scale has another length than the image has axes")
        if has_channels:
            scales = np.concatenate((scales, [1]))
    shape = np.maximum(np.round(scales * np.asarray(old)), 1)
    if has_channels:
        shape[-1] = old[-1]
    return tuple(shape)


def channels_refusal(image, channel_axis):
    """Reason to decline, or Invalid, for an axis of channels."""
    if channel_axis is None:
        return None
    if not isinstance(channel_axis, int | np.integer):
        return "channel_axis is no integer"
    if not -image.ndim <= channel_axis < image.ndim:
        return Invalid("channel_axis is out of range")
    return None


class Moved:
    """What `resize` looks at in an image whose channels become its last axis."""

    __slots__ = ("dtype", "ndim", "shape", "size")

    def __init__(self, image, channel_axis):
        self.dtype, self.ndim, self.size = image.dtype, image.ndim, image.size
        sizes = list(image.shape)
        if channel_axis is not None:
            sizes.append(sizes.pop(channel_axis))
        self.shape = tuple(sizes)
