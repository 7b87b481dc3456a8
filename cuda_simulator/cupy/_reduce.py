"""Reductions and scans as methods of `cupy.ndarray`, accumulated as well as a GPU does.

A GPU adds in blocks and then the blocks. NumPy does so along contiguous axes of the type that
it adds in; other arrays are copied. float16 is summed in float32.
"""

import math

import numpy as np

from cuda_simulator import counters

from ._dtypes import assign, checked_dtype
from ._ndarray import launched, ndarray

_ROUNDED = "efdFD"  # sums of these depend on the order of the additions
_WIDER = {"e": np.dtype(np.float32)}
_BLOCK = 256  # elements that a scan adds one after the other
_FEW = 8  # so many summands NumPy adds one after the other along any axis


def finished(host, array, out=None, dtype=None):
    """Device array of a result, or `out` with it."""
    host = np.asarray(host)
    if dtype is not None and host.dtype != dtype:
        host = host.astype(dtype)
    if out is None:
        return launched(host, array)
    if not isinstance(out, ndarray):
        raise TypeError(
            f"Argument 'out' has incorrect type (expected cupy.ndarray, got {type(out).__name__})"
        )
    if out.shape != host.shape:
        raise ValueError(f"output shape {out.shape} does not match {host.shape}")
    counters.launched(array.nbytes, out.nbytes)
    assign(out._host, host)
    return out


def axes_of(axis, ndim):
    """The axes of a reduction as a sorted tuple of indices from zero."""
    if axis is None:
        return tuple(range(ndim))
    axes = axis if isinstance(axis, tuple | list) else (axis,)
    for a in axes:
        if not -ndim <= a < ndim:
            raise np.exceptions.AxisError(a, ndim)
    axes = tuple(sorted(a % ndim for a in axes))
    if len(set(axes)) < len(axes):
        raise ValueError("duplicate value in 'axis'")
    return axes


def _reduced(ufunc, host, axis, dtype, keepdims):
    """NumPy's reduction, along contiguous axes where the order of additions matters."""
    axes = None if axis is None else axes_of(axis, host.ndim)
    accumulator = _WIDER.get(dtype.char, dtype)
    with np.errstate(all="ignore"):
        if accumulator.char in "fF":  # NumPy converts in pieces and adds these one by one
            host = host.astype(accumulator, copy=False)
        if dtype.char not in _ROUNDED or (axes is None and host.flags.forc and dtype.char != "e"):
            return ufunc.reduce(host, axis=axes, dtype=dtype, keepdims=keepdims)
        axes = axes_of(axes, host.ndim)
        if math.prod(host.shape[a] for a in axes) <= _FEW:
            return ufunc.reduce(host, axes, accumulator, keepdims=keepdims).astype(dtype)
        kept = tuple(a for a in range(host.ndim) if a not in axes)
        host = host.transpose(kept + axes)
        shape = host.shape[: len(kept)]
        rows = np.ascontiguousarray(host).reshape(*shape, math.prod(host.shape[len(kept) :]))
        result = ufunc.reduce(rows, axis=-1, dtype=accumulator).astype(dtype, copy=False)
    return np.expand_dims(result, axes) if keepdims else result


def _sum_type(dtype, asked):
    if asked is not None:
        return checked_dtype(asked)
    return np.dtype({"b": "l", "i": "l", "u": "L"}.get(dtype.kind, dtype.char))


def _sum(self, axis=None, dtype=None, out=None, keepdims=False):
    """The sum along axes; integers are added in 64 bits."""
    dtype = _sum_type(self.dtype, dtype)
    return finished(_reduced(np.add, self._host, axis, dtype, keepdims), self, out)


def _prod(self, axis=None, dtype=None, out=None, keepdims=None):
    """The product along axes; integers are multiplied in 64 bits."""
    dtype = _sum_type(self.dtype, dtype)
    return finished(_reduced(np.multiply, self._host, axis, dtype, bool(keepdims)), self, out)


def mean_of(host, axis, dtype, keepdims):
    """The mean along axes, with float16 kept in float32 until the end."""
    count = math.prod(host.shape[a] for a in axes_of(axis, host.ndim))
    wide = _WIDER.get(dtype.char, dtype)
    total = _reduced(np.add, host, axis, wide, keepdims)
    with np.errstate(all="ignore"):
        return np.true_divide(total, np.array(count, wide), dtype=wide)


def _mean_type(dtype, asked):
    if asked is not None:
        return checked_dtype(asked)
    return np.dtype(float) if dtype.kind in "biu" else dtype


def _mean(self, axis=None, dtype=None, out=None, keepdims=False):
    """The arithmetic mean along axes; of integers it is float64."""
    dtype = _mean_type(self.dtype, dtype)
    if dtype.kind in "biu":
        total = _reduced(np.add, self._host, axis, dtype, keepdims)
        count = math.prod(self.shape[a] for a in axes_of(axis, self.ndim))
        return finished(total // count, self, out, dtype)
    return finished(mean_of(self._host, axis, dtype, keepdims), self, out, dtype)


def variance_of(host, axis, dtype, ddof, keepdims):
    """The variance along axes: the mean of the squares of the differences from the mean."""
    axes = axes_of(axis, host.ndim)
    wide = _WIDER.get(dtype.char, dtype)
    with np.errstate(all="ignore"):
        difference = host - mean_of(host, axes, wide, True)
        if difference.dtype.kind == "c":
            squares = difference.real**2 + difference.imag**2
        else:
            squares = difference * difference
        count = math.prod(host.shape[a] for a in axes) - ddof
        total = _reduced(np.add, squares, axes, squares.dtype, keepdims)
        return np.true_divide(total, squares.dtype.type(max(count, 0)))


def _var(self, axis=None, dtype=None, out=None, ddof=0, keepdims=False):
    """The variance along axes, with `ddof` degrees of freedom less than elements."""
    dtype = _mean_type(self.dtype, dtype)
    real = np.empty(0, dtype).real.dtype
    return finished(variance_of(self._host, axis, dtype, ddof, keepdims), self, out, real)


def _std(self, axis=None, dtype=None, out=None, ddof=0, keepdims=False):
    """The standard deviation along axes."""
    dtype = _mean_type(self.dtype, dtype)
    real = np.empty(0, dtype).real.dtype
    with np.errstate(all="ignore"):
        result = np.sqrt(variance_of(self._host, axis, dtype, ddof, keepdims))
    return finished(result, self, out, real)


def extreme(ufunc, array, axis, out, keepdims, name):
    """The largest or smallest elements along axes."""
    axes = axes_of(axis, array.ndim)
    if 0 in (array.shape[a] for a in axes):
        raise ValueError(
            f"zero-size array to reduction operation cupy_{name} which has no identity"
        )
    return finished(ufunc.reduce(array._host, axis=axes, keepdims=keepdims), array, out)


def _max(self, axis=None, out=None, keepdims=False):
    """The largest element along axes; NaN where there is one."""
    return extreme(np.maximum, self, axis, out, keepdims, "max")


def _min(self, axis=None, out=None, keepdims=False):
    """The smallest element along axes; NaN where there is one."""
    return extreme(np.minimum, self, axis, out, keepdims, "min")


def _ptp(self, axis=None, out=None, keepdims=False):
    """The largest element less the smallest."""
    largest = _max(self, axis, None, keepdims)
    smallest = _min(self, axis, None, keepdims)
    return finished(largest._host - smallest._host, self, out)


def _all(self, axis=None, out=None, keepdims=False):
    """Whether all elements along axes are true."""
    axes = axes_of(axis, self.ndim)
    return finished(np.all(self._host, axis=axes, keepdims=keepdims), self, out)


def _any(self, axis=None, out=None, keepdims=False):
    """Whether one element along axes is true."""
    axes = axes_of(axis, self.ndim)
    return finished(np.any(self._host, axis=axes, keepdims=keepdims), self, out)


def _argmax(self, axis=None, out=None, dtype=None, keepdims=False):
    """Index of the largest element along an axis, of all elements without one."""
    return finished(self._host.argmax(axis, keepdims=keepdims), self, out, dtype)


def _argmin(self, axis=None, out=None, dtype=None, keepdims=False):
    """Index of the smallest element along an axis, of all elements without one."""
    return finished(self._host.argmin(axis, keepdims=keepdims), self, out, dtype)


def _cumsum(self, axis=None, dtype=None, out=None):
    """Running sums along an axis, of all elements without one."""
    dtype = _sum_type(self.dtype, dtype)
    host = self._host.ravel() if axis is None else self._host
    (axis,) = axes_of(axis, host.ndim)
    if dtype.char not in _ROUNDED:
        return finished(np.cumsum(host, axis, dtype), self, out)
    rows = np.moveaxis(host, axis, -1).astype(_WIDER.get(dtype.char, dtype), order="C")
    return finished(np.moveaxis(_scan(rows), -1, axis), self, out, dtype)


def _scan(rows):
    """Running sums along the last axis: within blocks, then of the blocks."""
    length = rows.shape[-1]
    if length <= _BLOCK or rows.size == 0:
        return np.cumsum(rows, axis=-1, dtype=rows.dtype)
    blocks = -(-length // _BLOCK)
    padded = np.zeros((*rows.shape[:-1], blocks * _BLOCK), rows.dtype)
    padded[..., :length] = rows
    padded = padded.reshape(*rows.shape[:-1], blocks, _BLOCK)
    sums = np.cumsum(padded, axis=-1, dtype=rows.dtype)
    sums[..., 1:, :] += _scan(np.ascontiguousarray(sums[..., :-1, -1]))[..., None]
    return sums.reshape(*rows.shape[:-1], -1)[..., :length]


def _cumprod(self, axis=None, dtype=None, out=None):
    """Running products along an axis, of all elements without one."""
    dtype = _sum_type(self.dtype, dtype)
    with np.errstate(all="ignore"):
        return finished(np.cumprod(self._host, axis, dtype), self, out)


METHODS = {
    f.__name__[1:]: f
    for f in (
        *(_all, _any, _argmax, _argmin, _cumprod, _cumsum),
        *(_max, _mean, _min, _prod, _ptp, _std, _sum, _var),
    )
}
for _name, _function in METHODS.items():
    _function.__name__ = _name
    _function.__qualname__ = f"ndarray.{_name}"
    setattr(ndarray, _name, _function)
