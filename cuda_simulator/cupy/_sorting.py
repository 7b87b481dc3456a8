"""Sorting and searching in sorted arrays. Sorts are stable, as Thrust's are in CuPy."""

import warnings

import numpy as np

from ._creation import array as make
from ._creation import asarray, zeros
from ._declare import define, wrapped
from ._ndarray import ndarray
from .cuda.thrust import sorting

__all__ = [
    "argsort",
    "lexsort",
    "msort",
    "searchsorted",
    "sort",
]

__all__ += define(
    globals(),
    "argpartition(a: array, kth, axis=-1)",
    "partition(a: array, kth, axis=-1)",
    "sort_complex(a: array)",
)
_KINDS = (None, "stable")


def _checked(a, kind):
    if not isinstance(a, ndarray):
        raise TypeError(f"Unsupported type {type(a)}")
    if kind not in _KINDS:
        raise ValueError(f"kind can only be None or 'stable', not {kind!r}")
    if a.ndim == 0:
        raise np.exceptions.AxisError("Sorting arrays with the rank of zero is not supported")


def sort(a, axis=-1, kind=None):
    """A sorted copy."""
    _checked(a, kind)
    return wrapped(sorting(np.sort)(a._host, axis, kind="stable"), a)


def argsort(a, axis=-1, kind=None):
    """Indices that sort the array."""
    return a.argsort(axis, kind)


def msort(a):
    """A copy sorted along the first axis."""
    warnings.warn("use cupy.sort(a, axis=0) instead", DeprecationWarning, stacklevel=2)
    return sort(a, axis=0)


def lexsort(keys):
    """Indices that sort by the last row of an array, then by the row before it, and so on."""
    if keys.ndim == 1:
        return make(0, np.intp)
    if keys.ndim > 2:
        raise NotImplementedError("Keys with the rank of three or more is not supported in lexsort")
    return wrapped(sorting(np.lexsort)(keys._host), keys)


def searchsorted(a, v, side="left", sorter=None):
    """Where values belong in a sorted array; `v` is a device array or a Python scalar."""
    if not isinstance(a, ndarray):
        raise NotImplementedError("Only int or ndarray are supported for a")
    if not isinstance(v, ndarray):
        if not isinstance(v, int | float | complex):
            raise NotImplementedError("Only python scalars or ndarrays are supported for v")
        v = asarray(v)
    if a.ndim != 1:
        reason = "object too deep" if a.ndim else "object of too small depth"
        raise ValueError(f"{reason} for desired array")
    if a.size == 0:
        return zeros(v.shape, np.int64)
    if sorter is not None:
        if sorter.dtype.kind not in "iu":
            raise TypeError("sorter must be of integer type")
        if sorter.size != a.size:
            raise ValueError("sorter.size must equal a.size")
    order = None if sorter is None else sorter._host
    side = side if side == "right" else "left"  # whatever else it is
    return wrapped(np.searchsorted(a._host, v._host, side, order), a, v)
