"""Calls that downscale_local_mean and resize_local_mean of skimage.transform take."""

import operator

import numpy as np

from ._stencils import NUMBERS
from ._verdict import Invalid


def downscale_local_mean(image, factors, cval=0, clip=True):
    if not image.ndim:
        return "image has no axes"
    if np.isscalar(factors):
        factors = (factors,) * image.ndim
    if not isinstance(factors, tuple) or len(factors) != image.ndim:
        return Invalid("factors are no tuple of one number for each axis")
    if not all(isinstance(factor, int | np.integer) for factor in factors):
        return "factors are not whole numbers"
    if min(factors) < 1:
        return Invalid("factors are less than 1")
    if not image.size:
        return "image is empty"
    if not isinstance(cval, NUMBERS):
        return "cval is not a plain number"
    if image.dtype.kind != "f" and not np.isfinite(cval):
        return "cval is none of the image's integers"
    return None


def resize_local_mean(
    image, output_shape, grid_mode=True, preserve_range=False, *, channel_axis=None
):
    if not image.size or not image.ndim:
        return "image is empty, or has no axes"
    try:
        sizes = new_sizes(image.shape, output_shape, channel_axis)
    except (TypeError, ValueError) as error:
        return Invalid(str(error))
    if not all(isinstance(size, int | np.integer) and size > 0 for size in sizes):
        return "output_shape is not of positive whole numbers"
    pairs = list(zip(image.shape, sizes, strict=True))
    if all(old == new for old, new in pairs):
        return "the image keeps its shape"
    if not grid_mode and any(old == 1 != new for old, new in pairs):
        return "one element is no length between two"
    return None


def new_sizes(shape, output_shape, channel_axis):
    """New length of each axis of the image; raises what scikit-image refuses."""
    if channel_axis is None:
        sizes = tuple(output_shape)
        if len(sizes) == len(shape) - 1:
            return (*sizes, shape[-1])
        if len(sizes) < len(shape):
            raise ValueError("output_shape is too short")
        return sizes[: len(shape)]
    axis = range(-len(shape), len(shape)).index(operator.index(channel_axis)) % len(shape)
    if not isinstance(output_shape, tuple):
        raise TypeError("output_shape is no tuple beside a channel axis")
    if len(output_shape) == len(shape):
        if output_shape[axis] != shape[axis]:
            raise ValueError("output_shape changes the channels")
        # as scikit-image, which counts the axes from here on with the channels last
        sizes = [*output_shape[:-1]]
        sizes.insert(axis, output_shape[-1])
        return tuple(sizes)
    if len(output_shape) != len(shape) - 1:
        raise ValueError("output_shape has another length")
    return (*output_shape[:axis], shape[axis], *output_shape[axis:])
