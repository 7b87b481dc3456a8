"""Shapes, axes, joining and splitting."""

import warnings

import numpy as np

from ._creation import array, asarray, full, zeros
from ._declare import array as device_array
from ._declare import define, operand, wrapped
from ._ndarray import from_host, ndarray

__all__ = [
    "append",
    "asarray_chkfinite",
    "asfarray",
    "asfortranarray",
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "broadcast",
    "column_stack",
    "concat",
    "concatenate",
    "delete",
    "dstack",
    "hstack",
    "permute_dims",
    "ravel",
    "repeat",
    "require",
    "reshape",
    "resize",
    "row_stack",
    "squeeze",
    "stack",
    "swapaxes",
    "transpose",
    "trim_zeros",
    "vstack",
]

__all__ += define(
    globals(),
    "array_split(ary: array, indices_or_sections, axis=0)",
    "broadcast_to(array: array, shape)",
    "dsplit(ary: array, indices_or_sections)",
    "expand_dims(a: array, axis)",
    "flip(a: array, axis=None)",
    "fliplr(a: array)",
    "flipud(a: array)",
    "hsplit(ary: array, indices_or_sections)",
    "matrix_transpose(x: array, /)",
    "moveaxis(a: array, source, destination)",
    "roll(a: array, shift: either, axis=None)",
    "rollaxis(a: array, axis, start=0)",
    "rot90(a: array, k=1, axes=(0, 1))",
    "split(ary: array, indices_or_sections, axis=0)",
    "tile(A: arraylike, reps)",
    "vsplit(ary: array, indices_or_sections)",
)
__all__ += define(globals(), "broadcast_arrays(*args: operands)")


class broadcast:
    """Views of device arrays, and the scalars among them, in their common shape."""

    def __init__(self, *arrays):
        self.values = broadcast_arrays(*arrays)  # noqa: F821 - defined from its declaration
        self.shape = np.broadcast_shapes(*(value.shape for value in self.values))
        self.nd = len(self.shape)
        self.size = int(np.prod(self.shape))


def squeeze(a, axis=None):
    """A view without axes of length one."""
    return a.squeeze(axis)


def swapaxes(a, axis1, axis2):
    """A view with two axes exchanged."""
    return a.swapaxes(axis1, axis2)


def transpose(a, axes=None):
    """A view with permuted axes."""
    return a.transpose(axes)


permute_dims = transpose


def reshape(a, newshape, order="C", *, copy=None):
    """The same elements in another shape: a view where possible and not `copy`."""
    if copy:
        a = a.copy(order)
    reshaped = a.reshape(newshape, order=order)
    if copy is False and not np.may_share_memory(a._host, reshaped._host):
        raise ValueError("Unable to avoid creating a copy while reshaping.")
    return reshaped


def ravel(a, order="C"):
    """The elements in one dimension: a view where possible."""
    return a.ravel(order)


def repeat(a, repeats, axis=None):
    """Each element several times."""
    return a.repeat(repeats, axis)


def _at_least(function, arys):
    arrays = [asarray(a) for a in arys]
    results = [from_host(function(a._host), a) for a in arrays]
    return results[0] if len(results) == 1 else results


def atleast_1d(*arys):
    """Arrays with one dimension or more; from the host they are copied to the device."""
    return _at_least(np.atleast_1d, arys)


def atleast_2d(*arys):
    """Arrays with two dimensions or more; from the host they are copied to the device."""
    return _at_least(np.atleast_2d, arys)


def atleast_3d(*arys):
    """Arrays with three dimensions or more; from the host they are copied to the device."""
    return _at_least(np.atleast_3d, arys)


def concatenate(tup, axis=0, out=None, *, dtype=None, casting="same_kind"):
    """Join device arrays along an axis; the result is C-contiguous."""
    arrays = [operand(a, "tup") for a in tup]
    if any(not isinstance(a, ndarray) for a in arrays):
        raise TypeError("Only cupy arrays can be concatenated")
    if any(a.ndim == 0 for a in arrays):
        raise TypeError("zero-dimensional arrays cannot be concatenated")
    host = [a._host for a in arrays]
    if out is not None:
        device_array(out, "out")
        if dtype is not None:
            raise TypeError("concatenate() only takes `out` or `dtype`, but both were provided.")
        np.concatenate(host, axis, out._host, casting=casting)
        return from_host(out._host, *arrays, out=out)
    joined = np.concatenate(host, axis, dtype=dtype, casting=casting)
    return from_host(np.ascontiguousarray(joined), *arrays)


def concat(tup, axis=0, out=None, *, dtype=None, casting="same_kind"):
    """Join device arrays along an axis; the result is C-contiguous."""
    return concatenate(tup, axis, out, dtype=dtype, casting=casting)


def stack(tup, axis=0, out=None, *, dtype=None, casting="same_kind"):
    """Join device arrays along a new axis."""
    expanded = [expand_dims(a, axis) for a in tup]  # noqa: F821 - defined from its declaration
    return concatenate(expanded, axis, out, dtype=dtype, casting=casting)


def hstack(tup, *, dtype=None, casting="same_kind"):
    """Join along the second axis, vectors along their only one; takes lists too."""
    arrays = [atleast_1d(a) for a in tup]
    axis = 0 if arrays[0].ndim == 1 else 1
    return concatenate(arrays, axis, dtype=dtype, casting=casting)


def vstack(tup, *, dtype=None, casting="same_kind"):
    """Join along the first axis, vectors as rows; takes lists too."""
    return concatenate([atleast_2d(a) for a in tup], 0, dtype=dtype, casting=casting)


def row_stack(tup, *, dtype=None, casting="same_kind"):
    """`vstack` by its old name."""
    warnings.warn("`row_stack` is deprecated, use `vstack`", DeprecationWarning, stacklevel=2)
    return vstack(tup, dtype=dtype, casting=casting)


def dstack(tup):
    """Join along the third axis; takes lists too."""
    return concatenate([atleast_3d(a) for a in tup], 2)


def column_stack(tup):
    """Join along the second axis, vectors as columns; device arrays only."""
    arrays = list(tup)
    if any(not isinstance(a, ndarray) for a in arrays):
        raise TypeError("Only cupy arrays can be column stacked")
    if any(a.ndim not in (1, 2) for a in arrays):
        raise ValueError("Only 1 or 2 dimensional arrays can be column stacked")
    return concatenate([a[:, None] if a.ndim == 1 else a for a in arrays], 1)


def asarray_chkfinite(a, dtype=None, order=None):
    """A device array of `a`, none of it infinite or NaN."""
    a = asarray(a, dtype, order)
    if not np.isfinite(a._host).all():
        raise ValueError("array must not contain Infs or NaNs")
    return a


def asfarray(a, dtype=np.float64):
    """A device array of `a` with a floating dtype."""
    return asarray(a, dtype if np.issubdtype(dtype, np.inexact) else np.float64)


def asfortranarray(a, dtype=None):
    """A Fortran-contiguous device array: `a` itself where it is one."""
    device_array(a, "a")
    if a.flags.f_contiguous and dtype in (None, a.dtype):
        return a if a.ndim else a.ravel()
    return a.astype(a.dtype if dtype is None else dtype, order="F")


_FLAGS = {
    name: flag
    for flag, names in {
        "C": ("C", "C_CONTIGUOUS", "CONTIGUOUS"),
        "F": ("F", "F_CONTIGUOUS", "FORTRAN"),
        "O": ("O", "OWNDATA"),
    }.items()
    for name in names
}


def require(a, dtype=None, requirements=None):
    """A device array with this dtype and these flags."""
    wanted = [name.upper() for name in requirements or ()]
    if unknown := [name for name in wanted if name not in _FLAGS]:
        raise ValueError(f'Incorrect flag "{unknown[0]}" in requirements')
    flags = {_FLAGS[name] for name in wanted}
    if {"C", "F"} <= flags:
        raise ValueError('Cannot specify both "C" and "F" order')
    order = "C" if "C" in flags else "F" if "F" in flags else "A"
    return array(a, dtype, copy="O" in flags, order=order)


def append(arr, values, axis=None):
    """Join two arrays, flat where there is no axis; takes lists too."""
    arr, values = asarray(arr), asarray(values)
    return from_host(np.append(arr._host, values._host, axis), arr, values)


def delete(arr, indices, axis=None):
    """The array without some of its elements or slices."""
    if not isinstance(arr, ndarray):
        raise ValueError("delete(): arr must be a cupy.ndarray")
    indices = indices._host if isinstance(indices, ndarray) else indices
    return wrapped(np.delete(arr._host, indices, axis), arr)


def resize(a, new_shape):
    """The elements again and again until the shape is full."""
    if np.isscalar(a):
        return full(new_shape, a)
    a = asarray(a)
    if a.size == 0:
        return zeros(new_shape, a.dtype)
    return from_host(np.resize(a._host, new_shape), a)


def trim_zeros(filt, trim="fb"):
    """A view without the zeros at the ends of a vector."""
    if filt.ndim == 0:
        return filt
    if filt.ndim > 1:
        raise NotImplementedError("Multi-dimensional trim is not supported")
    return from_host(np.trim_zeros(filt._host, trim), filt)
