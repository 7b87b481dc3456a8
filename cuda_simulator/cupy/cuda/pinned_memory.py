"""`cupy.cuda.pinned_memory`: memory of the host, which is all the same here."""

import collections
import sys
import threading
import weakref

import numpy as np

from cuda_simulator import faults

__all__ = ["PinnedMemoryPool", "alloc_pinned_memory", "is_memory_pinned"]

_pinned = weakref.WeakSet()
_lock = threading.RLock()  # a pointer may be collected while another is being made


class PinnedMemory:
    """A block of the pool, which has its size alone."""

    def __init__(self, size):
        self.size = size


class PinnedMemoryPointer(bytearray):
    """Pinned memory, which speaks the buffer protocol as CuPy's does."""

    __hash__ = object.__hash__

    def __init__(self, block, give_back):
        super().__init__(block.size)
        self._block, self._give_back = block, give_back
        with _lock:
            _pinned.add(self)

    def __del__(self, finalizing=sys.is_finalizing):
        if not finalizing():
            self._give_back(self._block)

    def size(self):
        """Bytes."""
        return len(self)


class PinnedMemoryPool:
    """The pool of pinned memory, which notes its blocks where CuPy's does."""

    def __init__(self):
        self._free = collections.defaultdict(list)
        self._in_use = set()

    def malloc(self, size):
        """Pinned memory, of as many bytes as CuPy's pool has blocks of."""
        return PinnedMemoryPointer(self._take(size), self._give_back)

    def _uploaded(self, size):
        """Note a block through which so many bytes have gone to the device."""
        self._give_back(self._take(size))

    def free_all_blocks(self):
        """Give back what is kept."""
        with _lock:
            self._free.clear()

    def n_free_blocks(self):
        """Number of blocks that are kept."""
        with _lock:
            return sum(map(len, self._free.values()))

    def _take(self, size):
        size = size and 1 << max(9, (size - 1).bit_length())
        with _lock:
            free = self._free.get(size)
            block = free.pop() if free else PinnedMemory(size)
            self._in_use.add(block)
        return block

    def _give_back(self, block):
        with _lock:
            self._in_use.discard(block)
            self._free[block.size].append(block)


default_pool = PinnedMemoryPool()


def is_memory_pinned(data):
    """Whether an address of the host is in pinned memory."""
    with _lock:
        memories = [np.frombuffer(memory, np.uint8) for memory in _pinned if memory]
    return any(0 <= data - memory.ctypes.data < memory.size for memory in memories)


def alloc_pinned_memory(size):
    """Pinned memory of so many bytes or more."""
    faults.meet("pinned")
    return default_pool.malloc(size)
