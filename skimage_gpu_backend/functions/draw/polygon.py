"""skimage.draw: pixels of polygons, scikit-image's to the last.

The corners, which are few, come to the host first: of those that are NaN or too large scikit-image
raises an error, and their extent bounds what is looked at.
"""

import functools
import math
import operator

import numpy as np

from ...device import launch
from ...device.launches import Cost
from ...devices import to_host, xp
from ...plan import Declined, Invalid, Plan
from ...primitives.arguments import refuse_but_arrays

_SOURCE, _KERNEL, _BLOCK = "draw/polygon.cu", "polygon_mask", 128


def polygon(r, c, shape=None):
    """Coordinates of a polygon's pixels: `skimage.draw.polygon`.

    2 launches make corners double, 1 makes the mask of what lies around the polygon, CuPy's
    `nonzero` makes coordinates of it, 16 bytes for each pixel of the polygon, and up to 2 add where
    the mask lies.
    """
    for name, corners in (("r", r), ("c", c)):
        if not isinstance(getattr(corners, "dtype", None), np.dtype):
            raise Declined(f"{name} is not an array; give numpy.asarray({name})")
        if corners.ndim > 1:
            raise Invalid(f"{name} has more than one axis; give a list of numbers")
        if not corners.size:
            raise Invalid(f"{name} is empty; give the corners of a polygon")
    if r.size != c.size:
        raise Declined("r and c differ in length; give a number in c for each in r")
    return Plan(functools.partial(_coordinates, _ends(shape)))


def polygon2mask(image_shape, polygon):
    """Mask of a polygon: `skimage.draw.polygon2mask`.

    1 launch, 2 where corners are not double; corners are read by each block for each row that it
    makes, the mask is written once.
    """
    refuse_but_arrays(polygon=polygon)
    if polygon.ndim != 2:
        raise Declined("polygon has not two axes; give an array of two, a corner in a row")
    if polygon.shape[1] != 2 or not polygon.shape[0]:
        raise Invalid("polygon is no list of corners; give two coordinates in a row")
    shape = _shape(image_shape)
    double, corners = polygon.dtype == np.float64, polygon.size
    read = corners * (8 + polygon.dtype.itemsize)
    cost = Cost(2 - double, read, math.prod(shape) + 8 * corners, 8 * corners)
    return Plan(functools.partial(_mask, shape), cost=cost)


def _ends(shape):
    """The last row and column of an image, None where it is as large as need be."""
    if shape is None:
        return None, None
    try:
        lengths = shape[0], shape[1]
        if any(isinstance(length, np.unsignedinteger) for length in lengths):
            raise Declined("shape has unsigned integers of NumPy's; give those of Python")
        return tuple(operator.index(length) - 1 for length in lengths)
    except (IndexError, KeyError, TypeError, ValueError):
        raise Declined("shape is not of two integers; give such, as (256, 256)") from None


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


def _extent(coordinates, end):
    """First and last pixel of one axis that the polygon may touch, up to `end` if there is one."""
    least, most = coordinates.min(), coordinates.max()
    try:
        first, last = int(max(0, least)), math.ceil(most)
    except (OverflowError, ValueError):
        first, last = 2**63, None
    if max(first, last or 0) >= 2**63:
        raise Declined("polygon has corners that are NaN or too far; give finite ones")
    return first, last if end is None else min(end, last)


def _coordinates(ends, r, c):
    top, bottom = _extent(to_host(r), ends[0])
    left, right = _extent(to_host(c), ends[1])
    box = bottom - top + 1, right - left + 1
    if min(box) <= 0:
        return xp.empty(0, np.intp), xp.empty(0, np.intp)
    verts = xp.empty((r.size, 2))
    verts[:, 0], verts[:, 1] = r, c
    found = xp.nonzero(_within(verts, (top, bottom), (left, right), (top, left), box))
    for coordinates, first in zip(found, (top, left), strict=True):
        if first:
            coordinates += first
    return found


def _mask(shape, polygon):
    corners = to_host(polygon).T
    rows, columns = (_extent(*each) for each in zip(corners, np.subtract(shape, 1), strict=True))
    return _within(xp.ascontiguousarray(polygon, np.float64), rows, columns, (0, 0), shape)


def _within(verts, rows, columns, first, shape):
    """Mask of so many rows and columns, from a first pixel on."""
    mask = xp.empty(shape, bool)
    args = (verts, len(verts), *rows, *columns, *first, *shape, mask)
    padded = -(-shape[1] // _BLOCK) * _BLOCK
    launch(_SOURCE, _KERNEL, args, work=shape[0] * padded, block=_BLOCK)
    return mask


def specializations():
    """Every (source, expression) that this room launches."""
    yield _SOURCE, _KERNEL
