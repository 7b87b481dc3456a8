"""skimage.transform: downscale_local_mean and resize_local_mean, means of what elements cover."""

import functools
import math

import numpy as np

from ...device import resident_blocks
from ...device.dtypes import C_NAMES, c_name
from ...device.launches import Array, Launch, Launches
from ...devices import to_host, xp
from ...plan import Declined, Idle, Invalid, Plan
from ...primitives.arguments import integer, is_real, truth
from ...primitives.gaussian import conversion, working
from ...scikit_image import version
from ._resampling import lines_of, work_of

_SOURCE = "transform/local_means.cu"
_BLOCK = 256
_MOST_FACTOR = 1 << 31
_VIEW = np.dtype([(name, "i8") for name in ("outer", "a", "between", "b", "inner")])
_MOST_ELEMENTS = 1 << 62
_LONGEST = 1 << 31


def downscale_local_mean(image, factors, cval=0, clip=True):
    """Means of whole blocks: `skimage.transform.downscale_local_mean`.

    1 launch for any two axes that get shorter; image read once, result written once. Each
    two axes more take 1 launch more, from means to means.
    """
    if not image.ndim:
        raise Declined("image has no axes; nothing to change")
    if np.isscalar(factors):
        factors = (factors,) * image.ndim
    if not isinstance(factors, tuple) or len(factors) != image.ndim:
        raise Invalid("factors are no tuple of one number for each axis")
    if not all(isinstance(f, int | np.integer) and not isinstance(f, bool) for f in factors):
        raise Declined("factors is not of integers; give integers, as (2, 2)")
    if any(isinstance(factor, np.uint64) for factor in factors):
        raise Declined("factors are of uint64, of which NumPy makes floats; give Python integers")
    factors = tuple(map(int, factors))
    if min(factors) < 1:
        raise Invalid("factors are less than 1")
    if max(factors) > _MOST_FACTOR:
        raise Declined(
            "factors has a number that is larger than any image; give numbers up to the "
            "image's shape"
        )
    if not image.size:
        raise Declined("image is empty; nothing to change")
    if not is_real(cval):
        raise Declined("cval is not a number; give one, as 0")
    if image.dtype.kind != "f" and not math.isfinite(cval):
        raise Declined(
            "cval is not finite and the image is of integers; give a finite number, as 0"
        )
    _refuse_long(image.shape)
    beyond = 0.0
    if any(size % factor for size, factor in zip(image.shape, factors, strict=True)):
        beyond = _beyond(image.dtype, cval)
    return _blocks(image.shape, image.dtype, factors, beyond)


def resize_local_mean(
    image, output_shape, grid_mode=True, preserve_range=False, *, channel_axis=None
):
    """Means of the area that a new element covers: `skimage.transform.resize_local_mean`.

    1 launch for any two axes that change; image read once, result written once. Each two
    axes more take 1 launch more. The ends of the areas, one number for each new row or
    column, are NumPy's and go to the device. Floating images: 4 bytes come to the host, since
    scikit-image's matrix products spread NaN and infinities along a line.
    """
    if not image.size or not image.ndim:
        raise Declined("image is empty, or has no axes; nothing to change")
    sizes = _new_sizes(image.shape, output_shape, channel_axis)
    grid_mode, keep = truth("grid_mode", grid_mode), truth("preserve_range", preserve_range)
    pairs = list(zip(image.shape, sizes, strict=False))
    if all(old == new for old, new in pairs):
        raise Declined(Idle("output_shape is the image's own; nothing to change"))
    if not grid_mode and any(old == 1 != new for old, new in pairs):
        raise Declined(
            "image has an axis of one pixel, which cannot be resized with grid_mode=False; give "
            "grid_mode=True, which changes the result"
        )
    if math.prod(map(max, pairs)) > _MOST_ELEMENTS:
        raise Declined("output_shape makes more elements than any memory holds; give a smaller one")
    _refuse_long(image.shape)
    return _areas(image.shape, image.dtype, sizes, grid_mode, keep)


def _refuse_long(shape):
    if max(shape) >= _LONGEST:
        raise Declined("image has an axis of 2**31 elements or more; give it in parts")


def _new_sizes(shape, output_shape, channel_axis):
    """New length of each axis of the image, and those of further axes, which are 1."""
    try:
        asked = tuple(output_shape)
    except TypeError:
        raise Invalid(
            "output_shape is not a sequence; give a length for each axis, as (256, 256)"
        ) from None
    if not all(isinstance(size, int | np.integer) for size in asked):
        raise Declined(
            "output_shape is not of positive integers; give integers from 1 on, as (256, 256)"
        )
    sizes, ndim = tuple(map(int, asked)), len(shape)
    if channel_axis is None:
        if len(sizes) < ndim - 1:
            raise Invalid("output_shape is too short")
        sizes = (*sizes, *shape[len(sizes) : ndim])
        sizes = sizes[:ndim] + (1,) * (len(sizes) - ndim)
    else:
        axis = integer("channel_axis", channel_axis)
        if not -ndim <= axis < ndim:
            raise Invalid("channel_axis is out of range")
        if not isinstance(output_shape, tuple):
            raise Invalid("output_shape is no tuple beside a channel axis")
        sizes = _with_channels(shape, sizes, axis % ndim)
    if min(sizes) < 1:
        raise Declined(
            "output_shape is not of positive integers; give integers from 1 on, as (256, 256)"
        )
    return sizes


def _with_channels(shape, sizes, axis):
    if len(sizes) == len(shape) - 1:
        return (*sizes[:axis], shape[axis], *sizes[axis:])
    if len(sizes) != len(shape):
        raise Invalid("output_shape has another length")
    if sizes[axis] != shape[axis]:
        raise Invalid("output_shape changes the channels")
    if version() >= (0, 27):
        return sizes
    # as scikit-image 0.26, which counts the axes from here on with the channels last
    *others, channels = sizes
    return (*others[:axis], channels, *others[axis:])


@functools.lru_cache(maxsize=256, typed=True)
def _beyond(dtype, cval):
    """What numpy.pad makes of a constant in the image's dtype."""
    try:
        with np.errstate(all="ignore"):
            return float(np.pad(np.zeros(1, dtype), (0, 1), constant_values=cval)[1])
    except (OverflowError, TypeError, ValueError):
        raise Invalid("cval is not one of the image's numbers") from None


@functools.lru_cache(maxsize=256)
def _blocks(shape, source, factors, beyond):
    here, dtype = Array(shape, source, "image"), _mean_dtype(source)
    pairs = _pairs([axis for axis, factor in enumerate(factors) if factor > 1])
    steps, areas = [], []
    for left, axes in zip(range(len(pairs))[::-1], pairs, strict=True):
        shape = list(here.shape)
        for axis in axes:
            shape[axis] = -(-shape[axis] // factors[axis])
        there = Array(tuple(shape), working(dtype) if left else dtype)
        by = [factors[axis] for axis in axes]
        by = [1] * (2 - len(by)) + by
        args = here, there, _view(here.shape, axes), *by, beyond
        steps.append(_step("block_means", (*args, np.int32(1)), there.size))
        areas.append(math.prod(by))
        here = there
    launches = Launches(steps, here)
    return Plan(functools.partial(_run, launches, areas), launches=launches)


@functools.lru_cache(maxsize=256)
def _areas(shape, source, sizes, grid_mode, preserve_range):
    here, dtype = Array(shape, source, "image"), working(source)
    scaling = conversion(source, preserve_range)
    odd = Array((1,), np.dtype(np.uint32), zero=True)
    steps, areas, lines = [], [], {}
    for axes in _pairs([axis for axis, old in enumerate(shape) if sizes[axis] != old]):
        made = list(here.shape)
        for axis in axes:
            made[axis] = sizes[axis]
        there = Array(tuple(made), dtype)
        boxes, cells = [sizes[axis] for axis in axes], [grid_mode] * len(axes)
        alone = len(axes) == 1
        if alone:
            boxes, cells = [1, *boxes], [True, *cells]
        ends = Array((sum(boxes) + 2,), np.dtype(float), f"ends_{len(steps)}")
        lines[ends.name] = alone, [(here.shape[axis], sizes[axis], grid_mode) for axis in axes]
        columns = sizes[axes[-1]] * math.prod(made[axes[-1] + 1 :])
        grid = there.size // columns, columns
        args = here, there, odd, _view(here.shape, axes), ends, *boxes, *cells, *scaling
        steps.append(_step("area_means", (*args, lines_of(*grid)), work_of(*grid)))
        areas.append(math.prod(here.shape[axis] // sizes[axis] + 1 for axis in axes))
        here, scaling = there, (1.0, -math.inf)
    launches = Launches(steps, (here, odd))

    def run(image):
        ends = {name: xp.asarray(_ends(dtype, *of)) for name, of in lines.items()}
        result, found = _run(launches, areas, image=image, **ends)
        if image.dtype.kind == "f" and to_host(found)[0]:
            raise Declined(
                "image has NaN or infinities; give finite numbers, as numpy.nan_to_num(image), "
                "which changes the result"
            )
        return result.reshape(*result.shape, *sizes[len(shape) :])

    return Plan(run, launches=launches)


def _ends(dtype, alone, axes):
    """Ends of the new elements of two axes, or of one behind another of one element."""
    breaks = [_breaks(*axis, dtype) for axis in axes]
    return np.concatenate([[0.0, 1.0]] * alone + breaks).astype(float)


def _breaks(old_size, new_size, grid_mode, dtype):
    """Ends of the new elements in units of old ones, as scikit-image's _local_mean_weights."""
    if grid_mode:
        return np.linspace(0, old_size, num=new_size + 1, dtype=dtype)
    old, new = old_size - 1, new_size - 1
    value = 0.5 * old / new if new else np.inf
    inner = np.linspace(value, old - value, new, dtype=dtype)
    return np.pad(inner, 1, "constant", constant_values=(0, old))


def _mean_dtype(dtype):
    """Type of numpy.mean."""
    return dtype if dtype.kind == "f" else np.dtype(float)


def _pairs(axes):
    """Axes for each launch, the last ones first; one launch also for none."""
    pairs = [axes[max(0, end - 2) : end] for end in range(len(axes), 0, -2)]
    return pairs or [[]]


def _view(shape, axes):
    """The struct View: the array around two axes, or one, or none."""
    if len(axes) == 2:
        a, b = axes
        between = math.prod(shape[a + 1 : b])
        view = math.prod(shape[:a]), shape[a], between, shape[b], math.prod(shape[b + 1 :])
    else:
        (b,) = axes or (len(shape) - 1,)
        view = math.prod(shape[:b]), 1, 1, shape[b], math.prod(shape[b + 1 :])
    return np.array(view, _VIEW)[()]


def _step(kernel, arguments, work):
    """Launch with one thread for each box; the last argument tells so."""
    here, there, *_ = arguments
    expression = f"{kernel}<{c_name(here.dtype)}, {c_name(there.dtype)}>"
    return Launch(_SOURCE, expression, arguments, work, _BLOCK)


def _run(launches, areas, **arrays):
    """The launches, with as many threads for each box of so many elements as suits the device."""
    steps = [_shared(*each) for each in zip(launches.steps, areas, strict=True)]
    return Launches(steps, launches.result)(**arrays)


def _shared(step, area):
    """So many threads for each box that few large ones keep the device busy."""
    team, enough = 1, _BLOCK * resident_blocks(_BLOCK)
    boxes = step.arguments[1].size
    while team < _BLOCK and 8 * team < area and boxes * team < enough:
        team *= 2
    if team == 1:
        return step
    kernel = step.expression.replace("area_means", "shared_area_means")
    arguments = *step.arguments[:-1], np.int32(team)
    return step._replace(expression=kernel, arguments=arguments, work=boxes * team)


def samples():
    """Plans that together ask for every kernel of this room."""
    for name in C_NAMES:
        image = Array((4, 4, 4), np.dtype(name))
        yield from (downscale_local_mean(image, 1), downscale_local_mean(image, 2))
        yield resize_local_mean(image, (3, 3, 3))


def specializations():
    """What few large boxes ask for in place of `area_means`."""
    for name, image in C_NAMES.items():
        yield _SOURCE, f"shared_area_means<{image}, {c_name(working(np.dtype(name)))}>"
