"""Ranges, grids and indices: device arrays of regular numbers."""

import operator

import numpy as np

from ._creation import array, asarray
from ._dtypes import checked_dtype
from ._ndarray import launched, ndarray, view

__all__ = [
    "arange",
    "c_",
    "diag_indices",
    "diag_indices_from",
    "indices",
    "ix_",
    "linspace",
    "logspace",
    "mask_indices",
    "meshgrid",
    "mgrid",
    "ogrid",
    "r_",
    "ravel_multi_index",
    "tril_indices",
    "tril_indices_from",
    "triu_indices",
    "triu_indices_from",
    "unravel_index",
]


def _number(value):
    """A scalar for NumPy; one element of a device array is fetched."""
    return value.item() if isinstance(value, ndarray) else value


def arange(start, stop=None, step=1, dtype=None):
    """Numbers from `start` up to `stop`, exclusive."""
    start, stop, step = map(_number, (start, stop, 1 if step is None else step))
    if dtype is None:
        kinds = [np.dtype(type(value)).kind for value in (start, stop, step) if value is not None]
        dtype = float if "f" in kinds else int
    if stop is None:
        start, stop = 0, start
    dtype = checked_dtype(dtype)
    size = int(np.ceil((stop - start) / step))
    if dtype.kind == "b":
        if size > 2:
            raise TypeError(
                "arange() is only supported for booleans when the result has at most length 2."
            )
        return array([start, start - step][:size], dtype)
    # CuPy multiplies in the dtype, NumPy adds the difference of the first two
    first, difference = (np.array(value).astype(dtype) for value in (start, step))
    with np.errstate(all="ignore"):
        counted = np.arange(max(size, 0)).astype(dtype)
        return launched(first + counted * difference)


def linspace(start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0):
    """Evenly spaced numbers; the ends may be arrays."""
    if num < 0:
        raise ValueError("linspace with num<0 is not supported")
    ends = [value if np.isscalar(value) else asarray(value) for value in (start, stop)]
    sources = [value for value in ends if isinstance(value, ndarray)]
    hosts = [value._host if isinstance(value, ndarray) else value for value in ends]
    floating = np.result_type(*hosts, float(num))
    with np.errstate(all="ignore"):
        values, step = np.linspace(*hosts, num, endpoint, True, floating, axis)
        if dtype is not None and np.issubdtype(dtype, np.integer):
            values = np.floor(values)
        values = values.astype(floating if dtype is None else checked_dtype(dtype))
    result = launched(values, *sources)
    if not retstep:
        return result
    return result, launched(np.asarray(step), *sources) if sources else float(step)


def logspace(start, stop, num=50, endpoint=True, base=10.0, dtype=None, axis=0):
    """Numbers whose logarithms are evenly spaced."""
    import cupy

    exponents = linspace(start, stop, num, endpoint, axis=axis)
    values = cupy.power(base, exponents)
    return values if dtype is None else values.astype(dtype)


def meshgrid(*xi, **kwargs):
    """Coordinate arrays of a grid, from one vector an axis."""
    indexing = kwargs.pop("indexing", "xy")
    copy = bool(kwargs.pop("copy", True))
    sparse = bool(kwargs.pop("sparse", False))
    if kwargs:
        raise TypeError(f"meshgrid() got an unexpected keyword argument '{next(iter(kwargs))}'")
    if indexing not in ("xy", "ij"):
        raise ValueError("Valid values for `indexing` are 'xy' and 'ij'.")
    for x in xi:
        if x.ndim != 1:
            raise ValueError("input has to be 1d")
        if not isinstance(x, ndarray):
            raise ValueError("input has to be cupy.ndarray")
    if len(xi) <= 1:
        return tuple(xi)
    hosts = np.meshgrid(*(x._host for x in xi), indexing=indexing, sparse=sparse, copy=False)
    views = [view(x, host) for x, host in zip(xi, hosts, strict=True)]
    return tuple(v.copy() for v in views) if copy else tuple(views)


class _Grid:
    """`mgrid` and `ogrid`: indexed with slices, they give NumPy's values on the device."""

    def __init__(self, host):
        self._host = host

    def __getitem__(self, key):
        result = self._host[key]
        if isinstance(result, tuple | list):
            return [launched(r) for r in result]
        return launched(result)

    def __len__(self):
        return 0


mgrid, ogrid = _Grid(np.mgrid), _Grid(np.ogrid)


class _Concatenator:
    """`r_` and `c_`: arrays and scalars of an index, one after the other."""

    def __init__(self, axis, columns):
        self._axis = axis
        self._columns = columns

    def __getitem__(self, key):
        import cupy

        parts = key if isinstance(key, tuple) else (key,)
        if any(isinstance(part, slice | str) for part in parts):
            raise NotImplementedError("slices and directives are not supported")
        scalar = [type(part) in np.ScalarType for part in parts]
        arrays = [array(p, copy=False) for p in parts]
        dtype = np.result_type(
            *(a.dtype for a, s in zip(arrays, scalar, strict=True) if not s),
            *(p for p, s in zip(parts, scalar, strict=True) if s),
        )
        return cupy.concatenate([self._part(a).astype(dtype, copy=False) for a in arrays], -1)

    def _part(self, a):
        if not self._columns:
            return a.reshape(1) if a.ndim == 0 else a
        return a if a.ndim > 1 else a.reshape(-1, 1)

    def __len__(self):
        return 0


r_, c_ = _Concatenator(0, columns=False), _Concatenator(-1, columns=True)


def indices(dimensions, dtype=int):
    """The index of each element of a grid, one array an axis."""
    return launched(np.indices(tuple(dimensions), checked_dtype(dtype)))


def ix_(*args):
    """Vectors as an open grid of indices."""
    vectors = []
    for k, vector in enumerate(map(asarray, args)):
        if vector.ndim != 1:
            raise ValueError("Cross index must be 1 dimensional")
        if vector.size == 0:
            vector = vector.astype(np.intp)
        if vector.dtype == bool:
            (vector,) = vector.nonzero()
        vectors.append(vector.reshape((1,) * k + (-1,) + (1,) * (len(args) - k - 1)))
    return tuple(vectors)


def diag_indices(n, ndim=2):
    """Indices of a diagonal."""
    return (arange(n),) * ndim


def diag_indices_from(arr):
    """Indices of the diagonal of an array whose axes have one length."""
    if not isinstance(arr, ndarray):
        raise TypeError("Argument must be cupy.ndarray")
    if arr.ndim < 2:
        raise ValueError("input array must be at least 2-d")
    if len(set(arr.shape)) > 1:
        raise ValueError("All dimensions of input must be of equal length")
    return diag_indices(arr.shape[0], arr.ndim)


def mask_indices(n, mask_func, k=0):
    """Indices that a function such as `triu` leaves in a square matrix."""
    import cupy

    return mask_func(cupy.ones((n, n), dtype=np.int8), k).nonzero()


def tril_indices(n, k=0, m=None):
    """Indices at and below a diagonal."""
    return tuple(map(launched, np.tril_indices(n, k, m)))


def triu_indices(n, k=0, m=None):
    """Indices at and above a diagonal."""
    return tuple(map(launched, np.triu_indices(n, k, m)))


def tril_indices_from(arr, k=0):
    """Indices of a matrix at and below a diagonal."""
    if arr.ndim != 2:
        raise ValueError("input array must be 2-d")
    return tril_indices(arr.shape[0], k, arr.shape[1])


def triu_indices_from(arr, k=0):
    """Indices of a matrix at and above a diagonal."""
    if arr.ndim != 2:
        raise ValueError("input array must be 2-d")
    return triu_indices(arr.shape[0], k, arr.shape[1])


def ravel_multi_index(multi_index, dims, mode="wrap", order="C"):
    """Indices into the flattened array, of one index array an axis."""
    if len(multi_index) != len(dims):
        raise ValueError(f"parameter multi_index must be a sequence of length {len(dims)}")
    for index in multi_index:
        if not isinstance(index, ndarray):
            raise TypeError("elements of multi_index must be cupy arrays")
        if not np.can_cast(index.dtype, np.int64, "same_kind"):
            raise TypeError(f"multi_index entries could not be cast from {index.dtype} to int64")
    hosts = [index._host.astype(np.int64) for index in multi_index]
    dims = tuple(map(operator.index, dims))
    modes = tuple(mode) if not isinstance(mode, str) else mode
    return launched(
        np.asarray(np.ravel_multi_index(hosts, dims, modes, order or "C")), *multi_index
    )


def unravel_index(indices, dims, order="C"):
    """Indices of each axis, of indices into the flattened array, which wrap around."""
    if not isinstance(indices, ndarray) or not np.can_cast(indices.dtype, np.int64, "same_kind"):
        raise TypeError("indices must be a device array of integers")
    if (order or "C") not in ("C", "F"):
        raise ValueError("order not understood")
    size = int(np.prod(dims))
    if indices.size and not (indices._host.min() >= 0 and indices._host.max() < size):
        raise ValueError("invalid entry in index array")
    found = np.unravel_index(indices._host.astype(np.int64), dims, order or "C")
    return tuple(launched(np.asarray(f), indices) for f in found)
