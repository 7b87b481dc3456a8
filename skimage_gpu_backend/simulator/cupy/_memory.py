"""Device memory: every array has an allocation of its own from the C library.

So AddressSanitizer sees a kernel that leaves an array. Freed blocks are used again, as in
CuPy's pool, but for sanitized runs.
"""

import ctypes
import sys
import threading

import numpy as np

from skimage_gpu_backend.simulator import counters, settings

from .cuda import memory as _errors
from .cuda import runtime

_ALIGNMENT = 512  # as CuPy's pool
_HUGE_PAGE = 2 << 20
_MADV_HUGEPAGE = 14
_POOLED = 512 << 20  # bytes that are kept at most
_POISON = 0xFF  # NaN in every floating type, never zero in another

_libc = ctypes.CDLL(None)
_libc.free.argtypes = [ctypes.c_void_p]
_libc.madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
_lock = threading.RLock()
_used = 0
_free: dict[int, list[int]] = {}
_free_bytes = 0


class Memory:
    """One allocation, freed when the last array that views it is gone."""

    __slots__ = ("__weakref__", "device", "nbytes", "pointer")

    def __init__(self, nbytes):
        global _used
        self.pointer = 0
        self.nbytes = nbytes
        self.device = runtime.getDevice()  # raises where there is none
        counters.allocated()
        if nbytes == 0:
            return
        with _lock:
            limit = settings.memory_limit()
            if limit is not None and _used + nbytes > limit:
                self.nbytes = 0
                raise _errors.OutOfMemoryError(nbytes, _used, limit)
            self.pointer = _allocate(nbytes)
            _used += nbytes
        if settings.strict():
            ctypes.memset(self.pointer, _POISON, nbytes)

    def __del__(self):
        global _used
        if self.pointer:
            with _lock:
                _used -= self.nbytes
                _release(self.pointer, self.nbytes)

    @property
    def __array_interface__(self):
        data = (self.pointer, False)
        return {"shape": (self.nbytes,), "typestr": "|u1", "data": data, "version": 3}


def array(shape, dtype, order="C"):
    """Memory for such an array and the NumPy view of it."""
    count = 1
    for length in shape:
        count *= length
    memory = Memory(count * dtype.itemsize)
    if memory.nbytes == 0:
        return memory, np.empty(shape, dtype, order=order)
    return memory, np.asarray(memory).view(dtype).reshape(shape, order=order)


def used_bytes():
    """Bytes of all arrays that are alive."""
    return _used


def free_all_blocks():
    """Give what is kept for later arrays back to the C library."""
    global _free_bytes
    with _lock:
        for pointers in _free.values():
            for pointer in pointers:
                _libc.free(pointer)
        _free.clear()
        _free_bytes = 0


def _allocate(nbytes):
    global _free_bytes
    if pointers := _free.get(nbytes):
        _free_bytes -= nbytes
        return pointers.pop()
    place = ctypes.c_void_p()
    large = nbytes >= 2 * _HUGE_PAGE
    alignment = ctypes.c_size_t(_HUGE_PAGE if large else _ALIGNMENT)
    if _libc.posix_memalign(ctypes.byref(place), alignment, ctypes.c_size_t(nbytes)):
        raise _errors.OutOfMemoryError(nbytes, _used, 0)
    if large and sys.platform == "linux":
        _libc.madvise(place, nbytes, _MADV_HUGEPAGE)  # NumPy does so too: fewer page faults
    return place.value


def _release(pointer, nbytes):
    global _free_bytes
    if settings.sanitizers() or _free_bytes + nbytes > _POOLED:
        _libc.free(pointer)
        return
    _free.setdefault(nbytes, []).append(pointer)
    _free_bytes += nbytes
