"""`cupy.cuda`: device, streams, memory and errors."""

from cupy_backends.cuda.libs import cublas, curand, cusolver, cusparse, nvrtc

from . import _cufft as cufft
from . import (
    compiler,
    device,
    driver,
    function,
    memory,
    pinned_memory,
    runtime,
    stream,
    texture,
    thrust,
)
from ._managed import ManagedMemory, malloc_managed, using_allocator
from .device import Device, get_device_id
from .memory import (
    BaseMemory,
    MemoryPointer,
    MemoryPool,
    UnownedMemory,
    alloc,
    get_allocator,
    set_allocator,
)
from .pinned_memory import PinnedMemoryPool, alloc_pinned_memory
from .stream import Event, ExternalStream, Stream, get_current_stream, get_elapsed_time

__all__ = [
    "BaseMemory",
    "Device",
    "Event",
    "ExternalStream",
    "ManagedMemory",
    "MemoryPointer",
    "MemoryPool",
    "PinnedMemoryPool",
    "Stream",
    "UnownedMemory",
    "alloc",
    "alloc_pinned_memory",
    "compiler",
    "cublas",
    "cufft",
    "curand",
    "cusolver",
    "cusparse",
    "device",
    "driver",
    "function",
    "get_allocator",
    "get_current_stream",
    "get_device_id",
    "get_elapsed_time",
    "is_available",
    "malloc_managed",
    "memory",
    "nvrtc",
    "pinned_memory",
    "runtime",
    "set_allocator",
    "stream",
    "texture",
    "thrust",
    "using_allocator",
]


def is_available():
    """Whether there is a device."""
    try:
        return runtime.getDeviceCount() > 0
    except runtime.CUDARuntimeError:
        return False
