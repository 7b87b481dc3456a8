"""Counts launches, allocations, copies and the bytes of each.

Bytes of a launch are the sizes of its array arguments: those behind a pointer to const
are read, the others written. CuPy functions that a GPU would run as a kernel count as one
launch that reads its array arguments and writes its result. Managed memory counts as copied
when the other side first touches it; that is noted when something else is, and at the end.

Examples
--------
>>> from cuda_simulator import counters
>>> with counters.counting() as c:
...     pass
>>> c.launches
0
"""

import contextlib
import threading
from dataclasses import dataclass

from . import faults


@dataclass
class Counters:
    """What happened while counting.

    Attributes
    ----------
    launches : int
        Kernels, and functions of CuPy that would be one.
    kernel_bytes_read, kernel_bytes_written : int
        Bytes of the arrays that launches read and wrote, each array once a launch.
    allocations : int
        Arrays made on the device.
    to_device, to_host : int
        Copies between host and device.
    bytes_to_device, bytes_to_host : int
        Bytes of these copies.
    sorts : int
        Launches, among those, that a GPU would need several of, since they sort.
    """

    launches: int = 0
    kernel_bytes_read: int = 0
    kernel_bytes_written: int = 0
    allocations: int = 0
    to_device: int = 0
    bytes_to_device: int = 0
    to_host: int = 0
    bytes_to_host: int = 0
    sorts: int = 0


_listeners: list[Counters] = []
_lock = threading.Lock()
_set_watching = _take_crossings = None  # of managed memory, once there is any


def watch(set_watching, take_crossings):
    """Have the crossings of managed memory counted.

    Parameters
    ----------
    set_watching : callable
        Called with true when counting begins, with false when it has ended.
    take_crossings : callable
        Gives the amounts since its last call, by their names in `Counters`.
    """
    global _set_watching, _take_crossings
    with _lock:
        _set_watching, _take_crossings = set_watching, take_crossings
        set_watching(bool(_listeners))


def _settle():
    """Add what crossed since the last time to all listeners, under the lock."""
    if _take_crossings is not None:
        _note(_take_crossings())


def _note(amounts):
    for counters in _listeners:
        for name, amount in amounts.items():
            setattr(counters, name, getattr(counters, name) + amount)


@contextlib.contextmanager
def counting():
    """Count inside a ``with`` block, which may be nested.

    Yields
    ------
    Counters
        They grow while the block runs.
    """
    counters = Counters()
    with _lock:
        _settle()
        _listeners.append(counters)
        if _set_watching is not None:
            _set_watching(True)
    try:
        yield counters
    finally:
        with _lock:
            _settle()
            # by identity: two listeners with equal counts are equal dataclasses
            _listeners[:] = [listener for listener in _listeners if listener is not counters]
            if _set_watching is not None:
                _set_watching(bool(_listeners))


def launched(read, written):
    """Note one kernel launch that reads and writes so many bytes, before it runs."""
    faults.meet("launch")
    _add(launches=1, kernel_bytes_read=read, kernel_bytes_written=written)


def sorts():
    """Note that the next launch sorts, before it does."""
    _add(sorts=1)


def allocated(kind="allocation"):
    """Note one allocation of device memory, before there is any."""
    faults.meet(kind)
    _add(allocations=1)


def copied_to_device(nbytes):
    """Note one copy from the host."""
    faults.meet("to_device")
    _add(to_device=1, bytes_to_device=nbytes)


def copied_to_host(nbytes):
    """Note one copy to the host."""
    faults.meet("to_host")
    _add(to_host=1, bytes_to_host=nbytes)


def _add(**amounts):
    if not _listeners:
        return
    with _lock:
        _settle()
        _note(amounts)
