"""skimage.transform.warp_coords."""

import math
import operator

import numpy as np
from skimage.transform import ProjectiveTransform

from ...adapt.kinds import on_devices
from ...device.launches import Cost
from ...devices import xp
from ...plan import Declined, Plan
from ...primitives.of_cupy import made_on_host
from ...scikit_image import classes_of
from .matrix_transform import moved


def warp_coords(coord_map, shape, dtype=np.float64):
    """Coordinates of the pixels of a warped image: `skimage.transform.warp_coords`.

    9 launches (11 with channels) where `coord_map` is a transform with a matrix and the coordinates
    are floats: those of `matrix_transform` on the grid of all pixels, in double, of which about 100
    bytes a pixel are read and written. What another transform or a Python function makes of the
    grid it makes on the host, from where the result is copied.
    """
    sides, made_of = _as_numbers(shape), _as_dtype(dtype)
    if made_of is not None and not (made_of.isnative and on_devices(made_of)):
        raise Declined("dtype is one that device arrays do not have; give float")
    on_device = (
        isinstance(coord_map, classes_of(ProjectiveTransform))
        and type(coord_map).__call__ is ProjectiveTransform.__call__
        and _is_matrix(coord_map.params)
        and made_of in (np.float32, np.float64)
        and len(sides) in (2, 3)
        and min(sides) > 0
    )
    if not on_device:  # and what scikit-image refuses
        return _by_host(coord_map, shape, dtype)
    rows, columns, *channels = sides
    matrix = coord_map.params.astype(float)

    def made():
        grid = xp.indices((columns, rows), dtype=made_of).reshape(2, -1).T
        found = moved(grid, xp.asarray(matrix)).T.reshape(2, columns, rows).swapaxes(1, 2)
        each = (Ellipsis, *[None] * len(channels))
        coords = xp.empty((len(sides), rows, columns, *channels), made_of)
        coords[1] = found[0][each]
        coords[0] = found[1][each]
        if channels:
            coords[2] = xp.arange(channels[0])
        return coords

    points, item = rows * columns, made_of.itemsize
    more = points * item * (len(sides) * math.prod(channels) - 2) + 64
    cost = Cost(
        9 + 2 * len(channels), points * (89 + 2 * item) + more, points * (81 + 4 * item) + more
    )
    return Plan(made, cost=cost)


_by_host = made_on_host("skimage.transform:warp_coords")


def _is_matrix(matrix):
    """Whether it is one for points of a plane, of real numbers."""
    of_arrays = type(matrix) is np.ndarray and matrix.dtype.kind in "biuf"
    return of_arrays and matrix.shape == (3, 3)


def _as_numbers(shape):
    """Lengths of axes, none where they are no tuple or list of whole numbers."""
    try:
        return tuple(map(operator.index, shape)) if isinstance(shape, tuple | list) else ()
    except TypeError:
        return ()


def _as_dtype(dtype):
    try:
        return np.dtype(dtype)
    except TypeError:
        return None
