"""The simulator's stand-in for `cupyx`: what image processing uses of it, with SciPy behind."""

import numpy as _np
from cupy import ufunc as _ufunc

from . import scipy

__all__ = ["rsqrt", "scipy"]

rsqrt = _ufunc("rsqrt", ("e->e", "f->f", "d->d", "F->F", "D->D"), lambda x: 1 / _np.sqrt(x))
