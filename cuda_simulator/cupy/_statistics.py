"""Histograms, counts and correlations."""

import operator
import warnings

import numpy as np

from ._creation import asarray, zeros
from ._declare import define, quiet, wrapped
from ._ndarray import ndarray

__all__ = [
    "bincount",
    "corrcoef",
    "correlate",
    "digitize",
    "histogram",
    "histogram2d",
    "histogramdd",
]

__all__ += define(
    globals(),
    "cov(a: array, y: array=None, rowvar=True, bias=False, ddof=None, fweights: array=None, "
    "aweights: array=None, *, dtype=None)",
)


@quiet
def corrcoef(a, y=None, rowvar=True, bias=None, ddof=None, *, dtype=None):
    """Correlation coefficients of variables in rows, or in columns without `rowvar`."""
    if bias is not None or ddof is not None:
        warnings.warn("bias and ddof have no effect", DeprecationWarning, stacklevel=2)
    sources = [a] if y is None else [a, y]
    host = [source._host for source in sources]
    return wrapped(np.asarray(np.corrcoef(*host, rowvar=rowvar, dtype=dtype)), *sources)


@quiet
def correlate(a, v, mode="valid"):
    """Cross-correlation of two vectors."""
    if a.size == 0 or v.size == 0:
        raise ValueError("Array arguments cannot be empty")
    if a.ndim != 1 or v.ndim != 1:
        raise ValueError("object too deep for desired array")
    return wrapped(np.correlate(a._host, v._host, mode), a, v)


def _check_vector(x):
    if x.ndim != 1:
        reason = "object too deep" if x.ndim else "object of too small depth"
        raise ValueError(f"{reason} for desired array")


def digitize(x, bins, right=False):
    """Index of the bin that each element falls into."""
    if x.dtype.kind == "c":
        raise TypeError("x may not be complex")
    _check_vector(bins)
    return wrapped(np.asarray(np.digitize(x._host, bins._host, right)), x, bins)


def bincount(x, weights=None, minlength=None):
    """How often each integer occurs, or the sum of the weights there."""
    _check_vector(x)
    if x.dtype.kind == "f":
        raise TypeError("x must be int array")
    if (x._host < 0).any():
        raise ValueError("The first argument of bincount must be non-negative")
    if weights is not None and x.shape != weights.shape:
        raise ValueError("The weights and list don't have the same length.")
    minlength = 0 if minlength is None else int(minlength)
    if minlength < 0:
        raise ValueError("minlength must be non-negative")
    if x.size == 0:
        return zeros((minlength,), np.intp)
    sources = [x] if weights is None else [x, weights]
    host = [source._host for source in sources]
    host[0] = host[0].astype(np.intp, copy=False)
    return wrapped(np.bincount(*host, minlength=minlength), *sources)


def _outer_edges(a, range):
    if range is not None:
        first, last = (r._host if isinstance(r, ndarray) else r for r in range)
        if first > last:
            raise ValueError("max must be larger than min in range parameter.")
        if not (np.isfinite(first) and np.isfinite(last)):
            raise ValueError(f"supplied range of [{first}, {last}] is not finite")
    elif a.size == 0:
        first, last = 0, 1
    else:
        first, last = a.min(), a.max()
        if not (np.isfinite(first) and np.isfinite(last)):
            raise ValueError(f"autodetected range of [{first}, {last}] is not finite")
    return (first - 0.5, last + 0.5) if first == last else (first, last)


def _bin_edges(a, bins, range):
    if isinstance(bins, str):
        raise NotImplementedError("only integer and array bins are implemented")
    if isinstance(bins, ndarray) or np.ndim(bins) == 1:
        edges = asarray(bins)._host
        if (edges[:-1] > edges[1:]).any():
            raise ValueError("`bins` must increase monotonically, when an array")
        return edges
    if np.ndim(bins):
        raise ValueError("`bins` must be 1d, when an array")
    try:
        count = operator.index(bins)
    except TypeError:
        raise TypeError("`bins` must be an integer, a string, or an array") from None
    if count < 1:
        raise ValueError("`bins` must be positive, when an integer")
    first, last = _outer_edges(a, range)
    dtype = np.result_type(first, last, a)
    dtype = np.result_type(dtype, float) if np.issubdtype(dtype, np.integer) else dtype
    return np.linspace(first, last, count + 1, dtype=dtype)


@quiet
def histogram(x, bins=10, range=None, density=False, weights=None):
    """Counts, or sums of weights, by bin, and the edges of the bins."""
    if x.dtype.kind == "c":
        raise NotImplementedError("complex number is not supported")
    if not isinstance(x, ndarray):
        raise ValueError("x must be a cupy.ndarray")
    host = x._host.ravel()
    if host.dtype == bool:
        warnings.warn("Converting input from bool to uint8", RuntimeWarning, stacklevel=2)
        host = host.astype(np.uint8)
    if weights is not None:
        if not isinstance(weights, ndarray):
            raise ValueError("weights must be a cupy.ndarray")
        if weights.shape != x.shape:
            raise ValueError("weights should have the same shape as a.")
    edges = _bin_edges(host, bins, range)
    # each element is compared with the edges themselves, as CuPy's kernels do
    index = np.searchsorted(edges, host, side="right") - 1
    index[host == edges[-1]] = edges.size - 2
    inside = (index >= 0) & (index < edges.size - 1)
    counts = _binned(index[inside], weights, inside, edges.size - 1)
    sources = [x] if weights is None else [x, weights]
    if density:
        counts = counts / np.diff(edges).astype(float) / counts.sum()
    return wrapped((counts, edges), *sources)


def _binned(index, weights, inside, count):
    if weights is None:
        return np.bincount(index, minlength=count)
    values = weights._host.ravel()[inside]
    if values.dtype.kind == "c":
        parts = (np.bincount(index, part, count) for part in (values.real, values.imag))
        real, imaginary = parts
        return real + 1j * imaginary
    sums = np.bincount(index, values, count)
    return sums.astype(int) if values.dtype.kind in "bui" else sums


@quiet
def histogramdd(sample, bins=10, range=None, weights=None, density=False):
    """Counts in bins of several dimensions, and the edges of each."""
    sources = [sample] if isinstance(sample, ndarray) else list(sample)
    host = [source._host for source in sources]
    sample = host[0] if isinstance(sample, ndarray) else np.stack(host, axis=-1)
    if weights is not None:
        weights = asarray(weights)
        sources.append(weights)
    if not np.isscalar(bins):
        if any(not isinstance(b, ndarray) and np.ndim(b) for b in bins):
            raise ValueError("array-like bins not supported")
        bins = [b._host if isinstance(b, ndarray) else b for b in bins]
    counts, edges = np.histogramdd(
        sample, bins, range, density, None if weights is None else weights._host
    )
    return wrapped((counts, list(edges)), *sources)


def histogram2d(x, y, bins=10, range=None, weights=None, density=None):
    """Counts in bins of two dimensions, and the edges of both."""
    if isinstance(bins, ndarray):
        bins = [bins, bins]
    elif not np.isscalar(bins) and len(bins) > 2:
        raise ValueError("array-like bins not supported in CuPy")
    counts, (first, second) = histogramdd([x, y], bins, range, weights, bool(density))
    return counts, first, second
