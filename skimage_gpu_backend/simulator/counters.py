"""Counts launches, allocations, copies and the bytes of each.

Bytes of a launch are the sizes of its array arguments: those behind a pointer to const
are read, the others written. CuPy functions that a GPU would run as a kernel count as one
launch that reads its array arguments and writes its result.

Examples
--------
>>> from skimage_gpu_backend.simulator import counters
>>> with counters.counting() as c:
...     pass
>>> c.launches
0
"""

import contextlib
import threading
from dataclasses import dataclass


@dataclass
class Counters:
    """What happened while counting."""

    launches: int = 0
    kernel_bytes_read: int = 0
    kernel_bytes_written: int = 0
    allocations: int = 0
    to_device: int = 0
    bytes_to_device: int = 0
    to_host: int = 0
    bytes_to_host: int = 0


_listeners: list[Counters] = []
_lock = threading.Lock()


@contextlib.contextmanager
def counting():
    """Count inside a ``with`` block, which may be nested; yields the `Counters`."""
    counters = Counters()
    with _lock:
        _listeners.append(counters)
    try:
        yield counters
    finally:
        with _lock:
            # by identity: two listeners with equal counts are equal dataclasses
            _listeners[:] = [listener for listener in _listeners if listener is not counters]


def launched(read, written):
    """Note one kernel launch that reads and writes so many bytes."""
    _add(launches=1, kernel_bytes_read=read, kernel_bytes_written=written)


def allocated():
    """Note one allocation of device memory."""
    _add(allocations=1)


def copied_to_device(nbytes):
    """Note one copy from the host."""
    _add(to_device=1, bytes_to_device=nbytes)


def copied_to_host(nbytes):
    """Note one copy to the host."""
    _add(to_host=1, bytes_to_host=nbytes)


def _add(**amounts):
    if not _listeners:
        return
    with _lock:
        for counters in _listeners:
            for name, amount in amounts.items():
                setattr(counters, name, getattr(counters, name) + amount)
