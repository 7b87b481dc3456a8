"""Moving arrays between host and device, each one once."""

import cupy as cp
import numpy as np
from cupy.cuda.pinned_memory import is_memory_pinned

from .. import notify
from . import managed, meter, pinned


def to_device(array):
    """Copy of a NumPy array on the current device, in native byte order.

    Layout is kept where CuPy keeps it; read-only and strided arrays are taken. An array
    whose data stays on the device is not copied. Large ones cross in pieces.
    """
    there = managed.as_cupy(array)
    if there is not None:
        return there
    if array.nbytes >= pinned.LARGE:
        return _large_to_device(array)
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    # from pinned memory CuPy copies asynchronously, and the caller may write into it when we return
    blocking = is_memory_pinned(array.ctypes.data)
    with meter.transfer("to device", array.nbytes):
        return cp.asarray(array, blocking=blocking)


def _large_to_device(array):
    if array.flags.fnc:
        return _large_to_device(array.T).T
    device = empty_like(array)
    pinned.copy_in(array, device, cp.cuda.get_current_stream())
    return device


def staying(array):
    """NumPy array with what an array of the host or the device has, whose data stays there.

    The array itself where it is small, or where there is no room.
    """
    with managed.allocations():
        there = array.copy(order="C") if is_device_array(array) else to_device(array)
    kept = managed.as_numpy(there, ())
    cp.cuda.get_current_stream().synchronize()
    if kept is None:
        return array
    # what is read-only and not C-contiguous becomes a copy in scikit-image, which it writes into
    read_only = array.flags.c_contiguous and not (is_device_array(array) or array.flags.writeable)
    kept.flags.writeable = not read_only
    return kept


def to_host(array):
    """NumPy copy of a device array, in Fortran order where that is; a NumPy scalar of a 0-d one."""
    if array.nbytes >= pinned.LARGE:
        host = np.empty(array.shape, array.dtype, "F" if array.flags.fnc else "C")
        device, into = (array.T, host.T) if array.flags.fnc else (array, host)
        pinned.copy_out(cp.ascontiguousarray(device), into, cp.cuda.get_current_stream())
        return host
    with meter.transfer("to host", array.nbytes):
        host = cp.asnumpy(array, order="A")
    return host if host.ndim else host[()]  # an index would make a view, without data of its own


def empty_like(array):
    """Uninitialised device array of the shape and native dtype of a NumPy array."""
    return cp.empty(array.shape, array.dtype.newbyteorder("="))


def is_device_array(value) -> bool:
    return isinstance(value, cp.ndarray)


def to_host_side(array, apart_from):
    """NumPy array over the memory of a device array where that can be, else a copy."""
    there = managed.as_numpy(array, apart_from)
    if there is not None:
        return there
    if array.nbytes >= managed.LEAST:
        notify.ordinary_results(managed.refusal or notify.NO_ROOM)
    return to_host(array)


def write_out(out, result):
    """Put a device result into the NumPy array that the caller gave for it."""
    there = managed.as_cupy(out) if out.flags.writeable else None
    if there is not None:
        there[...] = result
        return
    np.copyto(out, to_host(result), casting="unsafe")
