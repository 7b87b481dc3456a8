"""skimage.transform.matrix_transform."""

import math

import numpy as np

from ...device.launches import Cost
from ...devices import xp
from ...plan import Declined, Invalid, Plan
from ...primitives.arguments import small_array


def matrix_transform(coords, matrix):
    """Points, moved by a homogeneous matrix: `skimage.transform.matrix_transform`.

    6 launches; coordinates read twice, in double from then on.
    """
    matrix = np.eye(3) if matrix is None else small_array("matrix", matrix)
    if matrix.dtype.kind not in "biuf" or matrix.dtype.char == "g":
        raise Declined("matrix is not of real numbers in double; give numpy.asarray(matrix, float)")
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or len(matrix) < 3:
        raise Invalid("matrix has another shape than scikit-image takes; give one of 3 x 3")
    axes = len(matrix) - 1
    if coords.ndim not in (1, 2) or coords.shape[-1] != axes:
        raise Invalid(f"coords is not of points with {axes} numbers; give an array (N, {axes})")
    if coords.size == 0:
        raise Declined("coords is empty; nothing to change")
    matrix = matrix.astype(float)
    nbytes = math.prod(coords.shape) // axes * 8  # of a column
    widths = Cost(6, (4 * axes + 6) * nbytes, (3 * axes + 5) * nbytes)
    return Plan(lambda coords: moved(coords, xp.asarray(matrix)), cost=widths)


def moved(coords, matrix):
    """Points of the device, moved by a homogeneous matrix, in double."""
    # as _apply_homogeneous of skimage/transform/_geometric.py
    points = xp.atleast_2d(coords)
    points = xp.concatenate((points, xp.ones((len(points), 1))), axis=1)
    moved = points @ matrix.T
    scale = moved[:, -1]
    scale = xp.where(scale == 0, np.finfo(float).eps, scale)
    return moved[:, :-1] / scale[:, None]
