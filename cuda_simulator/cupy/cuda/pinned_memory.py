"""`cupy.cuda.pinned_memory`: memory of the host, which is all the same here."""

import threading
import weakref

import numpy as np

from cuda_simulator import faults

__all__ = ["PinnedMemoryPool", "alloc_pinned_memory", "is_memory_pinned"]

_pinned = weakref.WeakSet()
_lock = threading.Lock()


class PinnedMemoryPointer(bytearray):
    """Pinned memory, which speaks the buffer protocol as CuPy's does."""

    __hash__ = object.__hash__

    def __init__(self, *args):
        super().__init__(*args)
        with _lock:
            _pinned.add(self)

    def size(self):
        """Bytes."""
        return len(self)


class PinnedMemoryPool:
    """The pool of pinned memory; it keeps nothing."""

    def malloc(self, size):
        """New pinned memory, of as many bytes as CuPy's pool has blocks of."""
        return PinnedMemoryPointer(size and 1 << max(9, (size - 1).bit_length()))

    def free_all_blocks(self):
        """Give back what is kept, which is nothing."""

    def n_free_blocks(self):
        """Number of blocks that are kept."""
        return 0


def is_memory_pinned(data):
    """Whether an address of the host is in pinned memory."""
    with _lock:
        memories = [np.frombuffer(memory, np.uint8) for memory in _pinned if memory]
    return any(0 <= data - memory.ctypes.data < memory.size for memory in memories)


def alloc_pinned_memory(size):
    """New pinned memory of so many bytes or more."""
    faults.meet("pinned")
    return PinnedMemoryPool().malloc(size)
