"""`cupy.cuda`: device, streams, memory and errors."""

from . import compiler, device, driver, memory, runtime, stream
from .device import Device
from .memory import OutOfMemoryError
from .stream import Event, Stream, get_current_stream, get_elapsed_time

__all__ = [
    "Device",
    "Event",
    "MemoryPool",
    "OutOfMemoryError",
    "Stream",
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


class MemoryPool:
    """The pool that all arrays come from."""

    def used_bytes(self):
        """Bytes of all arrays that are alive."""
        from .. import _memory

        return _memory.used_bytes()

    def free_all_blocks(self, stream=None):
        """Give what is kept for later arrays back."""
        from .. import _memory

        _memory.free_all_blocks()
