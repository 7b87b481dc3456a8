"""skimage.transform.resize and rescale on the device, smoothed without a smoothed image."""

import itertools
import math

import cupy as cp
import numpy as np

from .._warn import warn_caller
from ..accept._resize import full_shape, scaled_shape
from ..accept._stencils import BOUNDARY, LEAST_SIGMA, radius
from ..device import c_name, launch
from ..device.dtypes import C_NAMES
from ._gaussian import bell, gaussian, working
from ._interpolation import Clipping, Sampling

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
    shape = full_shape(image.shape, tuple(output_shape))
    image = cp.ascontiguousarray(image).reshape(image.shape + (1,) * (len(shape) - image.ndim))
    kind = image.dtype.kind
    if image.dtype.char == "e" and order == 0:
        image = image.astype("float32")
    sampling = Sampling(image, order, mode, cval, clip, preserve_range)
    factors = np.divide(image.shape, shape)
    if anti_aliasing is None:
        by_itself = kind == "f" or (kind != "b" and order != 0)
        anti_aliasing = by_itself and any(
            new < old for new, old in zip(shape, image.shape, strict=True)
        )
    sigmas = np.zeros(len(shape))
    if anti_aliasing:
        sigmas = _sigmas(factors, anti_aliasing_sigma)
    # scipy.ndimage.zoom
    made = tuple(
        round(old * (1 / factor)) for old, factor in zip(image.shape, factors, strict=True)
    )
    return resampled(image, made, sampling, sigmas, NDIMAGE[mode])


def _sigmas(factors, given):
    if given is None:
        return np.maximum(0, (factors - 1) / 2)
    sigmas = np.atleast_1d(given) * np.ones_like(factors)
    if np.any((sigmas > 0) & (factors <= 1)):
        warn_caller(_NOT_SMALLER, UserWarning)
    return sigmas


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
        current = gaussian(
            image,
            tuple(map(float, sigmas)),
            mode=smooth_mode,
            cval=sampling.cval,
            preserve_range=scaling == _UNCHANGED,
        )
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
    if channel_axis is not None:
        image = cp.moveaxis(image, channel_axis, -1)
    result = resize(
        image,
        scaled_shape(image.shape, scale, channel_axis is not None),
        order,
        mode,
        cval,
        clip,
        preserve_range,
        anti_aliasing,
        anti_aliasing_sigma,
    )
    return result if channel_axis is None else cp.moveaxis(result, -1, channel_axis)


def specializations():
    """Every specialization that these ops can ask for, as (source, expression)."""
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
