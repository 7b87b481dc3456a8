"""Further methods of `cupy.ndarray`: taking, putting, sorting, products."""

import operator

import numpy as np

from cuda_simulator import counters, faults

from . import _ufunc
from ._ndarray import compute, gathered, host_operand, launched, ndarray
from ._reduce import axes_of, finished
from .cuda.thrust import sorting

_KINDS = (None, "stable")


def _indices(indices, shape):
    """Integers for NumPy, wrapped around the axis as CuPy wraps them."""
    host = indices._host if isinstance(indices, ndarray) else np.asarray(indices, int)
    if host.dtype.kind not in "biu" and host.size:
        raise TypeError("indices must be of integer type")
    return host.astype(np.intp) % shape if shape else host.astype(np.intp)


def take(self, indices, axis=None, out=None):
    """Elements, or slices of an axis, at indices, which wrap around."""
    if axis is not None:
        (axis,) = axes_of(axis, max(self.ndim, 1))
    length = self.size if axis is None else (self.shape or (1,))[axis]
    host = self._host.take(_indices(indices, length), axis=axis)
    if out is not None and out.dtype != self.dtype:
        raise TypeError("Output dtype mismatch")
    return gathered(host, self, indices) if out is None else finished(host, self, out)


def put(self, indices, values, mode="wrap"):
    """Set the elements at indices into the flattened array."""
    if mode not in ("raise", "wrap", "clip"):
        raise ValueError("clipmode not understood")
    host = indices._host if isinstance(indices, ndarray) else np.asarray(indices)
    values = values._host if isinstance(values, ndarray) else np.asarray(values, self.dtype)
    counters.launched(host.nbytes + values.nbytes, values.nbytes)
    self._host.put(host, values.astype(self.dtype), mode)


def choose(self, choices, out=None, mode="raise"):
    """Elements of the slices of an array, chosen by this one."""
    count = choices.shape[0]
    if mode not in ("raise", "wrap", "clip"):
        raise ValueError("clipmode not understood")
    if mode == "raise" and not ((self._host >= 0) & (self._host < count)).all():
        raise ValueError("invalid entry in choice array")
    return finished(self._host.choose(list(choices._host), mode=mode), self, out)


def compress(self, condition, axis=None, out=None):
    """The slices of an axis for which a condition holds."""
    if np.isscalar(condition):
        raise ValueError("condition must be a 1-d array")
    host = condition._host if isinstance(condition, ndarray) else np.asarray(condition, int)
    return take(self, host.nonzero()[0], axis, out)


def repeat(self, repeats, axis=None):
    """Each element several times."""
    if isinstance(repeats, np.ndarray):
        raise TypeError("'repeats' does not accept numpy.ndarray; convert with cupy.array() first")
    if not isinstance(repeats, ndarray | list | tuple):
        try:
            repeats = operator.index(repeats)
        except TypeError:
            raise ValueError(f"'repeats' should be int or sequence: {repeats}") from None
    return launched(self._host.repeat(host_operand(repeats), axis), self)


def searchsorted(self, v, side="left", sorter=None):
    """Where elements belong in this sorted array."""
    import cupy

    return cupy.searchsorted(self, v, side, sorter)


def _check_in_place(array):
    """Refuse what Thrust does not sort where it lies."""
    if array.ndim == 0:
        raise np.exceptions.AxisError("Sorting arrays with the rank of zero is not supported")
    if not array._c_contiguous:
        raise NotImplementedError("Sorting non-contiguous array is not supported.")


def _check_kind(kind):
    if kind not in _KINDS:
        raise ValueError("kind can only be None or 'stable'")


def sort(self, axis=-1, kind=None):
    """Sort in place; the order of equal elements stays."""
    _check_kind(kind)
    _check_in_place(self)
    counters.launched(self.nbytes, self.nbytes)
    sorting(self._host.sort)(operator.index(axis), kind="stable")


def argsort(self, axis=-1, kind=None):
    """Indices that sort the array."""
    _check_kind(kind)
    order = sorting(np.atleast_1d(self._host).argsort)(axis, kind="stable")
    return launched(order, self)


def partition(self, kth, axis=-1):
    """Put the elements in place that belong at `kth` in a sorted array."""
    _check_in_place(self)
    counters.launched(self.nbytes, self.nbytes)
    self._host.partition(kth, axis)


def argpartition(self, kth, axis=-1):
    """Indices that partition the array."""
    return launched(self._host.argpartition(kth, axis), self)


def nonzero(self):
    """Indices of the true elements, one array an axis."""
    if self.ndim == 0:
        raise ValueError("Calling nonzero on 0d arrays is not allowed")
    return tuple(launched(np.ascontiguousarray(i), self) for i in self._host.nonzero())


def clip(self, min=None, max=None, out=None):
    """The elements within limits."""
    kind = self.dtype.kind
    if kind in "iuf":  # a limit that is not there is the dtype's own
        info = np.iinfo(self.dtype) if kind in "iu" else None
        if min is None:
            min = info.min if info else self.dtype.type("-inf")
        if max is None:
            max = info.max if info else self.dtype.type("inf")
    return _ufunc.clip(self, min, max, out=out)


def conj(self):
    """The complex conjugate; real arrays themselves."""
    return _ufunc.conjugate(self) if self.dtype.kind == "c" else self


def conjugate(self):
    """The complex conjugate; real arrays themselves."""
    return conj(self)


def round(self, decimals=0, out=None):
    """The elements rounded to decimals, half to even."""
    with np.errstate(all="ignore"):
        return finished(self._host.round(decimals), self, out)


def trace(self, offset=0, axis1=0, axis2=1, dtype=None, out=None):
    """The sum along a diagonal."""
    return self.diagonal(offset, axis1, axis2).sum(-1, dtype, out)


def dot(self, b, out=None):
    """The dot product with another array."""
    if not isinstance(b, ndarray):
        raise TypeError(
            f"Argument 'b' has incorrect type (expected cupy.ndarray, got {type(b).__name__})"
        )
    faults.meet("blas")
    return compute(np.dot, self, b, out=out)


def byteswap(self, inplace=False):
    """The elements with the bytes of each reversed."""
    if not inplace:
        return launched(self._host.byteswap(), self)
    counters.launched(self.nbytes, self.nbytes)
    self._host.byteswap(inplace=True)
    return self


def scatter_add(self, slices, value):
    """Add at an index, also where elements are named several times."""
    _scatter(np.add, self, slices, value)


def scatter_max(self, slices, value):
    """Keep the larger element at an index."""
    _scatter(np.maximum, self, slices, value)


def scatter_min(self, slices, value):
    """Keep the smaller element at an index."""
    _scatter(np.minimum, self, slices, value)


def _scatter(ufunc, array, slices, value):
    _ufunc.scatter(ufunc, array, slices, value)


_METHODS = (
    *(
        argpartition,
        argsort,
        byteswap,
        choose,
        clip,
        compress,
        conj,
        conjugate,
        dot,
        nonzero,
        partition,
    ),
    *(put, repeat, round, scatter_add, scatter_max, scatter_min, searchsorted, sort, take, trace),
)
for _method in _METHODS:
    _method.__qualname__ = f"ndarray.{_method.__name__}"
    setattr(ndarray, _method.__name__, _method)
