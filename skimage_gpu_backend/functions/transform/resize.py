"""skimage.transform: resize and rescale, smoothed without a smoothed image."""

import functools
import itertools

import numpy as np

from ...device.dtypes import C_NAMES
from ...device.launches import Array
from ...devices import xp
from ...plan import Declined, Invalid, warned
from ...primitives.arguments import is_finite, truth
from ...primitives.channels import channels_moved, refuse_axis
from ._interpolation import around, refuse_infinite, sampling_of
from ._resampling import MOST_RESIZED, NDIMAGE, resampled

_NOT_SMALLER = (
    "Anti-aliasing standard deviation greater than zero but not down-sampling along all axes"
)


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
    """Resize an image: `skimage.transform.resize`.

    1 launch without smoothing; image read once, result written once. Orders 0 and 1 with
    smoothing: 1 launch for each smoothed axis, which makes it shorter at once; each reads what
    the one before has written. Axes that are not smoothed take 1 launch together. Order 1 without
    a constant beyond the border: the last two axes, beside each other, take 1 launch. Orders
    above 1: launches and bytes of `gaussian` where it smooths, and 1 launch for each axis that
    changes its length. Clipping: 1 launch more for a constant beyond the border, and for orders
    above 1 (see `Clipping`). Images of float16 and order 0 are made float32 first (1 launch).

    NaN spreads along the axes that change their length only. The order and mode "symmetric"
    that make SciPy's splines change short axes of equal length too: these count as changed, where
    another axis changes its length.
    """
    if image.size == 0 or image.ndim == 0:
        raise Declined("image is empty or has no axes; nothing to change")
    sampling = sampling_of(image.dtype, order, mode, cval, clip, preserve_range)
    sizes = _sizes_of(output_shape, image.shape)
    if sampling.constant:
        refuse_infinite(sampling.cval)
    smooths = None if anti_aliasing is None else truth("anti_aliasing", anti_aliasing)
    shrinks = any(new < old for new, old in zip(sizes, image.shape, strict=False))
    smooths = _is_smoothed(image.dtype.kind, sampling.order, smooths, shrinks)
    sigmas = _given_sigmas(anti_aliasing_sigma, len(sizes)) if smooths else None
    return _planned(image.shape, image.dtype, sizes, sampling, smooths, sigmas)


@functools.lru_cache(maxsize=256)
def _planned(shape, source, sizes, sampling, smooths, given):
    old = shape + (1,) * (len(sizes) - len(shape))
    dtype = source
    if source.char == "e" and sampling.order == 0:
        dtype = np.dtype(np.float32)
        sampling = sampling._replace(dtype=dtype)
    sampling = sampling.of_zoom(old, sizes)
    changed = sum(a != b or sampling.shows_ends(a) for a, b in zip(old, sizes, strict=True))
    if changed > MOST_RESIZED:
        raise Declined(
            f"image has more than {MOST_RESIZED} axes that change their length; give one "
            "of fewer axes"
        )
    factors = np.divide(old, sizes)
    sigmas = np.zeros(len(sizes))
    if smooths:
        sigmas = np.maximum(0, (factors - 1) / 2) if given is None else np.array(given)
    # scipy.ndimage.zoom
    made = tuple(round(size * (1 / factor)) for size, factor in zip(old, factors, strict=True))
    image = Array(old, dtype, "image", converted=dtype != source)
    plan = resampled(image, made, sampling, sigmas.tolist(), NDIMAGE[sampling.mode])
    if given is not None and np.any((sigmas > 0) & (factors <= 1)):
        return warned(plan, _NOT_SMALLER)
    return plan


def _sizes_of(output_shape, old):
    """The lengths that are asked for, with the channels that scikit-image adds."""
    if not isinstance(output_shape, list | tuple | range | np.ndarray):
        raise Declined("output_shape is not a sequence; give a length for each axis, as (256, 256)")
    if not getattr(output_shape, "ndim", 1):
        raise Invalid("output_shape is one number")
    sizes = tuple(output_shape)
    if not all(is_finite(size) for size in sizes):
        raise Declined("output_shape is not of finite numbers; give integers from 1 on")
    if any(size < 1 for size in sizes):
        raise Declined("output_shape has a length below 1; give integers from 1 on")
    if len(sizes) < len(old) - 1:
        raise Invalid("output_shape has fewer numbers than the image has axes")
    return sizes + old[-1:] if len(sizes) == len(old) - 1 else sizes


def _is_smoothed(kind, order, anti_aliasing, shrinks):
    if anti_aliasing and kind == "b":
        raise Invalid("boolean images are not smoothed")
    if anti_aliasing and kind in "iu" and order == 0:
        raise Declined(
            "anti_aliasing=True with order=0 smooths integers as integers; give a float image or "
            "anti_aliasing=False, which changes the result"
        )
    if anti_aliasing is not None:
        return anti_aliasing
    return (kind == "f" or (kind != "b" and order != 0)) and shrinks


def _given_sigmas(sigma, ndim):
    if sigma is None:
        return None
    try:
        sigmas = np.atleast_1d(sigma)
    except ValueError:
        raise Invalid("anti_aliasing_sigma is not of numbers") from None
    if sigmas.dtype.kind not in "biuf":
        raise Declined("anti_aliasing_sigma is not of real numbers; give such, or leave it out")
    if sigmas.ndim != 1 or len(sigmas) not in (1, ndim):
        raise Invalid("anti_aliasing_sigma has another length than the image has axes")
    if sigmas.min() < 0:
        raise Invalid("anti_aliasing_sigma is negative")
    if not np.isfinite(sigmas).all():
        raise Declined("anti_aliasing_sigma is not finite; give finite numbers, or leave it out")
    return tuple((sigmas * np.ones(ndim)).tolist())


@channels_moved()
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
    """Rescale an image by a factor: `skimage.transform.rescale`.

    Launches and bytes are those of `resize`. Channels that are not last: 1 launch more makes
    the image contiguous.
    """
    moved = _with_channels_last(image, channel_axis)
    shape = _scaled(moved.shape, scale, channel_axis is not None)
    options = order, mode, cval, clip, preserve_range, anti_aliasing, anti_aliasing_sigma
    plan = resize(moved, shape, *options)
    if channel_axis is None:
        return plan
    change = functools.partial(_channels_moved, channel_axis)
    return around(plan, change, launches=1, nbytes=moved.nbytes)


def _channels_moved(axis, run, image):
    return xp.moveaxis(run(image=xp.moveaxis(image, axis, -1)), -1, axis)


def _with_channels_last(image, channel_axis):
    if channel_axis is None:
        return image
    refuse_axis(image, channel_axis)
    sizes = list(image.shape)
    sizes.append(sizes.pop(channel_axis))
    return Array(tuple(sizes), image.dtype)


def _scaled(old, scale, has_channels):
    """Shape of a rescaled image whose channels are last."""
    try:
        scales = np.atleast_1d(scale)
    except ValueError:
        raise Declined(
            "scale is not of finite numbers; give a number, as 0.5, or one for each axis"
        ) from None
    if scales.ndim != 1 or scales.dtype.kind not in "iuf" or not np.isfinite(scales).all():
        raise Declined(
            "scale is not of finite numbers; give a number, as 0.5, or one for each axis"
        )
    if not len(scales):
        raise Declined("scale is empty; give a number, as 0.5")
    if len(scales) > 1:
        if len(scales) != len(old) - has_channels:
            raise Invalid("scale has another length than the image has axes")
        if has_channels:
            scales = np.concatenate((scales, [1]))
    with np.errstate(over="ignore"):
        shape = np.maximum(np.round(scales * np.asarray(old)), 1)
    if has_channels:
        shape[-1] = old[-1]
    return tuple(shape.tolist())


def samples():
    """Plans that together ask for every kernel of this room."""
    for name in C_NAMES:
        dtype = np.dtype(name)
        for ndim, order in itertools.product((1, 2, 3), range(1 if name == "bool" else 6)):
            yield resize(Array((40,) * ndim, dtype), (50,) * ndim, order, clip=False)
        line = Array((40,), dtype)
        if dtype.kind == "f":
            yield resize(line, (30,), 0, clip=False)
        if name != "bool":
            yield resize(line, (30,), 1, clip=False)
            for columns in (30, 50):
                yield resize(Array((40, 40), dtype), (30, columns), 1, clip=False)
