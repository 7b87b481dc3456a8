"""Hessians by derivatives of Gaussians, axis by axis, of 2-D and 3-D images.

Each element of the Hessian takes every axis twice, by smoothing (S) or slope (D). All that an
axis does is one launch (ridge_lines.cuh): it reads what the axis before has made and writes one
array for each pair of S and D that occurs.
"""

import functools
import math

import numpy as np

from ..device import c_name
from ..device.dtypes import C_NAMES
from ..device.launches import Launch
from ..trouble import Declined
from .arguments import is_real
from .gaussian import DOUBLE, split
from .stencils import LEAST_SIGMA, refuse_constants

SOURCE = "filters/ridges.cu"
NOT_FINITE = (
    "image has NaN, infinities or numbers whose derivatives are infinite; give finite numbers, as "
    "numpy.nan_to_num(image), which changes the result"
)
AS_IT_IS = (1.0, -math.inf)  # scaling
HELD = "Held"  # of common/fixed.cuh: a number of 8 bytes
LINE_RADIUS = 120  # LINE_RADIUS of ridge_lines.cuh
MOST_SIGMA = 21  # whose Gaussian has this radius
_MOST_JOBS = 6
_BLOCK = 256
_THIRD, _MOST = 100 * 1024 // 3 - 1168, 48 * 1024  # bytes; CUDA takes 1 kB of each, a kernel 144
_TILES = (160, _THIRD), (128, _THIRD), (96, _THIRD), (128, _MOST), (96, _MOST), (64, _MOST)
_JOBS = np.dtype(
    [(name, "i4", _MOST_JOBS) for name in ("source", "first", "second")] + [("count", "i4")]
)


def line_jobs(*jobs):
    """The struct LineJobs of ridge_lines.cuh: jobs as (source, first and second filter)."""
    struct = np.zeros((), _JOBS)
    struct["count"] = len(jobs)
    for place, (source, both) in enumerate(jobs):
        struct["source"][place] = source
        struct["first"][place], struct["second"][place] = ("SD".index(kind) for kind in both)
    return struct[()]


# What each axis does, the first one first, in the order in which scikit-image applies S and D;
# by order of axes and number of axes. The last axis makes the Hessian's upper triangle, row by
# row (of "xy" the lower one, from its end on).
AXES = {
    ("rc", 2): (
        line_jobs((0, "SS"), (0, "DS"), (0, "DD")),
        line_jobs((2, "SS"), (1, "SD"), (0, "DD")),
    ),
    ("xy", 2): (
        line_jobs((0, "SS"), (0, "SD"), (0, "DD")),
        line_jobs((0, "DD"), (1, "DS"), (2, "SS")),
    ),
    ("rc", 3): (
        line_jobs((0, "SS"), (0, "DS"), (0, "DD")),
        line_jobs((0, "SS"), (0, "DS"), (0, "DD"), (1, "SS"), (1, "SD"), (2, "SS")),
        line_jobs((5, "SS"), (4, "SS"), (3, "SD"), (2, "SS"), (1, "SD"), (0, "DD")),
    ),
}


def refuse_lines(sigmas, mode, cval):
    """Refuse sigmas, modes and constants that derivatives of Gaussians are not made with."""
    for sigma in sigmas:
        if not is_real(sigma) or not sigma > LEAST_SIGMA:
            raise Declined(
                "sigmas is not of positive numbers; give numbers above 0, as range(1, 10, 2)"
            )
        if sigma > MOST_SIGMA:
            raise Declined(f"sigmas has {sigma}; give numbers up to {MOST_SIGMA}")
    refuse_constants(mode, cval)


def is_held(dtype, ndim):
    """Whether derivatives of such an image may be in fixed point where cards are slow in double."""
    return ndim == 2 and dtype.itemsize == 1


def halo_of(sigmas):
    """Halo along each axis: derivatives of Gaussians are taken twice."""
    return [2 * int(line_taps(sigma, truncation(sigmas))["radius"]) for sigma in sigmas]


def steps_of(image, scaling, jobs, stacks, taps, mode, odd, between=None):
    """Launches that derive, one axis after the other, the first one first.

    Parameters
    ----------
    image : (M, N[, P]) Array
        Of any dtype.
    scaling : (float, float)
        A factor of its elements, and the lowest one after this.
    jobs : sequence of LineJobs
        Of as many axes as are to be done.
    stacks : sequence of (jobs, M, N[, P]) Array
        What each of them writes.
    taps : sequence of LineTaps
        Of each of them.
    mode : int
    odd : (1,) uint32 Array
        Becomes 1 where an element is not finite.
    between : str, optional
        HELD, where stacks hold that in place of doubles.
    """
    shape, steps = image.shape, []
    for axis, (todo, stack, weights) in enumerate(zip(jobs, stacks, taps, strict=True)):
        kernel = f"hessian_lines<{c_name(image.dtype)}, {between or c_name(stack.dtype)}>"
        arrays = (image, stack, odd)
        steps.append(line_step(shape, mode, kernel, axis, arrays, scaling, todo, weights))
        image, scaling = stack, AS_IT_IS
    return steps


def line_step(shape, mode, kernel, axis, arrays, scalars, jobs, taps, after=()):
    """The launch of a kernel whose tiles are lines along `axis`."""
    outer, inner = math.prod(shape[:axis]), math.prod(shape[axis + 1 :])
    count = int(jobs["count"])
    lines, width, shared = _tile(int(taps["radius"]), count)
    groups, members = (1, outer) if inner == 1 else (outer, inner)
    tiles = groups * -(-members // lines) * -(-shape[axis] // width)
    tile = (np.int32(mode), np.int32(lines), np.int32(width))
    arguments = (*arrays, outer, shape[axis], inner, *tile, *scalars, jobs, taps, *after)
    return Launch(SOURCE, kernel, arguments, tiles * _BLOCK, _BLOCK, shared)


@functools.cache
def _tile(radius, jobs):
    """Lines and width of a tile, and its bytes of shared memory, 48 kB at most.

    Four lines, whose doubles make a sector, and as wide as may be, since the first filter's halo is
    worked on, too: three blocks at once where a multiprocessor has 100 kB, if that is wide enough.
    """
    lines = 4
    for width, most in _TILES:
        row = line_pitch(width, 4 * radius) + line_pitch(width, 2 * radius) + jobs * width
        size = (lines * row + 2 * (radius + 1)) * DOUBLE.itemsize
        if size <= most:
            break
    return lines, width, size


def line_pitch(width, halo):
    """Elements of a row of shared memory, as line_pitch of ridge_lines.cuh has them."""
    return (width + halo + 16 + 31) // 32 * 32 + 1


# A typed cache: a float32 sigma gives SciPy other weights than a Python float does.
@functools.lru_cache(maxsize=256, typed=True)
def line_taps(sigma, truncate):
    """The struct LineTaps of ridge_lines.cuh.

    The weights are those of `skimage.feature.hessian_matrix` and SciPy's Gaussian of order 0
    and 1. Those are left out that are too small to change a sum: for a sigma up to 1
    scikit-image reaches out to 100 of it.
    """
    sigma = 1 / math.sqrt(2) * sigma
    radius = int(truncate * float(sigma) + 0.5)
    variance = sigma * sigma
    distances = np.arange(-radius, 1)
    # scipy.ndimage._filters._gaussian_kernel1d
    smooth = np.exp(-0.5 / variance * np.arange(-radius, radius + 1) ** 2)
    smooth = (smooth / smooth.sum())[: radius + 1]
    slope = -distances / variance * smooth
    least = 2.0**-60
    counts = (smooth > least * smooth.max()) | (slope > least * slope.max())
    radius = min(int(np.count_nonzero(counts)) - 1, LINE_RADIUS)
    return taps_of(smooth[len(smooth) - radius - 1 :], slope[len(slope) - radius - 1 :])


def taps_of(smooth, slope, dtype=DOUBLE):
    """The struct LineWeights of weights from far to near, the centre's last, of this dtype."""
    weights = [(name, dtype, LINE_RADIUS + 1) for name in ("smooth", "slope")]
    struct = np.zeros((), np.dtype([*weights, ("radius", "i4")], align=True))
    for name, its in (("smooth", smooth), ("slope", slope)):
        struct[name][: len(its)] = split(its, dtype)
    struct["radius"] = len(smooth) - 1
    return struct[()]


def truncation(sigmas):
    """How many sigmas scikit-image's weights reach out."""
    return 8 if all(sigma > 1 for sigma in sigmas) else 100


def specializations():
    """Every specialization that `steps_of` can ask for, as (source, expression)."""
    for image in C_NAMES.values():
        yield SOURCE, f"hessian_lines<{image}, double>"
    for name in (name for name in C_NAMES if is_held(np.dtype(name), 2)):
        yield SOURCE, f"hessian_lines<{C_NAMES[name]}, {HELD}>"
    yield SOURCE, "hessian_lines<double, float>"
