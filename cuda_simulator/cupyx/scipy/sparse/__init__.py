"""The simulator's stand-in for `cupyx.scipy.sparse`: matrices and their construction."""

import cupy as _cupy
import numpy as _np
import scipy.sparse as _scipy
from cupyx._host import host as _host

from . import _matrix
from ._matrix import coo_matrix, csc_matrix, csr_matrix, dia_matrix, spmatrix

__all__ = [
    "bmat",
    "coo_matrix",
    "csc_matrix",
    "csr_matrix",
    "dia_matrix",
    "diags",
    "eye",
    "hstack",
    "identity",
    "issparse",
    "isspmatrix",
    "isspmatrix_coo",
    "isspmatrix_csc",
    "isspmatrix_csr",
    "isspmatrix_dia",
    "kron",
    "spdiags",
    "spmatrix",
    "vstack",
]


def issparse(x):
    """Whether `x` is one of these matrices."""
    return isinstance(x, spmatrix)


isspmatrix = issparse


def isspmatrix_coo(x):
    """Whether `x` has triples."""
    return isinstance(x, coo_matrix)


def isspmatrix_csc(x):
    """Whether `x` has compressed columns."""
    return isinstance(x, csc_matrix)


def isspmatrix_csr(x):
    """Whether `x` has compressed rows."""
    return isinstance(x, csr_matrix)


def isspmatrix_dia(x):
    """Whether `x` has diagonals."""
    return isinstance(x, dia_matrix)


def diags(diagonals, offsets=0, shape=None, format=None, dtype=None):
    """A matrix of diagonals, each a device array."""
    offsets = _cupy.asnumpy(offsets)
    if not offsets.ndim:
        diagonals = [_cupy.atleast_1d(diagonals)]
    diagonals = [_host(_cupy.atleast_1d(d)) for d in diagonals]
    if dtype is None:
        dtype = _np.result_type(*diagonals)
    offsets = _np.atleast_1d(offsets)
    return _matrix.back(_scipy.diags(diagonals, offsets, shape, format, dtype))


def spdiags(data, diags, m, n, format=None):
    """A matrix of the diagonals that are the rows of `data`."""
    return _matrix.back(_scipy.spdiags(_host(data), _host(diags), m, n, format))


def eye(m, n=None, k=0, dtype="d", format=None):
    """Ones on a diagonal."""
    return _matrix.back(_scipy.eye(m, n, k, dtype, format or "dia"))


def identity(n, dtype="d", format=None):
    """Ones on the main diagonal."""
    return eye(n, dtype=dtype, format=format)


def kron(A, B, format=None):
    """Kronecker product."""
    return _matrix.back(_scipy.kron(_host(A), _host(B), format or "coo"))


def bmat(blocks, format=None, dtype=None):
    """A matrix of blocks."""
    return _matrix.back(_scipy.bmat(_host(blocks), format or "coo", dtype))


def hstack(blocks, format=None, dtype=None):
    """Matrices side by side."""
    return bmat([blocks], format, dtype)


def vstack(blocks, format=None, dtype=None):
    """Matrices one below the other."""
    return bmat([[block] for block in blocks], format, dtype)
