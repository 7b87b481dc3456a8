"""Polynomials as arrays of coefficients, the highest power first. There is no `poly1d`."""

import warnings

import numpy as np

from ._creation import asarray
from ._declare import quiet, wrapped
from ._ndarray import ndarray

__all__ = ["poly", "polyadd", "polyfit", "polymul", "polysub", "polyval", "roots"]


def _coefficients(*polynomials):
    for p in polynomials:
        if not isinstance(p, ndarray) and not np.isscalar(p):
            raise TypeError("Unsupported type")
        if isinstance(p, ndarray) and p.ndim > 1:
            raise ValueError("Multidimensional inputs are not supported")
    return [p if isinstance(p, ndarray) else asarray([p]) for p in polynomials]


@quiet
def _combined(function, a1, a2):
    a1, a2 = _coefficients(a1, a2)
    return wrapped(function(a1._host, a2._host), a1, a2)


def polyadd(a1, a2):
    """Sum of two polynomials."""
    return _combined(np.polyadd, a1, a2)


def polysub(a1, a2):
    """Difference of two polynomials."""
    return _combined(np.polysub, a1, a2)


def polymul(a1, a2):
    """Product of two polynomials."""
    return _combined(np.polymul, a1, a2)


@quiet
def polyval(p, x):
    """Values of a polynomial."""
    if not isinstance(p, ndarray) or p.ndim == 0:
        raise TypeError("p must be 1d ndarray or poly1d object")
    if p.ndim > 1:
        raise ValueError("p must be 1d array")
    x = asarray(x)
    return wrapped(np.asarray(np.polyval(p._host, x._host)), p, x)


@quiet
def polyfit(x, y, deg, rcond=None, full=False, w=None, cov=False):
    """Coefficients of the polynomial that fits points best."""
    if y.dtype == np.float16:
        raise TypeError("float16 y are not supported")
    sources = [x, y] if w is None else [x, y, w]
    host = [a._host.astype(np.result_type(a.dtype, np.float64)) for a in sources]
    with warnings.catch_warnings():
        warnings.simplefilter("always", np.exceptions.RankWarning)
        result = np.polyfit(*host[:2], deg, rcond, full, *host[2:], cov=cov)
    if full:
        *arrays, used = result
        return (*wrapped(tuple(np.asarray(a) for a in arrays), *sources), used)
    return wrapped(result, *sources)


@quiet
def poly(seq_of_zeros):
    """The polynomial with these zeros, or with a Hermitian matrix's eigenvalues as zeros."""
    x = seq_of_zeros
    if x.ndim == 2 and not np.array_equal(x._host, x._host.conj().T):
        raise NotImplementedError("Only complex Hermitian and real symmetric 2d arrays")
    return wrapped(np.poly(x._host), x)


@quiet
def roots(p):
    """Zeros of a polynomial whose companion matrix is Hermitian; others are not supported."""
    if p.dtype.kind == "b":
        raise NotImplementedError("boolean inputs are not supported")
    if p.ndim == 0:
        raise TypeError("0-dimensional input is not allowed")
    host = np.trim_zeros(p._host)
    if host.size > 2:
        companion = np.polynomial.polynomial.polycompanion(host[::-1])
        if not np.array_equal(companion, companion.conj().T):
            raise NotImplementedError("Only complex Hermitian and real symmetric 2d arrays")
    return wrapped(np.roots(p._host), p)
