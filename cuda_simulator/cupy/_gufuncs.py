"""`cupy.matmul`, the one generalized ufunc."""

import numpy as np

from cuda_simulator import faults

from ._dtypes import checked_dtype
from ._ndarray import ndarray
from ._reduce import finished

__all__ = ["matmul"]


def matmul(
    *args,
    axes=None,
    axis=None,
    keepdims=False,
    casting="same_kind",
    dtype=None,
    signature=None,
    order="K",
    out=None,
):
    """Products of matrices in the last two axes, or of vectors."""
    for name, value in (("axes", axes), ("axis", axis), ("signature", signature)):
        if value is not None:
            raise NotImplementedError(f"the simulator's matmul has no {name}")
    if len(args) == 3:
        *args, out = args
    for name, value in zip("ab", args, strict=True):
        if not isinstance(value, ndarray):
            raise TypeError(
                f"Argument '{name}' has incorrect type "
                f"(expected cupy.ndarray, got {type(value).__name__})"
            )
    a, b = (value._host for value in args)
    faults.meet("blas")
    with np.errstate(all="ignore"):
        host = np.matmul(a, b, casting=casting, dtype=dtype and checked_dtype(dtype))
    return finished(host, args[0], out)
