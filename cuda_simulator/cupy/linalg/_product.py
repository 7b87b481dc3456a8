"""Products of `cupy.linalg`."""

import numpy as np

from .._declare import quiet, wrapped
from ._check import check
from ._solve import inv


@quiet
def matrix_power(M, n):
    """A matrix multiplied with itself `n` times."""
    check(M, ndim=2, square=True)
    if not isinstance(n, int):
        raise TypeError("exponent must be an integer")
    if n < 0:
        M, n = inv(M), -n
    return M if n == 1 else wrapped(np.linalg.matrix_power(M._host, n), M)


def matrix_transpose(a):
    """A view with the last two axes exchanged."""
    if a.ndim < 2:
        raise ValueError("Matrix dimension is less than 2")
    return a.swapaxes(-1, -2)


@quiet
def cross(x1, x2, /, *, axis=-1):
    """Cross products of vectors with three elements along `axis`."""
    if x1.shape != x2.shape:
        raise ValueError("x1 and x2 must have the same shape")
    if x1.ndim == 0:
        raise ValueError("cross() requires arrays of dimension at least 1")
    if x1.shape[axis] != 3:
        raise ValueError("cross() dimension must equal 3")
    return wrapped(np.cross(x1._host, x2._host, axis=axis), x1, x2)
