"""Reductions and scans as functions: sums, extremes, means, medians, and those without NaN.

Like CuPy's they call the method of their argument where there is one of the name.
"""

import warnings

import numpy as np

from ._creation import asarray
from ._dtypes import checked_dtype
from ._ndarray import ndarray, view
from ._reduce import axes_of, finished

__all__ = [
    "all",
    "amax",
    "amin",
    "any",
    "argmax",
    "argmin",
    "average",
    "count_nonzero",
    "cumprod",
    "cumsum",
    "max",
    "mean",
    "median",
    "min",
    "nanargmax",
    "nanargmin",
    "nancumprod",
    "nancumsum",
    "nanmax",
    "nanmean",
    "nanmedian",
    "nanmin",
    "nanprod",
    "nanstd",
    "nansum",
    "nanvar",
    "prod",
    "ptp",
    "std",
    "sum",
    "var",
]


def _array(a):
    if not isinstance(a, ndarray):
        raise TypeError(f"Argument 'a' has incorrect type (got {type(a).__name__})")
    return a


def all(a, axis=None, out=None, keepdims=False):
    """Whether all elements along axes are true."""
    return _array(a).all(axis=axis, out=out, keepdims=keepdims)


def any(a, axis=None, out=None, keepdims=False):
    """Whether one element along axes is true."""
    return _array(a).any(axis=axis, out=out, keepdims=keepdims)


def sum(a, axis=None, dtype=None, out=None, keepdims=False):
    """The sum along axes."""
    return a.sum(axis, dtype, out, keepdims)


def prod(a, axis=None, dtype=None, out=None, keepdims=False):
    """The product along axes."""
    return a.prod(axis, dtype, out, keepdims)


def cumsum(a, axis=None, dtype=None, out=None):
    """Running sums along an axis, of all elements without one."""
    return _array(a).cumsum(axis, dtype, out)


def cumprod(a, axis=None, dtype=None, out=None):
    """Running products along an axis, of all elements without one."""
    return _array(a).cumprod(axis, dtype, out)


def amax(a, axis=None, out=None, keepdims=False):
    """The largest element along axes."""
    return a.max(axis=axis, out=out, keepdims=keepdims)


def amin(a, axis=None, out=None, keepdims=False):
    """The smallest element along axes."""
    return a.min(axis=axis, out=out, keepdims=keepdims)


max, min = amax, amin


def ptp(a, axis=None, out=None, keepdims=False):
    """The largest element less the smallest."""
    return a.ptp(axis=axis, out=out, keepdims=keepdims)


def argmax(a, axis=None, dtype=None, out=None, keepdims=False):
    """Index of the largest element."""
    return a.argmax(axis=axis, dtype=dtype, out=out, keepdims=keepdims)


def argmin(a, axis=None, dtype=None, out=None, keepdims=False):
    """Index of the smallest element."""
    return a.argmin(axis=axis, dtype=dtype, out=out, keepdims=keepdims)


def mean(a, axis=None, dtype=None, out=None, keepdims=False):
    """The arithmetic mean along axes."""
    return a.mean(axis=axis, dtype=dtype, out=out, keepdims=keepdims)


def var(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False):
    """The variance along axes."""
    return a.var(axis=axis, dtype=dtype, out=out, ddof=ddof, keepdims=keepdims)


def std(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False):
    """The standard deviation along axes."""
    return a.std(axis=axis, dtype=dtype, out=out, ddof=ddof, keepdims=keepdims)


def count_nonzero(a, axis=None):
    """How many elements along axes are not zero."""
    return finished(np.count_nonzero(_array(a)._host, axes_of(axis, a.ndim)), a)


def median(a, axis=None, out=None, overwrite_input=False, keepdims=False):
    """The median along axes; of integers it is float64."""
    return finished(_silent(np.median, _array(a)._host, axis, keepdims), a, out)


def _silent(function, host, axis, keepdims, **kwargs):
    """NumPy's function without its warnings of empty slices, where CuPy just gives NaN."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return function(host, axis=axis, keepdims=keepdims, **kwargs)


def average(a, axis=None, weights=None, returned=False, *, keepdims=False):
    """The weighted mean along an axis."""
    a = asarray(a)
    if weights is None:
        result = a.mean(axis=axis, keepdims=keepdims)
        total = result.dtype.type(a.size / result.size)
    else:
        weights = asarray(weights)
        dtype = np.promote_types(a.dtype, weights.dtype)
        if a.dtype.kind in "biu":
            dtype = np.promote_types(dtype, float)
        weights = _broadcast_weights(a, weights, axis)
        total = weights.sum(axis=axis, dtype=dtype, keepdims=keepdims)
        if (total == 0.0).any():
            raise ZeroDivisionError("Weights sum to zero, can't be normalized")
        weighted = a.astype(dtype, copy=False) * weights.astype(dtype, copy=False)
        result = weighted.sum(axis, keepdims=keepdims) / total
    if not returned:
        return result
    if np.shape(total) != result.shape:
        filled = result.copy()
        filled[...] = total
        total = filled
    return result, total


def _broadcast_weights(a, weights, axis):
    if a.shape == weights.shape:
        return weights
    if axis is None:
        raise TypeError("Axis must be specified when shapes of a and weights differ.")
    if weights.ndim != 1:
        raise TypeError("1D weights expected when shapes of a and weights differ.")
    if weights.shape[0] != a.shape[axis]:
        raise ValueError("Length of weights not compatible with specified axis.")
    shape = [1] * a.ndim
    shape[axis] = -1
    return view(weights, np.broadcast_to(weights._host.reshape(shape), a.shape))


def _without_nan(a, value):
    """The array with a value in place of NaN."""
    if _array(a).dtype.kind not in "fc":
        return a
    result = a.copy()
    host = result._host
    host[np.isnan(host)] = value
    return result


def nansum(a, axis=None, dtype=None, out=None, keepdims=False):
    """The sum of the elements that are not NaN."""
    return _without_nan(a, 0).sum(axis, dtype, out, keepdims)


def nanprod(a, axis=None, dtype=None, out=None, keepdims=False):
    """The product of the elements that are not NaN."""
    return _without_nan(a, 1).prod(axis, dtype, out, keepdims)


def nancumsum(a, axis=None, dtype=None, out=None):
    """Running sums with NaN as zero."""
    return _without_nan(a, 0).cumsum(axis, dtype, out)


def nancumprod(a, axis=None, dtype=None, out=None):
    """Running products with NaN as one."""
    return _without_nan(a, 1).cumprod(axis, dtype, out)


def _nan_extreme(a, axis, out, keepdims, ufunc):
    axes = axes_of(axis, _array(a).ndim)
    result = finished(ufunc.reduce(a._host, axis=axes, keepdims=keepdims), a, out)
    if result.dtype.kind in "fc" and np.isnan(result._host).any():
        warnings.warn("All-NaN slice encountered", RuntimeWarning, stacklevel=3)
    return result


def nanmax(a, axis=None, out=None, keepdims=False):
    """The largest of the elements that are not NaN."""
    return _nan_extreme(a, axis, out, keepdims, np.fmax)


def nanmin(a, axis=None, out=None, keepdims=False):
    """The smallest of the elements that are not NaN."""
    return _nan_extreme(a, axis, out, keepdims, np.fmin)


def nanargmax(a, axis=None, dtype=None, out=None, keepdims=False):
    """Index of the largest of the elements that are not NaN."""
    return argmax(_without_nan(a, -np.inf), axis, dtype, out, keepdims)


def nanargmin(a, axis=None, dtype=None, out=None, keepdims=False):
    """Index of the smallest of the elements that are not NaN."""
    return argmin(_without_nan(a, np.inf), axis, dtype, out, keepdims)


def nanmedian(a, axis=None, out=None, overwrite_input=False, keepdims=False):
    """The median of the elements that are not NaN."""
    return finished(_silent(np.nanmedian, _array(a)._host, axis, keepdims), a, out)


def nanmean(a, axis=None, dtype=None, out=None, keepdims=False):
    """The mean of the elements that are not NaN."""
    if a.dtype.kind in "biu":
        return a.mean(axis=axis, dtype=dtype, out=out, keepdims=keepdims)
    return _nan_moment(np.nanmean, a, axis, dtype, out, keepdims)


def nanvar(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False):
    """The variance of the elements that are not NaN."""
    if a.dtype.kind in "biu":
        return a.var(axis=axis, dtype=dtype, out=out, ddof=ddof, keepdims=keepdims)
    return _nan_moment(np.nanvar, a, axis, dtype, out, keepdims, ddof=ddof)


def nanstd(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False):
    """The standard deviation of the elements that are not NaN."""
    if a.dtype.kind in "biu":
        return a.std(axis=axis, dtype=dtype, out=out, ddof=ddof, keepdims=keepdims)
    return _nan_moment(np.nanstd, a, axis, dtype, out, keepdims, ddof=ddof)


def _nan_moment(function, a, axis, dtype, out, keepdims, **kwargs):
    narrow = checked_dtype(a.dtype if dtype is None else dtype)
    wide = np.promote_types(narrow, np.float32)  # float16 is summed in float32
    host = _silent(function, a._host.astype(wide), axis, keepdims, **kwargs)
    real = host.dtype.kind == "f" and wide.kind == "c"
    return finished(host, a, out, host.dtype if real else narrow)
