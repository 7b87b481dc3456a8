"""skimage.measure: points in polygons, scikit-image's labels to the last."""

import functools
import operator
from collections.abc import Sequence

import numpy as np

from ...device import c_name
from ...device.dtypes import code
from ...device.launches import Array, Bytes, Launch, Launches
from ...plan import Declined, Invalid, Plan
from ...primitives.arguments import refuse_but_arrays, truth

_SOURCE = "measure/points_in_poly.cu"
_DOUBLE = np.dtype(float)


def points_in_poly(points, verts):
    """Which points lie inside of a polygon: `skimage.measure.points_in_poly`.

    1 launch; points and vertices are read once, the result is written once. One more launch each
    makes strided points contiguous, and vertices double.
    """
    refuse_but_arrays(points=points, verts=verts)
    _refuse("verts", verts)
    _refuse("points", points)
    return _of_points(points.shape, points.dtype, verts.shape, verts.dtype)


def grid_points_in_poly(shape, verts, binarize=True):
    """Which points of a grid lie inside of a polygon: `skimage.measure.grid_points_in_poly`.

    1 launch; vertices are read once, the result is written once. One more launch makes vertices
    double.
    """
    refuse_but_arrays(verts=verts)
    _refuse("verts", verts)
    if not isinstance(shape, np.ndarray | Sequence):
        raise Declined("shape is not a sequence; give two integers, as (256, 256)")
    try:
        rows, columns = operator.index(shape[0]), operator.index(shape[1])
    except (TypeError, IndexError):
        raise Invalid("shape is not of two integers; give such, as (256, 256)") from None
    if min(rows, columns) < 0 or max(rows, 1) * max(columns, 1) >= 2**63:
        raise Invalid("shape is that of no array; give two integers, as (256, 256)")
    result = np.dtype(bool if truth("binarize", binarize) else np.uint8)
    return _of_grid((rows, columns), verts.shape, verts.dtype, result)


def _refuse(name, points):
    """Refuse what is no list of points; vertices may not be missing."""
    if points.ndim != 2:
        raise Invalid(f"{name} has {points.ndim} axes; give an array of two, a point in a row")
    if points.shape[1] < 2:
        raise Invalid(f"{name} has less than two columns; give two coordinates in a row")
    if name == "verts" and not points.shape[0]:
        raise Declined("verts is empty; give the corners of a polygon")


def _vertices(shape, dtype):
    """The vertices in double, and how many numbers are in a row, and rows."""
    return Array(shape, _DOUBLE, "verts", converted=dtype != _DOUBLE), shape[1], shape[0]


@functools.lru_cache(maxsize=256)
def _of_points(shape, dtype, corners, of_corners):
    count, columns = shape
    points, result = Array(shape, dtype, "points"), Array((count,), np.dtype(bool))
    args = (Bytes(points), code(dtype), columns, count, *_vertices(corners, of_corners), result)
    return Plan(Launches([Launch(_SOURCE, "points_in_poly", args, count)], result))


@functools.lru_cache(maxsize=256)
def _of_grid(shape, corners, of_corners, dtype):
    result = Array(shape, dtype)
    args = (*_vertices(corners, of_corners), shape[1], result.size, result)
    expression = f"grid_in_poly<{c_name(dtype)}>"
    return Plan(Launches([Launch(_SOURCE, expression, args, result.size)], result))


def samples():
    """Plans that together ask for every kernel of this room."""
    polygon = Array((4, 2), _DOUBLE)
    yield points_in_poly(polygon, polygon)
    for binarize in (True, False):
        yield grid_points_in_poly((5, 6), polygon, binarize)
