"""Device memory: every array has an allocation of its own from the C library.

So AddressSanitizer sees a kernel that leaves an array. Freed blocks are used again, as in
CuPy's pool, but for sanitized runs.
"""

import collections
import ctypes
import itertools
import operator
import sys
import threading

import numpy as np

from cuda_simulator import counters, settings

from .cuda import runtime
from .cuda.memory import BaseMemory, OutOfMemoryError, get_allocator

_ALIGNMENT = 512  # as CuPy's pool
_HUGE_PAGE = 2 << 20
_MADV_HUGEPAGE = 14
_POOLED = 512 << 20  # bytes that are kept at most
_POISON = 0xFF  # NaN in every floating type, never zero in another

_libc = ctypes.CDLL(None)
_libc.free.argtypes = [ctypes.c_void_p]
_libc.madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
_lock = threading.RLock()
_used = collections.Counter()  # bytes of all arrays that are alive, by device
_limits: dict[int, int] = {}  # bytes that the pool may take, by device
_free: dict[tuple[int, int], list[int]] = {}  # blocks by device and size
_free_bytes = collections.Counter()  # by device
_managed = collections.Counter()  # bytes of managed memory, by device


class Memory(BaseMemory):
    """One allocation, freed when the last array that views it is gone."""

    __slots__ = ()

    def __init__(self, size):
        self.ptr = 0
        self.size = size
        self.device_id = runtime.getDevice()  # raises where there is none
        counters.allocated()
        if size == 0:
            return
        with _lock:
            used = _used[self.device_id]
            if used + size > _limit(self.device_id):
                self.size = 0
                raise OutOfMemoryError(size, used, _limit(self.device_id))
            self.ptr = _allocate(size, self.device_id)
            _used[self.device_id] += size
        if settings.poisons():
            poison(self.ptr, size)

    def __del__(self):
        if self.ptr:
            with _lock:
                _used[self.device_id] -= self.size
                _release(self.ptr, self.size, self.device_id)

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
    pointer = get_allocator()(count * dtype.itemsize)
    memory = pointer.mem
    if not isinstance(memory, Memory):
        return memory, window(pointer, shape, dtype, None, order)
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
        data=(pointer._address, False),
        strides=strides,
        version=3,
    )
    return np.asarray(window).view(dtype)  # the type's string names no fields


def poison(address, size):
    """Fill new memory with what no kernel should read."""
    ctypes.memset(address, _POISON, size)


def take(size, device):
    """Note managed memory of the device, of which the device's size does not bound it."""
    with _lock:
        _managed[device] += size


def managed_bytes():
    """Bytes of managed memory of the current device."""
    return _managed[runtime.getDevice()]


def used_bytes():
    """Bytes of all arrays of the current device that are alive."""
    return _used[runtime.getDevice()]


def free_bytes():
    """Bytes of the current device that are kept for later arrays."""
    return _free_bytes[runtime.getDevice()]


def free_blocks():
    """Number of blocks of the current device that are kept for later arrays."""
    device = runtime.getDevice()
    with _lock:
        return sum(len(pointers) for (owner, _), pointers in _free.items() if owner == device)


def free_all_blocks():
    """Give what the current device keeps for later arrays back to the C library."""
    device = runtime.getDevice()
    with _lock:
        for key in [key for key in _free if key[0] == device]:
            for pointer in _free.pop(key):
                _libc.free(pointer)
        _free_bytes[device] = 0


def set_limit(size):
    """Bound the bytes of the current device's arrays; 0 is no bound."""
    _limits[runtime.getDevice()] = size


def limit():
    """Bytes that the current device's arrays may have, 0 where nothing bounds them."""
    return _limits.get(runtime.getDevice(), 0)


def _limit(device):
    """The least of the device's memory and the pool's bound."""
    memory = settings.memory_limit()
    free = float("inf") if memory is None else memory - _managed[device]
    return min(free, _limits.get(device) or float("inf"))


def _allocate(nbytes, device):
    if pointers := _free.get((device, nbytes)):
        _free_bytes[device] -= nbytes
        return pointers.pop()
    if nbytes + _used[device] + _free_bytes[device] > _limit(device):
        free_all_blocks()  # as CuPy's pool, before it says that there is no memory
    place = ctypes.c_void_p()
    large = nbytes >= 2 * _HUGE_PAGE
    alignment = ctypes.c_size_t(_HUGE_PAGE if large else _ALIGNMENT)
    if _libc.posix_memalign(ctypes.byref(place), alignment, ctypes.c_size_t(nbytes)):
        raise OutOfMemoryError(nbytes, _used[device], 0)
    if large and sys.platform == "linux":
        _libc.madvise(place, nbytes, _MADV_HUGEPAGE)  # NumPy does so too: fewer page faults
    return place.value


def _release(pointer, nbytes, device):
    if settings.sanitizers() or _free_bytes[device] + nbytes > _POOLED:
        _libc.free(pointer)
        return
    _free.setdefault((device, nbytes), []).append(pointer)
    _free_bytes[device] += nbytes
