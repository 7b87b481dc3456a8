"""Hessians by differences of images of more than two axes, and their determinants.

Budget of volumes, for a Gaussian's radius up to 16 (``int(4 * sigma + 0.5)``) along the last two
axes: 2 launches. The first smooths along the first axis, the second along the others, and writes
each result once. Up to 120 along the last axis: 3 launches, 1 an axis. Otherwise: the launches
of `in_double`, which smooths the image, and 1, which reads the smoothed image and writes each
result once. One more launch makes a strided image contiguous.
"""

import functools

import cupy as cp
import numpy as np

from ..accept._hessian import MOST_AXES
from ..device import c_name, launch
from ..primitives.gaussian import DOUBLE, ROW_RADIUS, fits, in_double, pair_taps
from ..primitives.smooth_tile import SIZE
from ..primitives.stencils import BOUNDARY, LEAST_SIGMA, radius

_SOURCE = "feature/hessian_nd.cu"
_SOURCE_3D = "feature/hessian_3d.cu"
_MARGIN = 2  # neighbours on each side that a second difference of differences reaches
_RING, _DEPTH = 5, 16  # RING and DEPTH in hessian_3d.cu


def hessian_nd(image, sigmas, mode, cval):
    """Elements of the upper triangle, row by row, as views of one stack."""
    count = image.ndim * (image.ndim + 1) // 2
    return list(_differences("hessian", (count,), image, sigmas, mode, cval))


def determinant_nd(image, sigmas):
    """The determinant, in NumPy's way: by elimination, in double."""
    return _differences("determinant", (), image, sigmas, "constant", 0)


def _differences(kernel, stack, image, sigmas, mode, cval):
    image = cp.ascontiguousarray(image)
    if image.ndim == 3 and radius(sigmas[2], 4.0) <= ROW_RADIUS:
        first, second, third = sigmas
        both = fits((second, third))
        image = in_double(image, (first, 0 if both else second, 0), mode, cval)
        results = cp.empty((*stack, *image.shape), image.dtype)
        left = (second if both else 0, third)
        size, taps, grid = _tiles(image.shape, image.dtype, *left)
        rows = "" if fits(left) else ", RowTaps<double>"
        mode = np.int32(BOUNDARY.get(mode, 0))  # any, where nothing is smoothed
        args = (image, results, *image.shape, mode, float(cval), size, taps)
        launch(_SOURCE_3D, f"{kernel}_3d<{c_name(image.dtype)}{rows}>", args, **grid)
        return results
    image = in_double(image, sigmas, mode, cval)
    results = cp.empty((*stack, *image.shape), image.dtype)
    lengths = np.array((image.shape,), [("along", "i8", image.ndim)])[()]
    expression = f"{kernel}_nd<{c_name(image.dtype)}, {image.ndim}>"
    launch(_SOURCE, expression, (image, results, image.size, lengths), work=image.size)
    return results


# A typed cache: a float32 sigma gives SciPy other weights than a Python float does.
@functools.lru_cache(maxsize=256, typed=True)
def _tiles(shape, dtype, *sigmas):
    """The structs SmoothSize and PairTaps, or RowTaps, and the launch's size."""
    room = () if fits(sigmas) else ((0, ROW_RADIUS),)
    taps = pair_taps(*(s if s > LEAST_SIGMA else None for s in sigmas), 4.0, DOUBLE, *room)
    radius_a, radius_b = int(taps["radius_a"]), int(taps["radius_b"])
    for height, width in ((16, 60), (16, 28), (8, 28), (8, 12), (4, 28)):
        rows, columns = height + 2 * _MARGIN, width + 2 * _MARGIN
        pitch = (columns + 2 * radius_b + 15) // 16 * 16  # smooth_pitch
        elements = (2 * rows + 2 * radius_a) * pitch + _RING * rows * columns
        if elements * dtype.itemsize <= 48 * 1024:
            break
    tiles = -(-shape[0] // _DEPTH) * -(-shape[1] // height) * -(-shape[2] // width)
    size = np.array((height, width, _MARGIN), SIZE)[()]
    shared = elements * dtype.itemsize
    return size, taps, {"work": tiles * 256, "block": (32, 8), "shared": shared}


def specializations():
    """Every specialization that these ops can ask for, as (source, expression)."""
    for dtype in ("float", "double"):
        for rows in ("", ", RowTaps<double>"):
            yield _SOURCE_3D, f"hessian_3d<{dtype}{rows}>"
            yield _SOURCE_3D, f"determinant_3d<{dtype}{rows}>"
        for axes in range(3, MOST_AXES + 1):
            yield _SOURCE, f"hessian_nd<{dtype}, {axes}>"
            yield _SOURCE, f"determinant_nd<{dtype}, {axes}>"
