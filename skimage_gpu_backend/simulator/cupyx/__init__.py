"""The simulator's stand-in for `cupyx`: what cuCIM and its tests use of it, with SciPy behind."""

import numpy as _np
from cupy._ndarray import compute_ufunc as _compute_ufunc

from . import scipy

__all__ = ["rsqrt", "scipy"]


def _rsqrt(x, **kwargs):
    return _np.reciprocal(_np.sqrt(x, **kwargs), **kwargs)


def rsqrt(x, out=None):
    """One over the square root, in one launch."""
    return _compute_ufunc(_rsqrt, x, out=out)
