"""skimage.transform: what `PolynomialTransform` and `ThinPlateSplineTransform` make of points.

Cost: 1 launch; coordinates read once, the result written once, and the map's numbers go to the
device. scikit-image's matrix of the distances of all points from all control points is not made.
One launch more brings coordinates to double for a thin-plate spline.
"""

import math

import numpy as np

from ...device.dtypes import C_NAMES, c_name
from ...device.launches import Array, Launch, Launches
from ...plan import Declined, Invalid, Plan

_SOURCE = "transform/point_maps.cu"
_DOUBLE = np.dtype(float)
_MOST_ORDER = 1000


def _polynomial(coords, params):
    """`PolynomialTransform.__call__`, whose coefficients are `params`."""
    if params.ndim != 2 or params.dtype.kind not in "iuf":
        raise Declined("params are not two rows of real numbers; give such")
    if coords.ndim != 2 or coords.shape[1] < 2:
        raise Declined("coords is no array of points, a row each; give an array (N, 2)")
    _refuse_empty(coords)
    if coords.dtype.kind == "b" or np.result_type(params, coords.dtype) != _DOUBLE:
        raise Declined("coords and params are not computed in double; give params.astype(float)")
    order = int((-3 + math.sqrt(9 - 4 * (2 - params.size))) / 2)  # as scikit-image finds it
    if not 0 <= order <= _MOST_ORDER:
        raise Declined("params are none, or very many; give those that from_estimate finds")
    shape, result = coords.shape, Array(coords.shape, _DOUBLE)
    numbers = Array.of(np.ascontiguousarray(params, _DOUBLE))
    args = (
        Array.given("coords", coords),
        numbers,
        *shape,
        np.int32(order),
        params.shape[1],
        result,
    )
    step = Launch(_SOURCE, f"polynomial<{c_name(coords.dtype)}>", args, shape[0])
    return Plan(Launches([step], result))


def _thin_plate_spline(coords, src, mappings):
    """`ThinPlateSplineTransform.__call__`, with its control points and their weights."""
    if coords.ndim != 2 or coords.shape[1] != 2:
        raise Invalid("coords is no array of points, two numbers each; give an array (N, 2)")
    _refuse_empty(coords)
    if src.ndim != 2 or src.shape[1] != 2 or mappings.shape != (len(src) + 3, 2):
        raise Declined(
            "src has another shape than from_estimate keeps; give what from_estimate makes"
        )
    if any(array.dtype.kind not in "biuf" or array.dtype.char == "g" for array in (src, mappings)):
        raise Declined("src is not of real numbers in double precision; give src.astype(float)")
    shape, result = coords.shape, Array(coords.shape, _DOUBLE)
    points = Array(shape, _DOUBLE, "coords", converted=coords.dtype != _DOUBLE)
    numbers = [Array.of(np.ascontiguousarray(array, _DOUBLE)) for array in (src, mappings)]
    args = (points, *numbers, shape[0], len(src), result)
    return Plan(Launches([Launch(_SOURCE, "thin_plate_spline", args, shape[0])], result))


def _refuse_empty(coords):
    if not coords.size:
        raise Declined("coords is empty; nothing to change")


def samples():
    """Plans that together ask for every kernel of this room."""
    params = np.ones((2, 6))
    for name in C_NAMES:
        if name != "bool":
            yield _polynomial(Array((4, 2), np.dtype(name)), params)
    yield _thin_plate_spline(Array((4, 2), _DOUBLE), np.ones((3, 2)), np.ones((6, 2)))
