"""The simulator's stand-in for `cupyx.scipy.sparse.linalg`: some solvers."""

import warnings as _warnings

import cupy as _cupy
import scipy.sparse.linalg as _scipy
from cupyx._host import device as _device
from cupyx._host import host as _host
from cupyx._host import require_device as _require_device

__all__ = ["cg", "spsolve"]


def cg(A, b, x0=None, *, rtol=1e-5, atol=0.0, maxiter=None, M=None, callback=None):
    """Conjugate gradients; the solution has one dimension, `callback` gets device arrays."""
    _require_device(b, x0)

    def report(x):
        callback(_cupy.asarray(x))

    x, info = _scipy.cg(
        _host(A),
        _host(b),
        _host(x0),
        rtol=rtol,
        atol=atol,
        maxiter=maxiter,
        M=_host(M),
        callback=report if callback else None,
    )
    # in one dimension also where b is a column, and in the matrix's dtype
    return _device(x.astype(A.dtype, copy=False).ravel(), b), info


def spsolve(A, b):
    """The solution of a sparse linear system by factorization."""
    _require_device(b)
    with _warnings.catch_warnings():  # which cuSOLVER does not tell
        _warnings.simplefilter("ignore", _scipy.MatrixRankWarning)
        return _device(_scipy.spsolve(_host(A).tocsc(), _host(b)), b)
