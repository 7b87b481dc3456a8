"""Threads whose calls would not fit on the device together wait for each other.

Dask's workers have several threads, which share a device: without this each would plan with the
memory that is free at the moment, and most of them would run out of it and begin again in tiles.
"""

import threading
from contextlib import contextmanager, nullcontext

import cupy as cp

from ..adapt.kinds import kind_of
from ..plan import Reach
from .memory import available
from .plan import bytes_per_element

_UNKNOWN = Reach((), arrays=6)  # of calls whose plan does not say what they need


class Gate:
    """Of one device: lets calls in while their needs together are below what was free.

    A call that needs more than that alone goes in when no other is in.
    """

    def __init__(self):
        self._changed = threading.Condition()
        self._needs = {}  # thread -> bytes
        self._free = None  # bytes, when the second of those that are in asked

    @contextmanager
    def passed(self, need):
        """Context of a call that needs so many bytes; calls inside of it pass with it."""
        me = threading.get_ident()
        if me in self._needs:
            yield
            return
        with self._changed:
            self._changed.wait_for(lambda: self._has_room(need))
            self._needs[me] = need
        try:
            yield
        finally:
            with self._changed:
                del self._needs[me]
                self._changed.notify_all()

    def _has_room(self, need):
        if not self._needs:
            self._free = None
            return True
        if self._free is None:
            self._free = available()
        return sum(self._needs.values()) + need <= self._free


def need_of(arguments, plan) -> int:
    """Bytes that a call needs on the device, as they are estimated for tiles."""
    images = [v for n, v in arguments.items() if n != "out" and kind_of(v) is not None]
    if not images:
        return 0
    reach = getattr(plan, "reach", None)
    reach = getattr(reach, "reach", reach)  # of the second pass
    if not isinstance(reach, Reach):
        reach = _UNKNOWN
    return max(image.size for image in images) * bytes_per_element(images, reach, 1)


_gates = {}  # device -> Gate


def let_in(arguments, plan):
    """Context of a call, which begins when the current device has room for it.

    Parameters
    ----------
    arguments : dict
        By name; those that are arrays count.
    plan : Plan or None
    """
    if threading.active_count() == 1:
        return nullcontext()
    need = need_of(arguments, plan)
    return _gates.setdefault(cp.cuda.runtime.getDevice(), Gate()).passed(need)
