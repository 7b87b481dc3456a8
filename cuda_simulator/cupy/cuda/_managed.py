"""Of `cupy.cuda.memory` what concerns managed memory, and the allocator of a thread."""

import sys
from contextlib import contextmanager

from cuda_simulator import counters, faults, pages, settings

from . import memory, runtime

__all__ = ["ManagedMemory", "malloc_managed", "using_allocator"]

_OUT_OF_MEMORY = 2


class ManagedMemory(memory.BaseMemory):
    """Memory that host and device both address; `ptr` is the host's, and CUDA's."""

    __slots__ = ("_shift",)

    def __init__(self, size):
        from .. import _memory

        self.ptr = self._shift = 0
        self.size = size
        self.device_id = runtime.getDevice()
        counters.allocated("managed")
        if size == 0:
            return
        _memory.take(size, self.device_id)
        places = pages.allocate(size)
        if places is None:
            _memory.take(-size, self.device_id)
            raise runtime.CUDARuntimeError(_OUT_OF_MEMORY)
        self.ptr, on_device = places
        self._shift = on_device - self.ptr
        if settings.poisons():
            _memory.poison(on_device, size)

    def __del__(self, finalizing=sys.is_finalizing):
        if finalizing():
            return
        from .. import _memory

        if self.ptr:
            try:
                faults.meet("free")
            finally:
                pages.release(self.ptr)
                _memory.take(-self.size, self.device_id)


def malloc_managed(size):
    """A pointer to new managed memory."""
    return memory.MemoryPointer(ManagedMemory(size), 0)


@contextmanager
def using_allocator(allocator=None):
    """Take the memory of this thread's arrays from `allocator` inside a ``with`` block."""
    before = getattr(memory._chosen, "allocator", None)
    memory._chosen.allocator = allocator
    try:
        yield
    finally:
        memory._chosen.allocator = before
