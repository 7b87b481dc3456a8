"""skimage.draw.polygon2mask of corners on the device, equal to the last pixel.

Cost: 1 launch, 2 where corners are not double; corners are read by each block for each row that it
makes, the mask is written once. Before it the corners, which are few, come to the host: of those
that are NaN or too large scikit-image raises an error, and their extent bounds what is looked at.
"""

import functools
import math
import operator

import numpy as np

from ...device import launch
from ...device.launches import Cost
from ...device.lazy import cp
from ...plan import Declined, Idle, Invalid, Plan
from ...primitives.arguments import refuse_but_arrays

_SOURCE, _KERNEL, _BLOCK = "draw/polygon.cu", "polygon_mask", 128


def polygon2mask(image_shape, polygon):
    """Mask of a polygon: `skimage.draw.polygon2mask`."""
    refuse_but_arrays(polygon=polygon)
    if polygon.ndim != 2:
        raise Declined("polygon has not two axes; give an array of two, a corner in a row")
    if polygon.shape[1] != 2 or not polygon.shape[0]:
        raise Invalid("polygon is no list of corners; give two coordinates in a row")
    shape = _shape(image_shape)
    if isinstance(polygon, np.ndarray):
        raise Declined(
            Idle("polygon is a NumPy array of few numbers; give cupy.asarray(polygon) for a mask")
        )
    double, corners = polygon.dtype == np.float64, polygon.size
    read = corners * (8 + polygon.dtype.itemsize)
    cost = Cost(2 - double, read, math.prod(shape) + 8 * corners, 8 * corners)
    return Plan(functools.partial(_mask, shape), cost=cost)


def _shape(given):
    """Rows and columns, as plain integers."""
    if not isinstance(given, tuple | list) or len(given) > 2:
        raise Declined("image_shape is no pair of integers; give such, as (256, 256)")
    try:
        shape = tuple(operator.index(length) for length in given)
    except TypeError:
        raise Invalid("image_shape is not of two integers; give such, as (256, 256)") from None
    if any(isinstance(length, np.unsignedinteger) for length in given):
        raise Declined("image_shape has unsigned integers of NumPy's; give those of Python")
    if any(isinstance(length, bool | np.bool_) for length in given):
        raise Invalid("image_shape is not of two integers; give such, as (256, 256)")
    if len(shape) < 2 or min(shape) < 0 or math.prod(max(length, 1) for length in shape) >= 2**63:
        raise Invalid("image_shape is that of no array; give two integers, as (256, 256)")
    return shape


def _extent(coordinates, length):
    """First and last pixel of one axis that the polygon may touch."""
    least, most = coordinates.min(), coordinates.max()
    try:
        first, last = int(max(0, least)), math.ceil(most)
    except (OverflowError, ValueError):
        first, last = 2**63, None
    if max(first, last or 0) >= 2**63:
        raise Declined("polygon has corners that are NaN or too far; give finite ones")
    return first, min(length - 1, last)


def _mask(shape, polygon):
    corners = polygon.get()
    rows, columns = (_extent(*each) for each in zip(corners.T, shape, strict=True))
    mask = cp.empty(shape, bool)
    verts = cp.ascontiguousarray(polygon, np.float64)
    args = (verts, len(corners), *rows, *columns, *shape, mask)
    padded = -(-shape[1] // _BLOCK) * _BLOCK
    launch(_SOURCE, _KERNEL, args, work=shape[0] * padded, block=_BLOCK)
    return mask


def specializations():
    """Every (source, expression) that this room launches."""
    yield _SOURCE, _KERNEL
