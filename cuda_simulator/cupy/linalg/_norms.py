"""Norms, determinants and ranks."""

import numpy as np
from numpy.linalg import LinAlgError

from .._creation import asarray
from .._declare import quiet, wrapped
from ._check import check, solved


@quiet
def norm(x, ord=None, axis=None, keepdims=False):
    """Norm of vectors along an axis, or of matrices along two."""
    host = x._host if x.dtype.kind in "fc" else x._host.astype(float)
    if axis is not None and not isinstance(axis, tuple):
        try:
            axis = (int(axis),)
        except Exception:
            raise TypeError("'axis' must be None, an integer or a tuple of integers") from None
    if axis is None and ord is None:
        host = np.ascontiguousarray(host)  # sums are pairwise there, as exact as CuPy's
    if axis is not None and len(axis) == 1:
        host = np.ascontiguousarray(np.moveaxis(host, axis[0], -1))
        result = np.linalg.norm(host, ord, -1)
        result = np.expand_dims(result, axis[0]) if keepdims else result
    else:
        result = np.linalg.norm(host, ord, axis, keepdims)
    return wrapped(np.asarray(result), x)


def cond(x, p=None):
    """Condition number."""
    x = asarray(x)
    if x.size == 0:
        raise LinAlgError("cond is not defined on empty arrays")
    check(x, ndim=2)
    return solved(lambda x: np.linalg.cond(x, p), x)


def slogdet(a):
    """Sign and logarithm of the determinant."""
    check(a, ndim=2, square=True)
    return solved(lambda a: tuple(np.asarray(r) for r in np.linalg.slogdet(a)), a)


@quiet
def det(a):
    """Determinant, from its logarithm as in CuPy."""
    sign, logarithm = slogdet(a)
    return sign * wrapped(np.exp(logarithm._host), logarithm)


def matrix_rank(M, tol=None):
    """Number of singular values above a bound."""
    return wrapped(np.asarray(np.linalg.matrix_rank(M._host, tol)), M)
