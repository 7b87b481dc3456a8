"""`cupy.polynomial.polyutils`."""

import numpy as np

from .._declare import define

__all__ = define(
    globals(),
    "as_series(alist: arrays, trim=True)",
    "trimcoef(c: array, tol=0)",
    "trimseq(seq: array)",
    module="cupy.polynomial.polyutils",
    numpy=np.polynomial.polyutils,
)
