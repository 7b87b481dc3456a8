"""What resize and the pyramids share: an image smoothed and brought to another shape."""

import itertools
import math

import numpy as np

from ...device.dtypes import c_name
from ...device.launches import Array, Cost, Launch, Launches
from ...devices import xp
from ...plan import Declined, Plan
from ...primitives.gaussian import bell
from ...primitives.stencils import BOUNDARY, LEAST_SIGMA, radius
from ..filters.gaussian import gaussian
from ._interpolation import Clipping, clipped

MOST_RESIZED = 3  # axes
TRUNCATE = 4.0  # of the Gaussian, in sigmas
_RESIZE, _REDUCE = "transform/resize.cu", "transform/reduce.cu"
_PAIR = "transform/reduce_pair.cu"
_PAIR_RADIUS, _ROWS, _COLUMNS = 16, 32, 64  # MOST_RADIUS, MOST_ROWS and MOST_COLUMNS there
_LEAST_ROWS = 4
_SHARED = 40 << 10  # bytes for a tile: some fit beside each other
_MOST_ELEMENTS = 1 << 62
_MOST_RADIUS = 2048  # whose weights fit into shared memory
_LONG = 32  # elements behind an axis that are columns by themselves
_THREADS, _DOWN = 256, 8  # TILE_THREADS and DOWN in transform/lines.cuh
_LINES = np.dtype(
    [("lines", "i8"), ("columns", "i8"), ("across_bits", "i4"), ("narrow", "i4"), ("down", "i4")],
    align=True,
)
_AXIS = [("size", "i4"), ("made", "i4"), ("mode", "i4"), ("zoom", "f8")]
_AXIS = np.dtype([*_AXIS, ("radius", "i8"), ("exponent", "f8"), ("norm", "f8")], align=True)
_REDUCTION = [("a", _AXIS), ("b", _AXIS), ("tiles", "i8"), ("inner", "i4")]
_REDUCTION = [*_REDUCTION, ("rows", "i4"), ("columns", "i4"), ("pitch", "i4")]
_REDUCTION = np.dtype(_REDUCTION, align=True)  # the struct Reduction of reduce_pair.cu
_ENOUGH = 512  # tiles: some for each multiprocessor
_UNCHANGED = (1.0, -math.inf)  # scaling of numbers that are floating already
# scipy.ndimage's names of the modes
NDIMAGE = {
    "constant": "grid-constant",
    "edge": "nearest",
    "symmetric": "reflect",
    "reflect": "mirror",
    "wrap": "grid-wrap",
}


def resampled(image, shape, sampling, sigmas, smooth_mode) -> Plan:
    """The image smoothed by `sigmas`, where they are above 0, and brought to `shape`.

    Parameters
    ----------
    image : Array
        That of the parameter ``image``.
    shape : tuple of int
    sampling : Sampling
    sigmas : sequence of float
        One for each axis.
    smooth_mode : str
        scipy.ndimage's mode for the Gaussian.
    """
    if math.prod(shape) > _MOST_ELEMENTS:
        raise Declined("output_shape makes more elements than any memory holds; give a smaller one")
    smoothed = [axis for axis, sigma in enumerate(sigmas) if sigma > LEAST_SIGMA]
    reach = max((radius(sigmas[axis], TRUNCATE) for axis in smoothed), default=0)
    apart = smoothed and (sampling.order > 1 or reach > _MOST_RADIUS)
    resized = [
        axis
        for axis, (new, old) in enumerate(zip(shape, image.shape, strict=True))
        if (apart or axis not in smoothed) and (new != old or sampling.shows_ends(old))
    ]
    if not smoothed and not resized and image.dtype == sampling.dtype:
        return _copied(image)
    enlarged = any(new > old for new, old in zip(shape, image.shape, strict=True))
    mixed = bool(enlarged and sampling.order) or bool(smoothed)
    settled = (not smoothed and not resized) or (not mixed and sampling.order < 2)
    how = {"settled": settled, "mixed": mixed, "smoothed": reach > _MOST_RADIUS}
    if apart:
        filtered = _filtered(image, sigmas, sampling, smooth_mode)

    def build(limits, seen):
        steps, current, scaling = [], image, sampling.scaling
        if apart:
            steps, current, scaling = [*filtered.steps], filtered.result, _UNCHANGED
        # what shrinks most goes first
        together = [] if apart else sorted(smoothed, key=lambda a: shape[a] / image.shape[a])
        left = resized
        pair = _pair_of(image, shape, together, left, sigmas, smooth_mode, sampling)
        if pair:
            together, left = [axis for axis in together if axis not in pair], ()
        for axis in together:
            last = limits if axis == together[-1] and not resized else None
            args = axis, shape[axis], sigmas[axis], BOUNDARY[smooth_mode], sampling, scaling, last
            step, current = _smooth_and_sample(current, *args)
            steps.append(step)
            scaling = _UNCHANGED
        if pair:
            args = pair, shape, sigmas, BOUNDARY[smooth_mode], sampling, scaling
            step, current = _smooth_and_sample_pair(current, *args)
            steps.append(step)
        elif left or not steps:
            more, current = _sample(current, left, shape, sampling, scaling, limits, seen)
            steps += more
        return Launches(steps, current)

    return clipped(image, sampling, Clipping.of(sampling, **how), build)


def _copied(image):
    """A new array, though nothing changes."""

    def run(image):
        return xp.array(image, dtype, order="C").reshape(shape)

    shape, dtype = image.shape, image.dtype
    return Plan(run, cost=Cost(1, image.nbytes, image.nbytes))


def _filtered(image, sigmas, sampling, mode):
    """Launches of the Gaussian filter."""
    options = {"mode": mode, "cval": sampling.cval}
    options["preserve_range"] = sampling.scaling == _UNCHANGED
    launches = gaussian(image, tuple(map(float, sigmas)), **options).launches
    first = launches.steps[0]
    first = first._replace(arguments=(image, *first.arguments[1:]))
    return Launches((first, *launches.steps[1:]), launches.result)


def _smooth_and_sample(image, axis, made, sigma, smooth_mode, sampling, scaling, limits):
    """One axis smoothed and made as long as `made`."""
    shape = image.shape
    outer, length, inner = math.prod(shape[:axis]), shape[axis], math.prod(shape[axis + 1 :])
    result = Array((*shape[:axis], made, *shape[axis + 1 :]), sampling.dtype)
    reach, exponent, norm = bell(sigma, TRUNCATE)
    types = f"{c_name(image.dtype)}, {c_name(result.dtype)}"
    lead = inner >= _LONG
    lines, columns = (outer * made, inner) if lead else (outer, made * inner)
    args = (image, result, length, inner, made, lead, lines_of(lines, columns), length / made)
    args += (reach, exponent, norm, np.int32(smooth_mode))
    args += (sampling.boundary, sampling.cval, *scaling, limits)
    expression = f"smooth_and_sample<{sampling.order}, {types}>"
    work = work_of(lines, columns)
    return Launch(_REDUCE, expression, args, work, _THREADS, (2 * reach + 1) * 8), result


def _pair_of(image, shape, smoothed, resized, sigmas, smooth_mode, sampling):
    """Two axes beside each other that one launch brings to their lengths at the end, or None.

    They are the last two that are smoothed, or the last one and the only one that is not. The
    first becomes shorter, and so does the second if it is smoothed: then no coordinate lies beyond
    the ends, and no limits are asked for.
    """
    pair = [*smoothed[-1:], *resized] if resized else smoothed[-2:]
    if not smoothed or len(pair) != 2 or sampling.order != 1 or sampling.constant:
        return None
    a, b = pair
    if b != a + 1:
        return None
    if image.shape[a] <= shape[a]:
        return None
    if image.shape[b] <= shape[b] and (not resized or sampling.mode == "wrap"):
        return None
    reaches = [radius(sigmas[axis], TRUNCATE) if axis in smoothed else 0 for axis in pair]
    if max(reaches) > _PAIR_RADIUS or image.shape[b] > (2 * reaches[1] + 2) * shape[b]:
        return None  # windows along the second axis leave elements out
    behind = math.prod(shape[b + 1 :])
    if max(math.prod(image.shape[a:]), math.prod(shape[a:])) >= 2**31 or behind >= _LONG:
        return None
    least = _LEAST_ROWS * _pitch(image.shape[b] / shape[b], reaches[1], 1, behind)
    if least * sampling.dtype.itemsize > _SHARED:
        return None
    return a, b


def _smooth_and_sample_pair(image, pair, shape, sigmas, smooth_mode, sampling, scaling):
    """Two axes smoothed, where they are, and brought to their lengths."""
    a, b = pair
    made = tuple(shape[axis] if axis in pair else n for axis, n in enumerate(image.shape))
    result = Array(made, sampling.dtype)
    reduction = np.zeros((), _REDUCTION)
    for name, axis in zip("ab", pair, strict=True):
        its = reduction[name]
        its["size"], its["made"] = image.shape[axis], made[axis]
        its["zoom"] = image.shape[axis] / made[axis]
        is_smoothed = sigmas[axis] > LEAST_SIGMA
        its["mode"] = smooth_mode if is_smoothed else sampling.boundary
        bells = bell(sigmas[axis], TRUNCATE) if is_smoothed else (0, 0.0, 1.0)
        its["radius"], its["exponent"], its["norm"] = bells
    reduction["inner"] = inner = math.prod(made[b + 1 :])
    rows, columns = _ROWS, max(1, _COLUMNS // inner)
    zoom, reach = float(reduction["b"]["zoom"]), int(reduction["b"]["radius"])
    while rows * _pitch(zoom, reach, columns, inner) * sampling.dtype.itemsize > _SHARED:
        rows, columns = (rows, columns // 2) if columns > 1 else (rows // 2, columns)
    wide = _pitch(zoom, reach, columns, inner)
    strips = math.prod(made[:a]) * -(-made[b] // columns)
    while rows > _LEAST_ROWS and strips * -(-made[a] // rows) < _ENOUGH:
        rows //= 2
    reduction["rows"], reduction["columns"], reduction["pitch"] = rows, columns, wide
    reduction["tiles"] = tiles = strips * -(-made[a] // rows)
    args = image, result, reduction[()], *scaling
    types = f"{c_name(image.dtype)}, {c_name(result.dtype)}"
    smoothed = "true" if sigmas[b] > LEAST_SIGMA else "false"
    expression = f"smooth_and_sample_pair<{types}, {smoothed}>"
    shared = rows * wide * sampling.dtype.itemsize
    return Launch(_PAIR, expression, args, tiles * _THREADS, _THREADS, shared), result


def _pitch(zoom, reach, columns, inner):
    """Elements that so many pixels along the second axis are made of, at most."""
    return (math.ceil(columns * zoom) + 2 * reach + 3) * inner


def _sample(image, axes, shape, sampling, scaling, limits, seen):
    """Axes that change their length, all at once."""
    made = [
        new if axis in axes else old
        for axis, (new, old) in enumerate(zip(shape, image.shape, strict=True))
    ]
    if axes:
        order = sampling.order
        steps, coefficients, scaling, pad = sampling.prefiltered(image, axes, scaling)
    else:  # SciPy then interpolates nothing
        axes, order, steps, coefficients, pad = [0], 1, [], image, 0
    sizes = _sizes(image.shape, made, coefficients.shape, axes, pad)
    result = Array(tuple(made), sampling.dtype)
    types = f"{c_name(coefficients.dtype)}, {c_name(result.dtype)}"
    args = (coefficients, result, sizes, sampling.boundary, sampling.cval)
    args += (*scaling, limits, seen)
    expression = f"resize_image<{order}, {len(axes)}, {types}>"
    work = work_of(*sizes["shape"][["lines", "columns"]].tolist())
    return [*steps, Launch(_RESIZE, expression, args, work, _THREADS)], result


def _sizes(old, made, padded, axes, pad):
    """The struct Sizes of resize.cu."""
    count = len(axes)
    fields = [("beside", "i8", count + 1), ("made", "i8", count)]
    fields += [("beside_stride", "i8", count + 1), ("stride", "i8", count)]
    fields += [("size", "i8", count), ("zoom", "f8", count), ("pad", "i8")]
    fields += [("shape", _LINES), ("lead", "i4")]
    sizes = np.zeros((), np.dtype(fields, align=True))
    ends = [-1, *axes, len(old)]
    for place, (before, after) in enumerate(itertools.pairwise(ends)):
        sizes["beside"][place] = math.prod(old[before + 1 : after])
        sizes["beside_stride"][place] = math.prod(padded[after:])
    for place, axis in enumerate(axes):
        sizes["made"][place] = made[axis]
        sizes["size"][place] = padded[axis]
        sizes["stride"][place] = math.prod(padded[axis + 1 :])
        sizes["zoom"][place] = old[axis] / made[axis]
    behind = math.prod(made[axes[-1] + 1 :])
    columns = behind if behind >= _LONG else made[axes[-1]] * behind
    sizes["shape"] = lines_of(math.prod(made) // columns, columns)
    sizes["pad"], sizes["lead"] = pad, count - (behind < _LONG)
    return sizes[()]


def lines_of(lines, columns):
    """The struct LinesShape of transform/lines.cuh."""
    bits = min(8, max(5, (columns - 1).bit_length()))
    tiles = -(-columns // (1 << bits)) * -(-lines // (_THREADS >> bits))  # of one place
    down = min(_DOWN, max(1, tiles // _ENOUGH))
    return np.array((lines, columns, bits, lines * columns < 2**32, down), _LINES)[()]


def work_of(lines, columns):
    """Threads for all tiles."""
    shape = lines_of(lines, columns)
    across, down = 1 << int(shape["across_bits"]), int(shape["down"])
    return -(-columns // across) * -(-lines // (_THREADS // across * down)) * _THREADS
