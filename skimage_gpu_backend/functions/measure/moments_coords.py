"""skimage.measure: moments of points.

Cost of every function here: 1 launch, which reads the points once for each four moments; their
center, where it is not given, takes one more and reads them once more.
"""

import functools

import numpy as np

from ...device import c_name, launch, resident_blocks
from ...device.dtypes import C_NAMES
from ...device.launches import MOST_BLOCKS, Cost
from ...devices import xp
from ...plan import Declined, Invalid, Plan
from ...primitives.arguments import integer, is_numeric, is_real

_SOURCE = "measure/moments.cu"
_BLOCK, _AT_ONCE, _MOST_AXES = 256, 4, 16  # as in the kernel


def moments_coords(coords, order=3):
    """Raw moments of points: `skimage.measure.moments_coords`."""
    return moments_coords_central(coords, 0, order=order)


def moments_coords_central(coords, center=None, order=3):
    """Moments of points around a center: `skimage.measure.moments_coords_central`."""
    shape, dtype, copies = _points(coords)
    points, axes = shape
    if points == 0 or axes == 0:
        raise Declined("coords is empty; nothing to change")
    order = integer("order", order)
    if order < 0:
        raise Invalid("order is negative; give an integer from 0 on, as 3")
    chunks = -(-(order + 1) // _AT_ONCE)
    rows = (order + 1) ** (axes - 1) * chunks
    if axes > _MOST_AXES or rows > MOST_BLOCKS:
        raise Declined(f"order makes too many moments of {axes} axes; give a lower one, as 3")
    single = np.dtype(np.float32) if dtype.char in "ef" else np.dtype(float)
    if center is None:
        centers, result = None, np.dtype(float)
    else:
        given = center if is_real(center) else _array(center)
        result = np.result_type(single, given)
        if result.itemsize > 8:
            raise Declined("center is wider than double precision; give it as float64")
        centers = _broadcast(given, axes)
    run = functools.partial(_moments, centers, order, rows, result)
    nbytes = points * axes * dtype.itemsize
    made = 8 * (order + 1) ** axes
    partials = 8 * _AT_ONCE * rows * _blocks_of(points)
    cost = Cost(
        1 + copies + (center is None) * 3 + (result.itemsize < 8),
        (rows + copies + (center is None)) * nbytes + 8 * axes + partials + made,
        copies * nbytes + made + partials + 16 * axes + made,
        partials + nbytes * copies + made + 32 * axes,
    )
    return Plan(run, cost=cost)


def _points(coords):
    """Shape and dtype of the points, and copies that put them together."""
    if not isinstance(coords, tuple):
        if coords.ndim != 2:
            raise Invalid(f"coords has {coords.ndim} axes; give an array of two, a point in a row")
        return coords.shape, coords.dtype, 0
    if not coords or any(getattr(each, "ndim", None) != 1 for each in coords):
        raise Declined("coords is no tuple of coordinates; give one, as numpy.nonzero does")
    if len({each.shape for each in coords}) > 1:
        raise Invalid("coords is of different lengths; give as many coordinates along each axis")
    dtype = np.result_type(*(each.dtype for each in coords))
    return (*coords[0].shape, len(coords))[:2], dtype, 1


def _array(center):
    try:
        given = np.asarray(center)
    except (TypeError, ValueError):
        raise Invalid("center is no regular array; give a number for each axis") from None
    if not is_numeric(given.dtype):
        raise Declined("center is not of plain numbers; give a number for each axis")
    return given


def _broadcast(center, axes):
    try:
        return np.broadcast_to(np.asarray(center, float), axes)
    except ValueError:
        raise Declined(f"center is no point; give a number for each of the {axes} axes") from None


def _blocks_of(points):
    return -(-points // (8 * _BLOCK))


def _moments(centers, order, rows, dtype, coords):
    coords = (
        xp.stack(coords, axis=-1) if isinstance(coords, tuple) else xp.ascontiguousarray(coords)
    )
    points, axes = coords.shape
    centers = coords.mean(axis=0, dtype=float) if centers is None else xp.asarray(np.array(centers))
    blocks = min(_blocks_of(points), resident_blocks(_BLOCK))
    partials = xp.empty((rows, blocks, _AT_ONCE))
    arrived, result = xp.zeros(rows, "uint32"), xp.empty((order + 1,) * axes)
    sizes = points, np.int32(axes), centers, np.int32(order + 1)
    args = (coords, *sizes, partials, arrived, result)
    expression = f"point_moments<{c_name(coords.dtype)}>"
    launch(_SOURCE, expression, args, work=points, block=_BLOCK, grid=(blocks, rows))
    return result.astype(dtype, copy=False)


def specializations():
    """Every (source, expression) that these functions launch."""
    for name in C_NAMES.values():
        yield _SOURCE, f"point_moments<{name}>"
