"""Managed memory: one allocation with an address for the host and one for the device.

While something counts, only one side is open at a time, and an access from the other side
moves the allocation over and counts a copy: the first access after the other side's, as
on a GPU, but for whole allocations where a GPU moves pages. At other times both are open,
since a system call that is given closed memory fails where a GPU's driver would serve it.
In a forked child the memory is not there, as with CUDA's driver.
"""

import bisect
import ctypes
import functools
import sys
import threading
from pathlib import Path

from . import compiler, counters

_lock = threading.Lock()
_starts: list[int] = []  # host addresses, sorted
_live: dict[int, tuple[int, int]] = {}  # host address -> (its end, device address)


class Crossings(ctypes.Structure):
    """What crossed since it was last asked."""

    _fields_ = tuple(
        (name, ctypes.c_ulonglong)
        for name in ("to_host", "bytes_to_host", "to_device", "bytes_to_device")
    )


def available() -> bool:
    """Whether this system can map the same pages twice, which Linux can."""
    return sys.platform == "linux"


@functools.cache
def _library():
    text = (Path(__file__).parent / "pages.cpp").read_text()
    library = ctypes.CDLL(str(compiler.compile_library(text, ("-O2",), is_cuda=False)))
    pointer = ctypes.POINTER(ctypes.c_void_p)
    library.sim_pages_map.argtypes = [ctypes.c_size_t, pointer, pointer]
    library.sim_pages_unmap.argtypes = [ctypes.c_void_p]
    library.sim_pages_to_device.argtypes = [ctypes.c_void_p]
    counters.watch(library.sim_pages_watch, functools.partial(_crossings, library))
    return library


def _crossings(library):
    result = Crossings()
    library.sim_pages_crossings(ctypes.byref(result))
    return {name: getattr(result, name) for name, _ in Crossings._fields_}


def allocate(size: int) -> tuple[int, int] | None:
    """Address on the host and on the device of new memory; None where there is none."""
    on_host, on_device = ctypes.c_void_p(), ctypes.c_void_p()
    if _library().sim_pages_map(size, ctypes.byref(on_host), ctypes.byref(on_device)):
        return None
    with _lock:
        bisect.insort(_starts, on_host.value)
        _live[on_host.value] = on_host.value + size, on_device.value
    return on_host.value, on_device.value


def release(on_host: int):
    """Give memory back, by its address on the host."""
    with _lock:
        _starts.remove(on_host)
        del _live[on_host]
    _library().sim_pages_unmap(on_host)


def shift(address: int) -> int:
    """What to add to an address to have the device's for it; 0 outside of managed memory."""
    with _lock:
        place = bisect.bisect_right(_starts, address) - 1
        if place < 0:
            return 0
        start = _starts[place]
        end, on_device = _live[start]
    return on_device - start if address < end else 0


def to_device(address: int):
    """Move the allocation that has the address to the device."""
    _library().sim_pages_to_device(address)
