"""Gaussians along axes: a fused kernel for pairs of axes, one launch an axis for large radii."""

import functools
import math

import numpy as np

from ..device.dtypes import C_NAMES, c_name
from ..device.launches import Array, Launch, Launches
from ..device.shared import most_dynamic
from .stencils import BOUNDARY, LEAST_SIGMA, plain, radius

# Largest radius of the fused kernel (PAIR_RADIUS in gaussian_pair.cuh).
FUSED_RADIUS = 16
# The same of kernels of one axis and what is made of it (ROW_RADIUS there).
ROW_RADIUS = 120
# Elements behind an axis from which its neighbours are filtered down columns.
COLUMNS = 32
_PITCH = 64  # columns of a tile with its halo (PAIR_PITCH there)
_ENOUGH = 1024  # tiles for all of a large device; fewer large ones are made smaller
_TILING = np.dtype([("down", "i8"), ("across", "i8"), ("all", "i8"), ("rows", "i4")], align=True)


def in_double(image, sigmas, mode="nearest", cval=0, *, preserve_range=False, truncate=4.0):
    """`gaussian` of a C-contiguous image, rounded as SciPy rounds: for differences of its elements.

    Sums are in double, whatever the image's dtype, and each axis is rounded to its floating
    type. Launches and bytes are those of `gaussian`.
    """
    given = Array.given("image", image)
    args = {"preserve_range": preserve_range, "truncate": truncate}
    return Launches(*steps_in_double(given, sigmas, mode, cval, **args))(image=image)


def steps_in_double(image, sigmas, mode="nearest", cval=0, *, preserve_range=False, truncate=4.0):
    """As `in_double`, for an `Array`: a list of launches, and the array that they make."""
    dtype, modes = working(image.dtype), modes_of(mode, sigmas)
    args = dtype, bool(preserve_range), plain(truncate), modes, *sigmas
    return steps_of(image, *args, cval=float(cval), sums=DOUBLE)


def modes_of(mode, sigmas):
    """Number of each axis's mode; that of an axis that is not filtered may be anything."""
    names = [mode] * len(sigmas) if isinstance(mode, str) else mode
    return tuple(
        BOUNDARY[name] if sigma > LEAST_SIGMA else 0
        for name, sigma in zip(names, sigmas, strict=True)
    )


# Typed: a float32 sigma gives SciPy other weights than a Python float does.
@functools.lru_cache(maxsize=256, typed=True)
def planned(shape, source, into, preserve_range, truncate, modes, *sigmas, sums=None):
    """What is to be launched: kernel, its arguments before and after `cval`, the grid.

    `sums`: type of sums, where it is not to be that of the result.
    """
    launches = []
    for axes in plan(sigmas, truncate):
        weights = [sigmas[axis] for axis in axes]
        scaling = conversion(source, preserve_range)
        describe = _pair
        if axes and radius(weights[0], truncate) > FUSED_RADIUS:
            describe = _line
        types = (source, into, sums or _accumulator(source, into))
        launches.append(describe(shape, types, axes, weights, truncate, modes, scaling))
        source = into
    return launches


def launches_of(shape, source, into, *args, cval, sums=None) -> Launches:
    """What `planned` gives, one after the other, for the array of the parameter ``image``."""
    image = Array(shape, source, "image")
    return Launches(*steps_of(image, into, *args, cval=cval, sums=sums))


def steps_of(image, into, *args, cval, sums=None):
    """As `launches_of`, for any `Array`: a list of launches, and the array that they make."""
    launches = planned(image.shape, image.dtype, into, *args, sums=sums)
    result = Array(image.shape, into)
    return chained(launches, image, result, cval), result


def chained(launches, image, result, cval) -> list[Launch]:
    """Steps that bring `image` into `result` by what `planned` gives, one after the other."""
    spare, here = Array(result.shape, result.dtype), image
    steps = []
    for kernel, before, after, size in launches:
        there = spare if (len(launches) - len(steps)) % 2 == 0 else result
        over = (there,) if len(steps) > 1 else ()
        steps.append(Launch(*kernel, (here, there, *before, cval, *after), **size, over=over))
        here = there
    return steps


def fits(sigmas, truncate=4.0):
    """Whether tiles with the halo of these Gaussians fit on the chip."""
    return all(s <= LEAST_SIGMA or radius(s, truncate) <= FUSED_RADIUS for s in sigmas)


def plan(sigmas, truncate):
    """Axes that each launch filters: pairs where both radii are small, else single ones."""
    axes = [axis for axis, sigma in enumerate(sigmas) if sigma > LEAST_SIGMA]
    small = {axis for axis in axes if radius(sigmas[axis], truncate) <= FUSED_RADIUS}
    steps = []
    while axes:
        last = axes.pop()
        paired = last in small and axes and axes[-1] in small
        steps.append((axes.pop(), last) if paired else (last,))
    return steps[::-1] or [()]


def _pair(shape, types, axes, sigmas, truncate, modes, scaling):
    """Two axes at once, or one or none with other axes beside them."""
    modes = [modes[axis] for axis in axes]
    if len(axes) == 2:
        a, b = axes
        between = math.prod(shape[a + 1 : b])
        view = (math.prod(shape[:a]), shape[a], between, shape[b], math.prod(shape[b + 1 :]))
    elif axes:
        (axis,) = axes
        outer, inner = math.prod(shape[:axis]), math.prod(shape[axis + 1 :])
        if inner < COLUMNS:
            view = (1, outer, 1, shape[axis], inner)
            sigmas, modes = (None, *sigmas), (0, *modes)
        else:
            view = (outer, shape[axis], 1, inner, 1)
            sigmas, modes = (*sigmas, None), (*modes, 0)
    else:  # rows of as many axes as fill a tile
        sizes = [(math.prod(shape[:k]), math.prod(shape[k:])) for k in range(len(shape))]
        rows, columns = next((s for s in reversed(sizes) if s[1] >= COLUMNS), sizes[0])
        view = (1, rows, 1, columns, 1)
        sigmas, modes = (None, None), (0, 0)
    source, into, sums = types
    elements = _accumulator(source, into)
    taps = pair_taps(*sigmas, truncate, weight_of(elements) if sums == DOUBLE else sums)
    tiling, size = _tiles(view, taps, elements.itemsize)
    return (
        ("filters/gaussian.cu", f"gaussian_pair<{_names(*types)}>"),
        (*view, *(np.int32(mode) for mode in modes)),
        (*scaling, tiling, taps),
        size,
    )


def _tiles(view, taps, itemsize):
    """The struct PairTiling of gaussian_pair.cuh, and the launch's size."""
    outer, length, between, width, inner = view
    reach_a, reach_b = int(taps["radius_a"]), int(taps["radius_b"])
    across = -(-width // (_PITCH - 2 * reach_b))
    for rows in (64, 32, 16):
        down = -(-length // rows)
        tiles = outer * between * inner * down * across
        shared = (2 * (rows + reach_a) * _PITCH + 16) * itemsize  # 16: LANES in tile.cuh
        if shared <= most_dynamic("gaussian_pair") and tiles >= _ENOUGH:
            break
    tiling = np.array((down, across, tiles, rows), _TILING)
    return tiling[()], {"work": tiles * 256, "block": (32, 8), "shared": shared}


def _line(shape, types, axes, sigmas, truncate, modes, scaling):
    """One axis, for any radius."""
    (axis,), (sigma,) = axes, sigmas
    way, view, size = line(shape, axis, types[-1].itemsize)
    return (
        ("filters/gaussian_line.cu", f"gaussian_{way.lower()}<{_names(*types)}>"),
        (*bell(sigma, truncate), *view, np.int32(modes[axis])),
        scaling,
        size,
    )


def line(shape, axis, itemsize):
    """The way of gaussian_line.cuh along one axis, the array's view, and the launch's size."""
    outer, length, inner = math.prod(shape[:axis]), shape[axis], math.prod(shape[axis + 1 :])
    if inner < COLUMNS:
        way, block = "Rows", (64, 4)
        tiles = -(-outer // 8) * -(-length * inner // 128)
        elements = 8 * (128 + 256) + 8 * 128 + 257
    else:
        way, block = "Columns", (32, 8)
        tiles = outer * -(-length // 32) * -(-inner // 32)
        elements = (32 + 63) * 32 + 32 * 32 + 64
    size = {"work": tiles * 256, "block": block, "shared": elements * itemsize}
    return way, (outer, length, inner), size


def bell(sigma, truncate):
    """Radius, exponent and norm of the weights ``exp(exponent * t**2) * norm``."""
    reach = radius(sigma, truncate)
    exponent = -0.5 / (sigma * sigma)
    total = np.exp(exponent * np.arange(-reach, reach + 1) ** 2).sum()
    return reach, float(exponent), 1 / float(total)


def pair_taps(sigma_a, sigma_b, truncate, dtype, most=(FUSED_RADIUS, FUSED_RADIUS)):
    """The struct PairTaps of gaussian_pair.cuh; a sigma of None leaves its axis as it is.

    `most`: the largest radii that the struct has room for.
    """
    lengths = (2 * largest + 1 for largest in most)
    fields = [(f"along_{n}", dtype, length) for n, length in zip("ab", lengths, strict=True)]
    taps = np.zeros((), [*fields, ("radius_a", np.int32), ("radius_b", np.int32)])
    for name, sigma in (("a", sigma_a), ("b", sigma_b)):
        reach = 0 if sigma is None else radius(sigma, truncate)
        weights = np.ones(1)
        if reach:
            # scipy.ndimage._filters._gaussian_kernel1d
            weights = np.exp(-0.5 / (sigma * sigma) * np.arange(-reach, reach + 1) ** 2)
            weights = weights / weights.sum()
        taps[f"along_{name}"][: 2 * reach + 1] = split(weights, dtype)
        taps[f"radius_{name}"] = reach
    return taps[()]


def split(weights, dtype):
    """Weights in double; as WEIGHT each with the nearest float, and the nearest one to the rest."""
    if dtype != WEIGHT:
        return weights
    parts = np.zeros(weights.shape, WEIGHT)
    parts["whole"] = parts["high"] = weights
    parts["low"] = weights - parts["high"]
    return parts


def weight_of(dtype):
    """Type of the weights of sums in double that are rounded to `dtype`."""
    return WEIGHT if dtype == _SINGLE else DOUBLE


def conversion(dtype, preserve_range):
    """Scale and lowest value of the conversion to floating point in the load."""
    if preserve_range or dtype.kind not in "iu":
        return 1.0, -math.inf
    return 1.0 / np.iinfo(dtype).max, -1.0


_SINGLE, DOUBLE = np.dtype(np.float32), np.dtype(np.float64)
# Weight in float_sums.cuh
WEIGHT = np.dtype([("whole", "f8"), ("high", "f4"), ("low", "f4")], align=True)


def working(dtype):
    """Floating type that scikit-image filters an image in."""
    return _SINGLE if dtype.kind == "f" and dtype.itemsize < 8 else DOUBLE


def _accumulator(source, into):
    """Computing type (Accumulator in gaussian_taps.cuh)."""
    return _SINGLE if working(source) == into == _SINGLE else DOUBLE


def _names(source, into, sums):
    """Template arguments: the type of sums where it is not the kernel's own choice."""
    names = [source, into] if sums == _accumulator(source, into) else [source, into, sums]
    return ", ".join(map(c_name, names))


def specializations():
    """Every specialization that `gaussian` can ask for, as (source, expression)."""
    for image in C_NAMES.values():
        for result in ("float", "double"):
            yield "filters/gaussian.cu", f"gaussian_pair<{image}, {result}>"
            yield "filters/gaussian_line.cu", f"gaussian_rows<{image}, {result}>"
            yield "filters/gaussian_line.cu", f"gaussian_columns<{image}, {result}>"
    for image in ("float16", "float"):
        yield "filters/gaussian.cu", f"gaussian_pair<{image}, float, double>"
        yield "filters/gaussian_line.cu", f"gaussian_rows<{image}, float, double>"
        yield "filters/gaussian_line.cu", f"gaussian_columns<{image}, float, double>"
