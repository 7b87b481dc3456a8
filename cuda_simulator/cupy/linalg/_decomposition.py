"""Decompositions and eigenvalues; signs of vectors are LAPACK's, not cuSOLVER's."""

import numpy as np
import scipy.linalg

from cuda_simulator import faults

from .._declare import quiet, wrapped
from ._check import check, common_dtype, over_stack, solved

_QR_MODES = ("reduced", "complete", "r", "raw")


def _potrf(a):
    (potrf,) = scipy.linalg.get_lapack_funcs(("potrf",), (a,))
    return potrf(a, lower=True, clean=True)[0]


def cholesky(a):
    """Lower triangular factor of a positive definite matrix; others raise nothing."""
    check(a, ndim=2, square=True)
    return solved(lambda a: over_stack(_potrf, a) if a.size else a, a)


def qr(a, mode="reduced"):
    """Orthonormal matrix and triangular matrix, the latter alone for ``mode="r"``."""
    check(a)
    if mode in ("f", "full", "e", "economic"):
        raise ValueError(f"The deprecated mode '{mode}' is not supported")
    if mode not in _QR_MODES:
        raise ValueError(f"Unrecognized mode '{mode}'")
    return solved(lambda a: np.linalg.qr(a, mode), a)


def svd(a, full_matrices=True, compute_uv=True):
    """Singular values, with the vectors around them if wanted."""
    check(a)
    return solved(lambda a: np.linalg.svd(a, full_matrices, compute_uv), a)


@quiet
def _symmetric(host, a, UPLO):
    check(a, ndim=2, square=True)
    if UPLO not in ("L", "U"):
        raise ValueError("UPLO argument must be 'L' or 'U'")
    dtype = common_dtype(a, float16=True)
    faults.meet("linalg")
    computed = np.float32 if dtype == np.float16 else dtype
    results = host(a._host.astype(computed), UPLO)
    if computed is not dtype:
        convert = dtype.type
        results = tuple(np.asarray(r, convert) for r in results)
    return wrapped(results, a)


def eigh(a, UPLO="L"):
    """Eigenvalues in ascending order and eigenvectors of a symmetric matrix."""
    return _symmetric(lambda a, uplo: tuple(np.linalg.eigh(a, uplo)), a, UPLO)


def eigvalsh(a, UPLO="L"):
    """Eigenvalues of a symmetric matrix, in ascending order."""
    return _symmetric(lambda a, uplo: (np.linalg.eigvalsh(a, uplo),), a, UPLO)[0]


def _general(host, a):
    check(a, ndim=2, square=True)
    complex_dtype = np.result_type(common_dtype(a), np.complex64)
    return solved(lambda a: host(a.astype(complex_dtype)), a)


def eig(a):
    """Eigenvalues and eigenvectors, complex also where they are real."""
    return _general(np.linalg.eig, a)


def eigvals(a):
    """Eigenvalues, complex also where they are real."""
    return _general(np.linalg.eigvals, a)
