"""skimage.filters: unsharp_mask and difference_of_gaussians, an image against its Gaussian."""

import functools
import itertools

import numpy as np

from ...device import c_name, launch, resident_blocks
from ...device.dtypes import C_NAMES
from ...device.launches import Array, Cost, Launch, Launches, added
from ...devices import xp
from ...plan import Declined, Invalid, Passes, Plan, Reach
from ...primitives.arguments import integer, refuse_wider, truth
from ...primitives.gaussian import (
    DOUBLE,
    bell,
    chained,
    conversion,
    line,
    modes_of,
    plan,
    planned,
    working,
)
from ...primitives.points import flags
from ...primitives.reduce import parts_of
from ...primitives.stencils import LEAST_SIGMA, NUMBERS, number, plain, sigma_per_axis
from .gaussian import gaussian

_TILES = "filters/gaussian_detail.cu"
_LINES = "filters/gaussian_detail_line.cu"
_BELL = np.dtype([("radius", "i8"), ("exponent", "f8"), ("norm", "f8")])
_FLAG = np.dtype(np.uint32)


def unsharp_mask(image, radius=1.0, amount=1.0, preserve_range=False, *, channel_axis=None):
    """Sharpen an image by what a Gaussian takes from it: `skimage.filters.unsharp_mask`.

    2-D, with or without channels, and a Gaussian's radius up to 16: 1 launch; image read
    once, result written once. 2-D above: 2 launches, since a tile of both axes with its halo
    does not fit on the chip; between them an array is written and read, and the second
    launch reads the image again. Other calls take the launches of `gaussian`, and 1 more
    where its last one filters two axes. Images that may have negative elements take 1 launch
    more, which reads them: it decides at which value results are clipped.
    """
    if channel_axis is not None:
        channel_axis = _axis(channel_axis, image)
    smoothing = gaussian(image, radius, mode="reflect", channel_axis=channel_axis)
    if channel_axis is not None and np.iterable(radius) and len(radius) != image.ndim - 1:
        raise Invalid("radius has another length than the image has axes beside channels")
    refuse_wider("amount", amount, image.dtype)
    preserve_range = truth("preserve_range", preserve_range)
    sigmas = sigma_per_axis(radius, image.ndim, channel_axis)
    reach = Reach(smoothing.reach.halo)
    return _unsharp(image.shape, image.dtype, float(amount), preserve_range, reach, *sigmas)


def _axis(channel_axis, image):
    axis = integer("channel_axis", channel_axis)
    if axis >= image.ndim:
        raise Invalid("channel_axis is out of range")
    if axis < 0:
        raise Declined(
            "channel_axis is negative, with which scikit-image leaves most of the result "
            "unwritten; give it as a number from 0 on, which changes the result"
        )
    if image.ndim == 1:
        raise Declined("image has an axis of channels alone; nothing to change")
    if not image.shape[axis]:
        raise Declined("image has no channels; nothing to change")
    return axis


# Typed: a float32 sigma gives SciPy other weights than a Python float does.
@functools.lru_cache(maxsize=256, typed=True)
def _unsharp(shape, dtype, amount, preserve_range, reach, *sigmas):
    image, negative = Array(shape, dtype, "image"), Array((1,), _FLAG, zero=True)
    args = amount, preserve_range, *sigmas
    launches = _sharpened(image, negative, *args)
    if preserve_range or dtype.kind not in "if":
        return Plan(launches, reach)
    search = Launch(_TILES, *_search(image, negative), image.size)
    launches = Launches([search, *launches.steps], launches.result)
    # without a negative one it clips at 0
    passes = Passes(_any_negative, functools.partial(_sharpened_tile, args), reach)
    return Plan(launches, passes)


def _search(image, negative):
    return f"any_negative<{c_name(image.dtype)}>", (image, image.size, negative)


def _any_negative(image):
    """Whether an element is negative, as one ``uint32``, of an image in pieces."""
    negative = flags()
    for part in parts_of(image):
        part = xp.ascontiguousarray(part)
        launch(_TILES, *_search(part, negative), work=part.size)
    return negative


def _sharpened_tile(args, negative, image):
    """What becomes of a part of the image of which `_any_negative` has told."""
    launches = _tile(image.shape, image.dtype, *args)
    return launches(image=image, negative=xp.asarray(negative))  # it may be another device's


@functools.lru_cache(maxsize=256, typed=True)
def _tile(shape, dtype, *args):
    return _sharpened(Array(shape, dtype, "image"), Array((1,), _FLAG, "negative"), *args)


def _sharpened(image, negative, amount, preserve_range, *sigmas):
    dtype = working(image.dtype)
    modes = modes_of("reflect", sigmas)
    types = (image.shape, image.dtype, dtype)
    smoothing = planned(*types, preserve_range, 4.0, modes, *sigmas, sums=DOUBLE)
    scaling = conversion(image.dtype, preserve_range)
    sharpening = amount, not preserve_range, negative
    result = Array(image.shape, dtype)
    if _is_pair(smoothing):
        ((_, before, after, size),) = smoothing
        kernel = f"unsharp_pair<{c_name(image.dtype)}>"
        steps = [Launch(_TILES, kernel, (image, result, *before, 0.0, *after, *sharpening), **size)]
    elif len(smoothing) > 1 and len(axes := plan(sigmas, 4.0)[-1]) == 1:
        sums = Array(image.shape, dtype)
        way, view, size = line(image.shape, axes[0], DOUBLE.itemsize)
        sums_along = (_bell(sigmas[axes[0]], 4.0), *view, np.int32(modes[axes[0]]), 0.0)
        arguments = (image, sums, result, *sums_along, *scaling, *sharpening)
        kernel = f"unsharp_line<{way}, {c_name(image.dtype)}>"
        steps = chained(smoothing[:-1], image, sums, 0.0)
        steps.append(Launch(_LINES, kernel, arguments, **size))
    else:
        arguments = (image, result, image.size, *scaling, *sharpening)
        kernel = f"unsharp<{c_name(image.dtype)}>"
        steps = chained(smoothing, image, result, 0.0)
        # it reads the sums that it writes over, element by element
        steps.append(Launch(_TILES, kernel, arguments, image.size, over=(result,)))
    return Launches(steps, result)


def difference_of_gaussians(
    image, low_sigma, high_sigma=None, *, mode="nearest", cval=0, channel_axis=None, truncate=4.0
):
    """Difference of two Gaussians: `skimage.filters.difference_of_gaussians`.

    2-D, with or without channels, and radii up to 16: 1 launch; image read once, result
    written once. 2-D above: 2 launches, since a tile of both axes with its halo does not fit
    on the chip; between them two arrays are written and read. Other calls take the launches
    of `gaussian` for both sigmas, and 1 that subtracts one result from the other.
    """
    axes = image.ndim if channel_axis is None else image.ndim - 1
    low = _floats(low_sigma, axes)
    high = [sigma * 1.6 for sigma in low] if high_sigma is None else _floats(high_sigma, axes)
    if len(low) != axes or len(high) != axes:
        raise Invalid("low_sigma or high_sigma has another length than the image has axes")
    for below, above in zip(low, high, strict=True):
        if above < below or below < 0:
            raise Invalid("high_sigma is less than low_sigma, or this one is negative")
        if not below <= above:
            raise Declined("low_sigma or high_sigma is NaN; give numbers")
    if not isinstance(mode, str) and np.iterable(mode):
        mode = tuple(mode)
    # what holds for the larger radius holds for the smaller one
    options = {"mode": mode, "cval": cval, "truncate": truncate, "channel_axis": channel_axis}
    smoothing = gaussian(image, high, **options)
    low, high = (tuple(sigma_per_axis(s, image.ndim, channel_axis)) for s in (low, high))
    filtered = any(sigma > LEAST_SIGMA for sigma in high)
    numbers = (number(cval), plain(truncate)) if filtered else (0.0, 4.0)
    modes = modes_of(mode, low), modes_of(mode, high)
    reach = Reach(smoothing.reach.halo, arrays=3)
    return _difference(image.shape, image.dtype, low, high, modes, *numbers, reach)


def _floats(sigma, axes):
    """The sigma of each axis, as scikit-image arranges them."""
    if not isinstance(sigma, (*NUMBERS, list, tuple, range, np.ndarray)):
        raise Declined(
            "sigma is neither a number nor a sequence of numbers; give a number, as 2.5, "
            "or one for each axis"
        )
    try:
        if np.iscomplexobj(sigma):
            raise Declined("sigma is complex; give real numbers")
        sigmas = np.array(sigma, dtype=float, ndmin=1)  # which makes NaN of None
    except (OverflowError, TypeError, ValueError):
        raise Invalid("low_sigma or high_sigma is not of numbers") from None
    if sigmas.ndim > 1:
        raise Declined("sigma is an array of several axes; give a number for each axis")
    sigmas = sigmas.tolist()
    return sigmas * axes if len(sigmas) == 1 else sigmas


@functools.lru_cache(maxsize=256, typed=True)
def _difference(shape, dtype, low, high, modes, cval, truncate, reach):
    into = working(dtype)
    image, result = Array(shape, dtype, "image"), Array(shape, into)
    below, above = (
        planned(shape, dtype, into, False, truncate, modes_, *sigmas, sums=DOUBLE)
        for sigmas, modes_ in zip((low, high), modes, strict=True)
    )
    axes = [axis for axis, sigma in enumerate(high) if sigma > LEAST_SIGMA]
    if _is_pair(below) and _is_pair(above) and below[0][1] == above[0][1]:
        ((_, before, after, size),) = above
        arguments = (image, result, *before, cval, *after, below[0][2][-1])
        steps = [Launch(_TILES, f"difference_pair<{c_name(dtype)}>", arguments, **size)]
    elif len(axes) == 2:
        bells = [[_bell(sigmas[axis], truncate) for sigmas in (low, high)] for axis in axes]
        steps = _by_lines(image, result, axes, bells, modes[1], cval)
    else:
        return _by_both(image, below, above, cval, reach)
    return Plan(Launches(steps, result), reach)


def _by_lines(image, result, axes, bells, modes, cval):
    """Both Gaussians along one axis, then along the other."""
    sums = Array((2, *image.shape), result.dtype)
    way, view, size = line(image.shape, axes[0], DOUBLE.itemsize)
    size = size | {"grid": functools.partial(_blocks_of_both, size["work"])}
    scaling = conversion(image.dtype, preserve_range=False)
    arguments = (image, sums, *bells[0], *view, np.int32(modes[axes[0]]), cval, *scaling)
    first = Launch(_LINES, f"both_line<{way}, {c_name(image.dtype)}>", arguments, **size)
    way, view, size = line(image.shape, axes[1], DOUBLE.itemsize)
    arguments = (sums, result, *bells[1], *view, np.int32(modes[axes[1]]), cval)
    second = Launch(_LINES, f"difference_line<{way}, {c_name(result.dtype)}>", arguments, **size)
    return first, second


def _blocks_of_both(work):
    """Grid of which every other block makes the other Gaussian."""
    return (2 * min(work // 256, max(1, resident_blocks(256) // 2)),)


def _by_both(image, below, above, cval, reach):
    """One Gaussian, then the other one, which is subtracted."""
    low, high = (_smoothed(image, smoothing, cval) for smoothing in (below, above))

    def run(image):
        image = xp.ascontiguousarray(image)
        result = low(image=image)
        result -= high(image=image)
        return result

    nbytes = low.result.nbytes
    cost = added(low.cost, high.cost, Cost(1, 2 * nbytes, nbytes, nbytes))
    return Plan(run, reach, cost=cost)


def _smoothed(image, smoothing, cval):
    result = Array(image.shape, working(image.dtype))
    return Launches(chained(smoothing, image, result, cval), result)


def _is_pair(launches):
    """Whether one launch of gaussian.cu filters the image."""
    return len(launches) == 1 and launches[0][0][0] == "filters/gaussian.cu"


def _bell(sigma, truncate):
    """The struct Bell of gaussian_line.cuh; an axis without a sigma stays as it is."""
    weights = bell(sigma, truncate) if sigma > LEAST_SIGMA else (0, 0.0, 1.0)
    return np.array(weights, _BELL)[()]


def samples():
    """Plans that together ask for every kernel of this room."""
    for dtype, shape in itertools.product(C_NAMES, ((4, 4), (4, 4, 32))):
        image, channels = Array(shape, np.dtype(dtype)), 2 if len(shape) > 2 else None
        for sigma in (1, 9):
            yield unsharp_mask(image, sigma, channel_axis=channels)
            yield difference_of_gaussians(image, sigma, channel_axis=channels)
        yield unsharp_mask(image, 1)
