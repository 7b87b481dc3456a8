"""Device memory: every array has an allocation of its own from the C library.

So AddressSanitizer sees a kernel that leaves an array. Freed blocks are used again, as in
CuPy's pool, but for sanitized runs.
"""

import ctypes
import itertools
import operator
import sys
import threading

import numpy as np

from skimage_gpu_backend.simulator import counters, settings

from .cuda import runtime
from .cuda.memory import BaseMemory, OutOfMemoryError

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


class Memory(BaseMemory):
    """One allocation, freed when the last array that views it is gone."""

    __slots__ = ()

    def __init__(self, size):
        global _used
        self.ptr = 0
        self.size = size
        self.device_id = runtime.getDevice()  # raises where there is none
        counters.allocated()
        if size == 0:
            return
        with _lock:
            limit = settings.memory_limit()
            if limit is not None and _used + size > limit:
                self.size = 0
                raise OutOfMemoryError(size, _used, limit)
            self.ptr = _allocate(size)
            _used += size
        if settings.strict():
            ctypes.memset(self.ptr, _POISON, size)

    def __del__(self):
        global _used
        if self.ptr:
            with _lock:
                _used -= self.size
                _release(self.ptr, self.size)

    @property
    def __array_interface__(self):
        data = (self.ptr, False)
        return {"shape": (self.size,), "typestr": "|u1", "data": data, "version": 3}


class _Window:
    """Shape and strides at an address; keeps the memory alive that it lies in."""

    __slots__ = ("__array_interface__", "_memory")

    def __init__(self, memory, **interface):
        self._memory = memory
        self.__array_interface__ = interface


def array(shape, dtype, order="C"):
    """Memory for such an array and the NumPy view of it."""
    count = 1
    for length in shape:
        count *= int(length)  # a length of NumPy's would overflow
    memory = Memory(count * dtype.itemsize)
    if memory.size == 0:
        return memory, np.empty(shape, dtype, order=order)
    return memory, np.asarray(memory).view(dtype).reshape(shape, order=order)


def window(pointer, shape, dtype, strides, order):
    """The NumPy array of this shape that starts at a `cupy.cuda.MemoryPointer`."""
    if 0 in shape:
        return np.empty(shape, dtype, order=order)
    if strides is None:
        lengths = shape[::-1] if order == "C" else shape
        steps = [dtype.itemsize, *lengths[:-1]] if shape else []
        strides = tuple(itertools.accumulate(steps, operator.mul))
        strides = strides[::-1] if order == "C" else strides
    window = _Window(
        pointer.mem,
        shape=shape,
        typestr=dtype.str,
        data=(pointer.ptr, False),
        strides=strides,
        version=3,
    )
    return np.asarray(window)


def used_bytes():
    """Bytes of all arrays that are alive."""
    return _used


def free_bytes():
    """Bytes that are kept for later arrays."""
    return _free_bytes


def free_blocks():
    """Number of blocks that are kept for later arrays."""
    with _lock:
        return sum(map(len, _free.values()))


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
        raise OutOfMemoryError(nbytes, _used, 0)
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
