"""Linear equations, inverses and least squares.

As on a GPU, a singular matrix raises nothing: what LAPACK leaves after the division by zero
is the result.
"""

import numpy as np
import scipy.linalg
from numpy.linalg import LinAlgError

from ._check import check, common_dtype, over_stack, solved


def _gesv(a, b):
    getrf, getrs = scipy.linalg.get_lapack_funcs(("getrf", "getrs"), (a, b))
    lu, pivots, _ = getrf(a)
    return getrs(lu, pivots, b)[0]


def solve(a, b):
    """Solution of ``a @ x = b``, for stacks of matrices too."""
    check(a, b)
    check(a, ndim=2, square=True)
    if b.ndim == 0:
        raise ValueError("b must have at least one dimension")
    vector = b.ndim == 1
    if vector and a.shape[-1] != b.size:
        raise ValueError("a must have (..., M, M) shape and b must have (M,)")
    if not vector and a.shape[:-1] != b.shape[:-1] and a.shape[:-1] != b.shape:
        raise ValueError("a must have (..., M, M) shape and b must have (..., M, K)")

    def host(a, b):
        if a.size == 0:
            return np.empty(b.shape, b.dtype)
        if vector:
            b = np.broadcast_to(b, a.shape[:-1])
        if b.ndim == a.ndim - 1:
            return over_stack(_gesv, a, b[..., None])[..., 0]
        return over_stack(_gesv, a, b)

    return solved(host, a, b)


def inv(a):
    """Inverse of a matrix or of a stack of matrices."""
    check(a, ndim=2, square=True)

    def host(a):
        if a.size == 0:
            return np.empty(a.shape, a.dtype)
        return over_stack(lambda m: _gesv(m, np.eye(len(m), dtype=m.dtype)), a)

    return solved(host, a)


def pinv(a, rcond=1e-15):
    """Moore-Penrose pseudo-inverse."""
    check(a)
    return solved(lambda a: np.linalg.pinv(a, rcond), a)


def lstsq(a, b, rcond=None):
    """Least squares: solution, residuals, rank (on the device) and singular values."""
    check(a, b)
    if a.ndim != 2:
        raise LinAlgError(f"{a.ndim}-dimensional array given. Array must be two-dimensional")
    if b.ndim > 2:
        raise LinAlgError(f"{b.ndim}-dimensional array given. Array must be at most 2-d")
    if a.shape[0] != b.shape[0]:
        raise LinAlgError("Incompatible dimensions")
    common_dtype(a, b)

    def host(a, b):
        u, s, vh = np.linalg.svd(a, full_matrices=False)
        epsilon = np.finfo(s.dtype).eps
        tolerance = epsilon * max(a.shape) if rcond is None else rcond
        if rcond is not None and not 0 < rcond < 1:
            tolerance = epsilon
        small = s <= tolerance * s.max(initial=0)
        with np.errstate(divide="ignore"):
            factors = np.where(small, 0, 1 / s).astype(s.dtype)
        rank = np.int32(s.size - small.sum())
        x = vh.conj().T @ ((b.T @ u.conj()) * factors).T
        rest = np.empty(0, s.dtype)
        if a.shape[0] > a.shape[1] and rank == a.shape[1]:
            rest = np.atleast_1d((np.abs(b - a @ x) ** 2).sum(axis=0))
        return x, rest, rank, s

    return solved(host, a, b)


def tensorsolve(a, b, axes=None):
    """Solution of ``tensordot(a, x, x.ndim) = b``."""
    if axes is not None:
        order = [k for k in range(a.ndim) if k not in axes]
        a = a.transpose(order + list(axes))
    shape = a.shape[b.ndim - a.ndim :]
    size = int(np.prod(shape))
    return solve(a.reshape(-1, size), b.ravel()).reshape(shape)


def tensorinv(a, ind=2):
    """Inverse of an array as `tensordot` sees it."""
    check(a)
    if ind <= 0:
        raise ValueError("Invalid ind argument")
    size = int(np.prod(a.shape[ind:]))
    return inv(a.reshape(size, -1)).reshape(*a.shape[ind:], *a.shape[:ind])
