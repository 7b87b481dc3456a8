"""skimage.transform's pyramids on the device."""

import math

import cupy as cp
import numpy as np

from ..device import c_name, launch
from ..device.dtypes import C_NAMES
from ..functions.bridge import op_of
from ..functions.filters.gaussian import gaussian as _gaussian
from ..functions.transform._interpolation import Sampling
from ..functions.transform.resize import NDIMAGE, TRUNCATE, resampled
from ..primitives.gaussian import DOUBLE, in_double, modes_of, planned, working
from ..primitives.stencils import plain

gaussian = op_of(_gaussian, "image")
_LAPLACIAN = "transform/laplacian.cu"


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
    """Smooth and make an image smaller: `skimage.transform.pyramid_reduce`.

    Order 1: 1 launch an axis, which smooths it and makes it shorter at once; each reads what
    the one before has written. Other orders: the launches and bytes of `gaussian` and of
    `resize` without smoothing.
    """
    sigmas = _sigmas(image, sigma, downscale, channel_axis)
    shape = _shape(image.shape, downscale, channel_axis)
    if order is None or order == 1:
        # nothing is sampled beyond the border, and nothing leaves the smoothed image's range
        sampling = Sampling(image, 1, mode, cval, False, preserve_range)
        return resampled(cp.ascontiguousarray(image), shape, sampling, sigmas, mode)
    smooth = gaussian(image, sigmas, mode=mode, cval=cval, preserve_range=preserve_range)
    return _resized(smooth, shape, order, mode, cval)


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
    """Make an image larger and smooth it: `skimage.transform.pyramid_expand`.

    Launches and bytes of `resize` without smoothing, and those of `gaussian`: 1 and 1 for a
    plane. Between them the image is in double, as SciPy adds up both. Boolean images, and
    others than float32 and float64 at order 0, are made floating first (1 launch).
    """
    sigmas = _sigmas(image, sigma, upscale, channel_axis)
    shape = tuple(
        size if axis == _channels(image, channel_axis) else math.ceil(upscale * size)
        for axis, size in enumerate(image.shape)
    )
    order = 1 if order is None else order
    if image.dtype.kind == "b" or order == 0:
        image = _floating(image, preserve_range)
    result = cp.empty(shape, working(image.dtype))
    large = _resized(image, shape, order, mode, cval, preserve_range, dtype="float64")
    return gaussian(large, sigmas, mode=mode, cval=cval, out=result)


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
    """Images of a Gaussian pyramid, one after the other: `skimage.transform.pyramid_gaussian`.

    Each takes the launches and bytes of `pyramid_reduce` for the one before. The first is
    the image, which is made floating where it is not (1 launch).
    """
    layer = _floating(image, preserve_range)
    yield layer
    made = 0
    while made != max_layer:
        made += 1
        before = layer.shape
        layer = pyramid_reduce(
            layer, downscale, sigma, order, mode, cval, channel_axis=channel_axis
        )
        if layer.shape == before:
            break
        yield layer


def pyramid_laplacian(
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
    """Images of a Laplacian pyramid, one after the other: `skimage.transform.pyramid_laplacian`.

    Order 1, planes with or without channels: 1 launch for the first image, 2 for each further
    one; each writes the image and the smoothed image from which the next is made. Other
    calls: launches and bytes of `resize` and `gaussian`, and 1 launch that subtracts.
    """
    channels = _channels(image, channel_axis)
    sigmas = _sigmas(image, sigma, downscale, channel_axis)
    sizes = [size for axis, size in enumerate(image.shape) if axis != channels]
    smooth, detail = _smooth_and_subtract(image, sigmas, mode, cval, preserve_range)
    yield detail
    if max_layer == -1:
        max_layer = math.ceil(math.log(max(sizes), downscale))
    for _ in range(max_layer):
        shape = _shape(smooth.shape, downscale, channel_axis)
        small = _resized(smooth, shape, order, mode, cval)
        smooth, detail = _smooth_and_subtract(small, sigmas, mode, cval, False)
        yield detail


def _smooth_and_subtract(image, sigmas, mode, cval, preserve_range):
    """The smoothed image, and the image minus that."""
    image = cp.ascontiguousarray(image)
    modes = modes_of(mode, sigmas)
    dtype = working(image.dtype)
    types = (image.shape, image.dtype, dtype)
    launches = planned(*types, bool(preserve_range), TRUNCATE, modes, *sigmas, sums=DOUBLE)
    ((source, _), before, after, size), *more = launches
    if more or source != "filters/gaussian.cu":
        image = _floating(image, preserve_range)
        smooth = in_double(image, sigmas, mode, cval)
        return smooth, image - smooth
    smooth, detail = cp.empty(image.shape, dtype), cp.empty(image.shape, dtype)
    args = (image, smooth, detail, *before, float(cval), *after)
    launch(_LAPLACIAN, f"smooth_and_subtract<{c_name(image.dtype)}>", args, **size)
    return smooth, detail


def _resized(image, shape, order, mode, cval, preserve_range=True, dtype=None):
    """The image resized without smoothing, of another floating `dtype` where it is given."""
    sampling = Sampling(image, order, mode, cval, True, preserve_range)
    if order and dtype:
        sampling.dtype = np.dtype(dtype)
    image = cp.ascontiguousarray(image)
    return resampled(image, shape, sampling, np.zeros(image.ndim), NDIMAGE[mode])


def _floating(image, preserve_range):
    """scikit-image's `convert_to_float`; a floating image comes back itself."""
    if image.dtype.char in "fd":
        return image
    return gaussian(image, 0, preserve_range=preserve_range)


def _channels(image, channel_axis):
    return None if channel_axis is None else channel_axis % image.ndim


def _sigmas(image, sigma, factor, channel_axis):
    """One sigma for each axis; by itself one that covers more than 99 % of a Gaussian."""
    if sigma is None:
        sigma = 2 * factor / 6.0
    if isinstance(sigma, list | tuple) and len(sigma) == image.ndim:
        return tuple(plain(s) for s in sigma)
    if isinstance(sigma, list | tuple):
        (sigma,) = sigma
    channels = _channels(image, channel_axis)
    return tuple(0 if axis == channels else plain(sigma) for axis in range(image.ndim))


def _shape(old, downscale, channel_axis):
    channels = None if channel_axis is None else channel_axis % len(old)
    return tuple(
        size if axis == channels else math.ceil(size / float(downscale))
        for axis, size in enumerate(old)
    )


def specializations():
    """Every specialization that these ops can ask for, as (source, expression)."""
    for image in C_NAMES.values():
        yield _LAPLACIAN, f"smooth_and_subtract<{image}>"
