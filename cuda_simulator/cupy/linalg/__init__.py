"""`cupy.linalg`: device arrays only, float32, float64 and their complex dtypes; LAPACK computes."""

from numpy.linalg import LinAlgError

from .._gufuncs import matmul
from ._decomposition import cholesky, eig, eigh, eigvals, eigvalsh, qr, svd
from ._norms import cond, det, matrix_rank, norm, slogdet
from ._product import cross, matrix_power, matrix_transpose
from ._solve import inv, lstsq, pinv, solve, tensorinv, tensorsolve

__all__ = [
    "LinAlgError",
    "cholesky",
    "cond",
    "cross",
    "det",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "inv",
    "lstsq",
    "matmul",
    "matrix_power",
    "matrix_rank",
    "matrix_transpose",
    "norm",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "svd",
    "tensorinv",
    "tensorsolve",
]
