"""Functions that call functions."""

import numpy as np

from ._creation import asarray, empty, full
from ._ndarray import ndarray, view

__all__ = ["apply_along_axis", "apply_over_axes", "piecewise", "put_along_axis"]


def apply_along_axis(func1d, axis, arr, *args, **kwargs):
    """Call a function with each vector along an axis; all results in one array."""
    axis = range(arr.ndim)[axis]
    vectors = arr.transpose(*(i for i in range(arr.ndim) if i != axis), axis)
    outer = vectors.shape[:-1]
    if 0 in outer:
        raise ValueError("Cannot apply_along_axis when any iteration dimensions are 0")
    result = None
    for index in np.ndindex(outer):
        value = asarray(func1d(vectors[index], *args, **kwargs))
        if result is None:
            result = empty(outer + value.shape, value.dtype)
        result[index] = value
    count = result.ndim - len(outer)
    return view(result, np.moveaxis(result._host, range(-count, 0), range(axis, axis + count)))


def apply_over_axes(func, a, axes):
    """Call a function with the array and each axis in turn."""
    value = asarray(a)
    for axis in np.atleast_1d(axes).tolist():
        axis = range(a.ndim)[axis]
        result = func(value, axis)
        if result.ndim + 1 == value.ndim:
            result = view(result, np.expand_dims(result._host, axis))
        if result.ndim != value.ndim:
            raise ValueError("function is not returning an array of the correct shape")
        value = result
    return value


def put_along_axis(arr, indices, values, axis):
    """Set the elements that indices along an axis name."""
    if axis is None:
        arr.put(indices, values)
        return
    axis = range(arr.ndim)[axis]
    if indices.dtype.kind not in "iu":
        raise IndexError("`indices` must be an integer array")
    if arr.ndim != indices.ndim:
        raise ValueError("`indices` and `arr` must have the same number of dimensions")
    index = list(np.ix_(*(range(length) for length in arr.shape)))
    index[axis] = indices
    arr[tuple(i if isinstance(i, ndarray) else asarray(i) for i in index)] = values


def piecewise(x, condlist, funclist):
    """Values by condition, the last one elsewhere; functions are not taken."""
    condlist = [condlist] if np.isscalar(condlist) or isinstance(condlist, ndarray) else condlist
    if len(funclist) not in (len(condlist), len(condlist) + 1):
        raise ValueError(f"with {len(condlist)} condition(s), as many functions are expected")
    if any(callable(value) for value in funclist):
        raise NotImplementedError("Callable functions are not supported currently")
    result = full(x.shape, 0, x.dtype)
    if len(funclist) > len(condlist):
        result.fill(funclist[-1])
    for condition, value in zip(condlist, funclist, strict=False):
        result[condition if isinstance(condition, ndarray) else asarray(condition)] = value
    return result
