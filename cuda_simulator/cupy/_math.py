"""Mathematical functions that are no ufuncs and no reductions."""

import warnings

import numpy as np

from ._creation import array as make
from ._creation import asarray, empty
from ._declare import define, quiet, wrapped
from ._ndarray import from_host, ndarray

__all__ = [
    "around",
    "bartlett",
    "blackman",
    "clip",
    "convolve",
    "cumproduct",
    "cumulative_prod",
    "cumulative_sum",
    "diff",
    "ediff1d",
    "gradient",
    "hamming",
    "hanning",
    "imag",
    "interp",
    "kaiser",
    "nan_to_num",
    "product",
    "real",
    "real_if_close",
    "round",
    "round_",
    "trapezoid",
    "trapz",
]

__all__ += define(
    globals(),
    "angle(z: operand, deg=False)",
    "unwrap(p: arraylike, discont=None, axis=-1, *, period=2 * numpy.pi)",
)


def real(val):
    """The real parts, a view of complex numbers; what is on the host is copied to the device."""
    return (val if isinstance(val, ndarray) else make(val)).real


def imag(val):
    """The imaginary parts, a view of complex numbers; what is on the host is copied."""
    return (val if isinstance(val, ndarray) else make(val)).imag


def real_if_close(a, tol=100):
    """The real parts where no imaginary part matters, else the array itself."""
    if a.dtype.kind != "c":
        return a
    tol = np.finfo(a.dtype).eps * tol if tol > 1 else tol
    return a.real if (np.abs(a._host.imag) < tol).all() else a


def clip(a, a_min, a_max, out=None):
    """The elements, none below or above a limit; limits are device arrays, scalars or None."""
    return a.clip(a_min, a_max, out=out)


def around(a, decimals=0, out=None):
    """Rounded to decimals, halves to even; what is on the host is copied to the device."""
    return asarray(a).round(decimals, out=out)


def round(a, decimals=0, out=None):
    """`around`."""
    return around(a, decimals, out)


def round_(a, decimals=0, out=None):
    """`around` by its old name."""
    warnings.warn("Please use `round` instead.", DeprecationWarning, stacklevel=2)
    return around(a, decimals, out)


def nan_to_num(x, copy=True, nan=0.0, posinf=None, neginf=None):
    """The elements with numbers for NaN and infinities."""
    if not isinstance(x, ndarray):
        if not np.isscalar(x):
            raise TypeError(f"Unsupported type {type(x)}")
        return wrapped(np.asarray(np.nan_to_num(x, True, nan, posinf, neginf)))
    result = np.nan_to_num(x._host, copy, nan, posinf, neginf)
    return wrapped(result, x) if copy else from_host(result, x, out=x)


@quiet
def convolve(a, v, mode="full"):
    """Convolution of vectors, the first of which may have any shape."""
    for name, array in (("a", a), ("v", v)):
        if array.size == 0:
            raise ValueError(f"{name} cannot be empty")
    if v.ndim > 1:
        raise ValueError("v cannot be multidimensional array")
    return wrapped(np.convolve(a._host.ravel(), v._host.ravel(), mode), a, v)


@quiet
def interp(x, xp, fp, left=None, right=None, period=None):
    """Linear interpolation between points; the result is float64 or complex128."""
    if xp.ndim != 1 or fp.ndim != 1:
        raise ValueError("xp and fp must be 1D arrays")
    if xp.size != fp.size:
        raise ValueError("fp and xp are not of the same length")
    if xp.size == 0:
        raise ValueError("array of sample points is empty")
    if not x.flags.c_contiguous:
        raise NotImplementedError("Non-C-contiguous x is currently not supported")
    if "c" in (x.dtype.kind, xp.dtype.kind):
        raise TypeError("Cannot cast array data from complex to float64")
    if period == 0:
        raise ValueError("period must be a non-zero value")
    left, right = (e._host if isinstance(e, ndarray) else e for e in (left, right))
    result = np.interp(x._host, xp._host, fp._host, left, right, period)
    return wrapped(np.asarray(result), x, xp, fp)


@quiet
def diff(a, n=1, axis=-1, prepend=None, append=None):
    """Differences of neighbours; what is on the host is copied to the device."""
    if n == 0:
        return a
    if n < 0:
        raise ValueError(f"order must be non-negative but got {n!r}")
    a = asarray(a)
    ends = {"prepend": prepend, "append": append}
    ends = {name: asarray(end) for name, end in ends.items() if end is not None}
    host = {name: end._host for name, end in ends.items()}
    return wrapped(np.diff(a._host, n, axis, **host), a, *ends.values())


@quiet
def ediff1d(arr, to_end=None, to_begin=None):
    """Differences of neighbours in one dimension, with more elements at the ends."""
    ends = {"to_end": to_end, "to_begin": to_begin}
    ends = {name: end for name, end in ends.items() if end is not None}
    for name, value in {"arr": arr, **ends}.items():
        if not isinstance(value, ndarray):
            raise TypeError(f"`{name}` should be of type cupy.ndarray")
    host = {name: end._host for name, end in ends.items()}
    return wrapped(np.ediff1d(arr._host, **host), arr, *ends.values())


@quiet
def gradient(f, *varargs, axis=None, edge_order=1):
    """Central differences along each axis, in a list where there are several."""
    f = asarray(f)
    spacing = [v._host if isinstance(v, ndarray) else v for v in varargs]
    result = np.gradient(f._host, *spacing, axis=axis, edge_order=edge_order)
    return wrapped(list(result) if isinstance(result, tuple) else result, f)


@quiet
def trapezoid(y, x=None, dx=1.0, axis=-1):
    """Integral by the trapezoidal rule."""
    sources = {"y": y} if x is None else {"y": y, "x": x}
    for name, value in sources.items():
        if not isinstance(value, ndarray):
            raise TypeError(f"`{name}` should be of type cupy.ndarray")
    host = {name: value._host for name, value in sources.items()}
    return wrapped(np.asarray(np.trapezoid(**host, dx=dx, axis=axis)), *sources.values())


def trapz(y, x=None, dx=1.0, axis=-1):
    """`trapezoid` by its old name."""
    return trapezoid(y, x, dx, axis)


def _cumulative(scan, identity, x, axis, dtype, out, include_initial):
    if not isinstance(x, ndarray):
        raise TypeError("`x` should be of type cupy.ndarray")
    if axis is None and x.ndim > 1:
        raise ValueError("For arrays which have more than one dimension ``axis`` is required.")
    x = x if x.ndim else x.ravel()
    axis = 0 if axis is None else range(x.ndim)[axis]
    if not include_initial:
        return scan(x, axis, dtype, out)
    scanned = scan(x, axis, dtype)
    shape = [length + (i == axis) for i, length in enumerate(x.shape)]
    out = empty(tuple(shape), scanned.dtype) if out is None else out
    before = (slice(None),) * axis
    out[(*before, 0)] = identity
    out[(*before, slice(1, None))] = scanned
    return out


def cumulative_sum(x, /, *, axis=None, dtype=None, out=None, include_initial=False):
    """Sums of all elements up to each one, with the zero before them if wanted."""
    return _cumulative(ndarray.cumsum, 0, x, axis, dtype, out, include_initial)


def cumulative_prod(x, /, *, axis=None, dtype=None, out=None, include_initial=False):
    """Products of all elements up to each one, with the one before them if wanted."""
    return _cumulative(ndarray.cumprod, 1, x, axis, dtype, out, include_initial)


def product(a, axis=None, dtype=None, out=None, keepdims=False):
    """`prod` by its old name."""
    warnings.warn("Please use `prod` instead.", DeprecationWarning, stacklevel=2)
    return a.prod(axis, dtype, out, keepdims)


def cumproduct(a, axis=None, dtype=None, out=None):
    """`cumprod` by its old name."""
    warnings.warn("Please use `cumprod` instead.", DeprecationWarning, stacklevel=2)
    return a.cumprod(axis, dtype, out)


def bartlett(M):
    """The Bartlett window."""
    return from_host(np.bartlett(M))


def blackman(M):
    """The Blackman window."""
    return from_host(np.blackman(M))


def hamming(M):
    """The Hamming window."""
    return from_host(np.hamming(M))


def hanning(M):
    """The Hanning window."""
    return from_host(np.hanning(M))


def kaiser(M, beta):
    """The Kaiser window."""
    return from_host(np.kaiser(M, beta))
