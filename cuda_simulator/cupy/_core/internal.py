"""Indices, shapes and axes."""

import math

import numpy as np
from numpy.exceptions import AxisError

__all__ = ["AxisError", "_normalize_axis_index", "_normalize_axis_indices", "get_size"]


def prod(args):
    """Product of lengths."""
    return math.prod(args)


prod_sequence = prod


def is_in(args, x):
    """Whether `x` is among the values."""
    return x in args


def vector_equal(x, y):
    """Whether two sequences are equal."""
    return tuple(x) == tuple(y)


def clp2(x):
    """The smallest power of two that is not below `x`."""
    return 1 << max(x - 1, 0).bit_length() if x else 0


def get_size(size):
    """A shape from an integer or a sequence."""
    if size is None:
        return ()
    if isinstance(size, int | np.integer):
        return (int(size),)
    return tuple(size)


def _broadcast_shapes(shapes):
    """The shape that shapes are broadcast to."""
    return np.broadcast_shapes(*shapes)


def _normalize_axis_index(axis, ndim):
    """A number of an axis, counted from the front."""
    index = axis.__index__()
    if not -ndim <= index < ndim:
        raise AxisError(index, ndim)
    return index % ndim


def _normalize_axis_indices(axes, ndim, sort_axes=True):
    """Numbers of axes, counted from the front; all of them for None."""
    if axes is None:
        return tuple(range(ndim))
    if not isinstance(axes, tuple | list):
        axes = (axes,)
    indices = tuple(_normalize_axis_index(axis, ndim) for axis in axes)
    if len(set(indices)) != len(indices):
        raise ValueError("duplicate value in 'axis'")
    return tuple(sorted(indices)) if sort_axes else indices
