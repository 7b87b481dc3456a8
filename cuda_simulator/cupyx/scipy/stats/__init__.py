"""The simulator's stand-in for `cupyx.scipy.stats`: the entropy."""

import numpy as _np
import scipy.stats as _scipy
from cupyx._host import device as _device
from cupyx._host import host as _host
from cupyx._host import require_device as _require_device

__all__ = ["entropy"]


def entropy(pk, qk=None, base=None, axis=0):
    """Entropy of a distribution, or relative to another one."""
    _require_device(pk, qk)
    if pk.dtype.kind == "c" or (qk is not None and qk.dtype.kind == "c"):
        raise TypeError("complex dtype not supported")
    dtype = _np.promote_types(pk.dtype, _np.float32) if pk.dtype.kind == "f" else _np.float64
    pk, qk = (None if p is None else _host(p).astype(dtype, copy=False) for p in (pk, qk))
    return _device(_np.asarray(_scipy.entropy(pk, qk, base, axis), dtype))
