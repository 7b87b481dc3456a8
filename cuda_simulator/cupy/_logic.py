"""Comparisons of arrays and questions about their elements."""

import warnings

import numpy as np

from ._creation import array, asarray, full
from ._declare import wrapped
from ._ndarray import from_host, ndarray

__all__ = [
    "allclose",
    "alltrue",
    "array_equal",
    "array_equiv",
    "isclose",
    "iscomplex",
    "iscomplexobj",
    "isfortran",
    "isneginf",
    "isposinf",
    "isreal",
    "isrealobj",
    "sometrue",
]


def isclose(a, b, rtol=1e-5, atol=1e-8, equal_nan=False):
    """Where two arrays agree within tolerances; what is on the host is copied to the device."""
    a, b = asarray(a), asarray(b)
    return wrapped(np.isclose(a._host, b._host, rtol, atol, equal_nan), a, b)


def allclose(a, b, rtol=1e-5, atol=1e-8, equal_nan=False):
    """Whether two arrays agree within tolerances, as a device array."""
    return isclose(a, b, rtol, atol, equal_nan).all()


def array_equal(a1, a2, equal_nan=False):
    """Whether two arrays have the same shape and elements, as a device array."""
    if a1.shape != a2.shape:
        return array(False)
    equal = a1 == a2
    if equal_nan:
        equal = equal | ((a1 != a1) & (a2 != a2))
    return equal.all()


def array_equiv(a1, a2):
    """Whether two arrays have the same elements after broadcasting, as a device array."""
    try:
        np.broadcast_shapes(a1.shape, a2.shape)
    except ValueError:
        return array(False)
    return (a1 == a2).all()


def _infinite(function, x, out):
    if x.dtype.kind == "c":
        raise TypeError(f"This operation is not supported for {x.dtype} values")
    host = function(x._host)
    if out is None:
        return wrapped(host, x)
    out._host[...] = host
    return from_host(host, x, out=out)


def isneginf(x, out=None):
    """Where elements are negative infinity."""
    return _infinite(np.isneginf, x, out)


def isposinf(x, out=None):
    """Where elements are positive infinity."""
    return _infinite(np.isposinf, x, out)


def iscomplex(x):
    """Where elements have an imaginary part; a NumPy scalar gives NumPy's answer."""
    if np.isscalar(x):
        return np.iscomplex(x)
    if not isinstance(x, ndarray):
        return asarray(np.iscomplex(x))
    return x.imag != 0 if x.dtype.kind == "c" else full(x.shape, False)


def isreal(x):
    """Where elements have no imaginary part; a NumPy scalar gives NumPy's answer."""
    if np.isscalar(x):
        return np.isreal(x)
    if not isinstance(x, ndarray):
        return asarray(np.isreal(x))
    return x.imag == 0 if x.dtype.kind == "c" else full(x.shape, True)


def iscomplexobj(x):
    """Whether the dtype is complex."""
    return x.dtype.kind == "c" if isinstance(x, ndarray) else np.iscomplexobj(x)


def isrealobj(x):
    """Whether the dtype is not complex."""
    return not iscomplexobj(x)


def isfortran(a):
    """Whether the array is Fortran-contiguous and not C-contiguous."""
    return a.flags.fnc


def alltrue(a, axis=None, out=None, keepdims=False):
    """`all` by its old name."""
    warnings.warn("Please use `all` instead.", DeprecationWarning, stacklevel=2)
    return a.all(axis=axis, out=out, keepdims=keepdims)


def sometrue(a, axis=None, out=None, keepdims=False):
    """`any` by its old name."""
    warnings.warn("Please use `any` instead.", DeprecationWarning, stacklevel=2)
    return a.any(axis=axis, out=out, keepdims=keepdims)
