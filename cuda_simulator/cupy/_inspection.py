"""What an array is and where it lies: shape, memory, the module that computes with it."""

import sys

import numpy as np

from ._ndarray import ndarray

__all__ = [
    "byte_bounds",
    "get_array_module",
    "may_share_memory",
    "ndim",
    "shape",
    "shares_memory",
    "size",
]


def _arrays(*arrays):
    for array in arrays:
        if not isinstance(array, ndarray):
            raise TypeError(
                f"Argument has incorrect type (expected cupy.ndarray, got {type(array).__name__})"
            )


def get_array_module(*args):
    """`cupy` where one argument is a device array or a sparse matrix on it, else `numpy`."""
    import cupy

    sparse = sys.modules.get("cupyx.scipy.sparse")  # no sparse matrices before it is imported
    kinds = (ndarray,) if sparse is None else (ndarray, sparse.spmatrix)
    return cupy if any(isinstance(a, kinds) for a in args) else np


def byte_bounds(a):
    """First and one past the last address of an array's elements."""
    _arrays(a)
    return np.lib.array_utils.byte_bounds(a._host)


def may_share_memory(a, b, max_work=None):
    """Whether the bounds of two device arrays in memory overlap."""
    _arrays(a, b)
    if max_work is not None:
        raise NotImplementedError("Only supported for `max_work` is `None`")
    return bool(a.size and b.size and np.may_share_memory(a._host, b._host))


def shares_memory(a, b, max_work=None):
    """Whether two device arrays have an element in common."""
    _arrays(a, b)
    if max_work == "MAY_SHARE_BOUNDS":
        return may_share_memory(a, b)
    if max_work not in (None, "MAY_SHARE_EXACT"):
        raise NotImplementedError("Not supported for integer `max_work`.")
    return np.shares_memory(a._host, b._host)


def ndim(a):
    """Number of axes."""
    return a.ndim if hasattr(a, "ndim") else np.ndim(a)


def shape(a):
    """Lengths of the axes."""
    return a.shape if isinstance(a, ndarray) else np.shape(a)


def size(a, axis=None):
    """Number of elements, along an axis or of all."""
    _arrays(a)
    return a.size if axis is None else a.shape[axis]
