"""Moving arrays between host and device, each one once."""

import cupy as cp
import numpy as np

from ..tiles import LARGE
from ..tiles.pinned import copy_in, copy_out
from . import meter


def to_device(array):
    """Copy of a NumPy array on the current device, in native byte order.

    Layout is kept where CuPy keeps it; read-only and strided arrays are taken. Large ones cross
    in pieces.
    """
    if array.nbytes >= LARGE:
        return _large_to_device(array)
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    with meter.transfer("to device", array.nbytes):
        return cp.asarray(array)


def _large_to_device(array):
    if array.flags.fnc:
        return _large_to_device(array.T).T
    device = empty_like(array)
    copy_in(array, device, cp.cuda.get_current_stream())
    return device


def to_host(array):
    """NumPy copy of a device array; a NumPy scalar of a 0-d one."""
    if array.nbytes >= LARGE:
        host = np.empty(array.shape, array.dtype)
        copy_out(cp.ascontiguousarray(array), host, cp.cuda.get_current_stream())
        return host
    with meter.transfer("to host", array.nbytes):
        return cp.asnumpy(array)[()]


def empty_like(array):
    """Uninitialised device array of the shape and native dtype of a NumPy array."""
    return cp.empty(array.shape, array.dtype.newbyteorder("="))


def is_device_array(value) -> bool:
    return isinstance(value, cp.ndarray)


def write_out(out, result):
    """Put a device result into the NumPy array that the caller gave for it."""
    np.copyto(out, to_host(result), casting="unsafe")
