"""`cupy.cuda`: device, streams, memory and errors."""

from . import compiler, device, driver, memory, runtime, stream
from .device import Device
from .memory import MemoryPointer, MemoryPool, OutOfMemoryError, UnownedMemory, alloc
from .stream import Event, Stream, get_current_stream, get_elapsed_time

__all__ = [
    "Device",
    "Event",
    "MemoryPointer",
    "MemoryPool",
    "OutOfMemoryError",
    "Stream",
    "UnownedMemory",
    "alloc",
    "compiler",
    "device",
    "driver",
    "get_current_stream",
    "get_elapsed_time",
    "is_available",
    "memory",
    "runtime",
    "stream",
]


def is_available():
    """Whether there is a device."""
    try:
        return runtime.getDeviceCount() > 0
    except runtime.CUDARuntimeError:
        return False
