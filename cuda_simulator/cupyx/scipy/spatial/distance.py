"""`cupyx.scipy.spatial.distance` as where cuVS is installed."""

import cupy as _cupy
import numpy as _np
import scipy.spatial.distance as _scipy
from cupyx._host import device as _device
from cupyx._host import host as _host
from cupyx._host import require_device as _require_device

__all__ = ["cdist"]


def cdist(XA, XB, metric="euclidean", out=None, **kwargs):
    """Distances between the rows of two arrays; single precision but for float64 input."""
    _require_device(XA, XB, out)
    both_double = XA.dtype == XB.dtype == _np.float64
    dtype = _np.float64 if both_double else _np.float32
    found = _device(_scipy.cdist(_host(XA), _host(XB), metric, **kwargs).astype(dtype), XA, XB)
    if out is None:
        return found
    _cupy.copyto(out, found)
    return out
