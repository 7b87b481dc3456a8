"""skimage.transform: resize and rescale, smoothed without a smoothed image."""

import functools
import itertools
import math

import numpy as np

from ..._warn import warn_caller
from ...accept._interpolation import interpolation_refusal
from ...device import c_name, launch
from ...device.dtypes import C_NAMES
from ...device.launches import Array
from ...device.lazy import cp
from ...plan import Declined, Invalid, Plan
from ...primitives.gaussian import bell, working
from ...primitives.stencils import BOUNDARY, LEAST_SIGMA, NUMBERS, radius
from ..bridge import raised
from ..filters.gaussian import gaussian
from . import _interpolation
from ._interpolation import Clipping, Sampling

MOST_RESIZED = 3  # axes
_RESIZE, _REDUCE = "transform/resize.cu", "transform/reduce.cu"
TRUNCATE = 4.0  # of the Gaussian, in sigmas
_UNCHANGED = (1.0, -math.inf)  # scaling of numbers that are floating already
MOST_RADIUS = 2048  # whose weights fit into shared memory
# scipy.ndimage's names of the modes
NDIMAGE = {
    "constant": "grid-constant",
    "edge": "nearest",
    "symmetric": "reflect",
    "reflect": "mirror",
    "wrap": "grid-wrap",
}
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
    the one before has written. Axes that are not smoothed take 1 launch together. Orders
    above 1: launches and bytes of `gaussian` where it smooths, and 1 launch for each axis that
    changes its length. Clipping: 1 launch more for a constant beyond the border, and for orders
    above 1 (see `Clipping`). Images of float16 and order 0 are made float32 first (1 launch).

    NaN spreads along the axes that change their length only. The order and mode "symmetric"
    that make SciPy's splines change short axes of equal length too: these count as changed.
    """
    if image.size == 0 or image.ndim == 0:
        raise Declined("image is empty or has no axes")
    raised(interpolation_refusal(image, order, mode, cval))
    shape, kind = _sizes_of(output_shape, image.shape), image.dtype.kind
    old = image.shape + (1,) * (len(shape) - image.ndim)
    if mode == "constant" and not np.isfinite(cval):
        raise Declined("the constant beyond the border is not finite")
    dtype = np.dtype("float32") if image.dtype.char == "e" and order == 0 else image.dtype
    sampling = Sampling(Array(old, dtype), order, mode, cval, clip, preserve_range)
    if (
        sum(a != b or sampling.shows_ends(a) for a, b in zip(old, shape, strict=True))
        > MOST_RESIZED
    ):
        raise Declined(f"more than {MOST_RESIZED} axes change their length")
    sigmas = _given_sigmas(anti_aliasing_sigma, len(shape))
    factors = np.divide(old, shape)
    if _is_smoothed(kind, order, anti_aliasing, factors):
        sigmas = np.maximum(0, (factors - 1) / 2) if sigmas is None else sigmas
    else:
        sigmas = np.zeros(len(shape))
    # scipy.ndimage.zoom
    made = tuple(round(size * (1 / factor)) for size, factor in zip(old, factors, strict=True))
    enlarged = anti_aliasing_sigma is not None and np.any((sigmas > 0) & (factors <= 1))
    return Plan(functools.partial(_resized, old, dtype, made, sampling, sigmas, mode, enlarged))


def _resized(old, dtype, made, sampling, sigmas, mode, enlarged, image):
    if enlarged:
        warn_caller(_NOT_SMALLER, UserWarning)
    image = cp.ascontiguousarray(image, dtype).reshape(old)
    return resampled(image, made, sampling, sigmas, NDIMAGE[mode])


def _sizes_of(output_shape, old):
    """The lengths that are asked for, with the channels that scikit-image adds."""
    sizes = tuple(output_shape)
    if not all(isinstance(size, NUMBERS) and math.isfinite(size) for size in sizes):
        raise Declined("output_shape is not of numbers")
    if any(size < 1 for size in sizes):
        raise Declined("an axis of output_shape is shorter than 1")
    if len(sizes) < len(old) - 1:
        raise Invalid("output_shape has fewer numbers than the image has axes")
    return sizes + old[-1:] if len(sizes) == len(old) - 1 else sizes


def _is_smoothed(kind, order, anti_aliasing, factors):
    if anti_aliasing and kind == "b":
        raise Invalid("boolean images are not smoothed")
    if anti_aliasing and kind in "iu" and order == 0:
        raise Declined("integers are smoothed as integers")
    if anti_aliasing is not None:
        return anti_aliasing
    return (kind == "f" or (kind != "b" and order != 0)) and any(factors > 1)


def _given_sigmas(sigma, ndim):
    if sigma is None:
        return None
    sigmas = np.atleast_1d(sigma)
    if sigmas.ndim != 1 or sigmas.dtype.kind not in "biuf" or len(sigmas) not in (1, ndim):
        raise Invalid("anti_aliasing_sigma has another length than the image has axes")
    if sigmas.min() < 0:
        raise Invalid("anti_aliasing_sigma is negative")
    return sigmas * np.ones(ndim)


def resampled(image, shape, sampling, sigmas, smooth_mode):
    """The image smoothed by `sigmas`, where they are above 0, and brought to `shape`.

    `smooth_mode` is scipy.ndimage's mode for the Gaussian.
    """
    smoothed = [axis for axis, sigma in enumerate(sigmas) if sigma > LEAST_SIGMA]
    reach = max((radius(sigmas[axis], TRUNCATE) for axis in smoothed), default=0)
    enlarged = any(new > old for new, old in zip(shape, image.shape, strict=True))
    mixed = bool(enlarged and sampling.order) or bool(smoothed)
    clipping = Clipping(
        image, sampling, mixed=mixed, smoothed=reach > MOST_RADIUS, settled=not mixed
    )
    scaling, current = sampling.scaling, image
    if smoothed and (sampling.order > 1 or reach > MOST_RADIUS):
        smoothing = gaussian(
            image,
            tuple(map(float, sigmas)),
            mode=smooth_mode,
            cval=sampling.cval,
            preserve_range=scaling == _UNCHANGED,
        )
        current = smoothing.run(image=image)
        scaling, smoothed = _UNCHANGED, []
    # what shrinks most goes first
    smoothed.sort(key=lambda axis: shape[axis] / image.shape[axis])
    resized = [
        axis
        for axis, (new, old) in enumerate(zip(shape, image.shape, strict=True))
        if axis not in smoothed and (new != old or sampling.shows_ends(old))
    ]
    for axis in smoothed:
        last = axis == smoothed[-1] and not resized
        limits = clipping.range if last else None
        current = _smooth_and_sample(
            current,
            axis,
            shape[axis],
            sigmas[axis],
            BOUNDARY[smooth_mode],
            sampling,
            scaling,
            limits,
        )
        scaling = _UNCHANGED
    if resized or not smoothed:
        current = _sample(current, resized, shape, sampling, scaling, clipping)
    clipping.settle(current)
    return current


def _smooth_and_sample(image, axis, made, sigma, smooth_mode, sampling, scaling, limits):
    """One axis smoothed and made as long as `made`."""
    shape = image.shape
    outer, length, inner = math.prod(shape[:axis]), shape[axis], math.prod(shape[axis + 1 :])
    result = cp.empty((*shape[:axis], made, *shape[axis + 1 :]), sampling.dtype)
    reach, exponent, norm = bell(sigma, TRUNCATE)
    types = f"{c_name(image.dtype)}, {c_name(result.dtype)}"
    args = (image, result, outer, length, inner, made, length / made)
    args += (reach, exponent, norm, np.int32(smooth_mode))
    launch(
        _REDUCE,
        f"smooth_and_sample<{sampling.order}, {types}>",
        (*args, np.int32(sampling.mode), sampling.cval, *scaling, limits),
        work=result.size,
        shared=(2 * reach + 1) * 8,
    )
    return result


def _sample(image, axes, shape, sampling, scaling, clipping):
    """Axes that change their length, all at once."""
    made = [
        new if axis in axes else old
        for axis, (new, old) in enumerate(zip(shape, image.shape, strict=True))
    ]
    if not axes:  # SciPy then interpolates nothing
        if image.dtype == sampling.dtype:
            return image.copy()
        axes = [0]
        coefficients, pad, order = image, 0, 1
    else:
        order = sampling.order
        coefficients, scaling, pad = sampling.prefiltered(image, axes, scaling)
    sizes = _sizes(image.shape, made, coefficients.shape, axes, pad)
    result = cp.empty(made, sampling.dtype)
    types = f"{c_name(coefficients.dtype)}, {c_name(result.dtype)}"
    args = (coefficients, result, sizes, np.int32(sampling.mode), sampling.cval)
    launch(
        _RESIZE,
        f"resize_image<{order}, {len(axes)}, {types}>",
        (*args, *scaling, clipping.range, clipping.seen),
        work=result.size,
    )
    return result


def _sizes(old, made, padded, axes, pad):
    """The struct Sizes of resize.cu."""
    count = len(axes)
    fields = [("beside", "i8", count + 1), ("made", "i8", count)]
    fields += [("beside_stride", "i8", count + 1), ("stride", "i8", count)]
    fields += [("size", "i8", count), ("zoom", "f8", count), ("count", "i8"), ("pad", "i8")]
    sizes = np.zeros((), fields)
    ends = [-1, *axes, len(old)]
    for place, (before, after) in enumerate(itertools.pairwise(ends)):
        sizes["beside"][place] = math.prod(old[before + 1 : after])
        sizes["beside_stride"][place] = math.prod(padded[after:])
    for place, axis in enumerate(axes):
        sizes["made"][place] = made[axis]
        sizes["size"][place] = padded[axis]
        sizes["stride"][place] = math.prod(padded[axis + 1 :])
        sizes["zoom"][place] = old[axis] / made[axis]
    sizes["count"], sizes["pad"] = math.prod(made), pad
    return sizes[()]


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
    resized = resize(moved, shape, *options)
    if channel_axis is None:
        return resized

    def run(image):
        result = resized.run(image=cp.moveaxis(image, channel_axis, -1))
        return cp.moveaxis(result, -1, channel_axis)

    return Plan(run)


def _with_channels_last(image, channel_axis):
    if channel_axis is None:
        return image
    if not isinstance(channel_axis, int | np.integer):
        raise Declined("channel_axis is no integer")
    if not -image.ndim <= channel_axis < image.ndim:
        raise Invalid("channel_axis is out of range")
    sizes = list(image.shape)
    sizes.append(sizes.pop(channel_axis))
    return Array(tuple(sizes), image.dtype)


def _scaled(old, scale, has_channels):
    """Shape of a rescaled image whose channels are last."""
    scales = np.atleast_1d(scale)
    if scales.ndim != 1 or scales.dtype.kind not in "iuf" or not np.isfinite(scales).all():
        raise Declined("scale is not of numbers")
    if len(scales) > 1:
        if len(scales) != len(old) - has_channels:
            raise Invalid("scale has another length than the image has axes")
        if has_channels:
            scales = np.concatenate((scales, [1]))
    shape = np.maximum(np.round(scales * np.asarray(old)), 1)
    if has_channels:
        shape[-1] = old[-1]
    return tuple(shape)


def specializations():
    """Every specialization that these ops can ask for, as (source, expression)."""
    yield from _interpolation.specializations()
    for dtype, image in C_NAMES.items():
        into = c_name(working(np.dtype(dtype)))
        yield _REDUCE, f"smooth_and_sample<1, {image}, {into}>"
        for axes in (1, 2, 3):
            if dtype != "float16":
                yield _RESIZE, f"resize_image<0, {axes}, {image}, {image}>"
            if dtype != "bool":
                yield _RESIZE, f"resize_image<1, {axes}, {image}, {into}>"
            if into == "float":
                yield _RESIZE, f"resize_image<1, {axes}, {image}, double>"
    for floating in ("float", "double"):
        yield _REDUCE, f"smooth_and_sample<0, {floating}, {floating}>"
    for axes in (1, 2, 3):
        for order in (2, 3, 4, 5):
            yield _RESIZE, f"resize_image<{order}, {axes}, double, float>"
            yield _RESIZE, f"resize_image<{order}, {axes}, double, double>"
