"""`cupy.cuda.stream`: streams and events; all work is done when a call returns."""

import os
import sys
import threading
import time

from cuda_simulator import faults

from . import runtime

_local = threading.local()


class _BaseStream:
    def __init__(self, ptr, device_id):
        self.ptr = ptr
        self.device_id = device_id
        self._before = []

    def __eq__(self, other):
        return isinstance(other, _BaseStream) and other.ptr == self.ptr

    def __hash__(self):
        return self.ptr

    def __enter__(self):
        self._before.append(get_current_stream())
        _local.stream = self
        return self

    def __exit__(self, *error):
        _local.stream = self._before.pop()

    def __repr__(self):
        return f"<{type(self).__name__} {self.ptr} (device {self.device_id})>"

    def use(self):
        """Make this the current stream."""
        _local.stream = self
        return self

    def synchronize(self):
        """Wait for the stream."""
        faults.meet("wait")

    def record(self, event=None):
        """Record an event."""
        event = event or Event()
        event.record(self)
        return event

    def wait_event(self, event):
        """Wait for an event."""
        faults.meet("event")

    def launch_host_func(self, callback, arg):
        """Call a function on the host, now: all work before is done."""
        callback(arg)

    def add_callback(self, callback, arg):
        """Call a function on the host, now: all work before is done."""
        callback(self, 0, arg)

    @property
    def done(self):
        """Whether all work is done."""
        return True


class Stream(_BaseStream):
    """A stream; in a ``with`` block it is the current one."""

    null: "Stream"
    ptds: "Stream"

    def __init__(self, null=False, non_blocking=False, ptds=False, priority=None):
        if null or ptds:
            super().__init__(0 if null else runtime.streamPerThread, -1)
            return
        self.ptr = 0  # for `__del__`
        faults.meet("stream")
        super().__init__(id(self), runtime.getDevice())

    def __del__(self, finalizing=sys.is_finalizing):
        if not finalizing() and self.ptr not in (0, runtime.streamLegacy, runtime.streamPerThread):
            faults.meet("free")


class ExternalStream(_BaseStream):
    """A stream that another library has made, by its address."""

    def __init__(self, ptr, device_id=-1):
        super().__init__(ptr, device_id)


class Event:
    """An event, which knows when it was recorded."""

    def __init__(self, block=False, disable_timing=False, interprocess=False):
        if interprocess and not disable_timing:
            raise ValueError("Timing must be disabled for interprocess events")
        self._time = None
        faults.meet("event")

    def __del__(self, finalizing=sys.is_finalizing):
        if not finalizing():
            faults.meet("free")

    def record(self, stream=None):
        """Record the event now."""
        faults.meet("event")
        self._time = time.perf_counter()

    def synchronize(self):
        """Wait for the event."""
        faults.meet("wait")

    @property
    def done(self):
        """Whether it has happened."""
        return True


Stream.null = Stream(null=True)
Stream.ptds = Stream(ptds=True)


def get_current_stream(device_id=-1):
    """The stream of this host thread that launches go to."""
    return getattr(_local, "stream", None) or _default()


def _default():
    """The stream of the device that all threads share, or the one that each has of its own."""
    of_its_own = os.environ.get("CUPY_CUDA_PER_THREAD_DEFAULT_STREAM", "0") != "0"
    return Stream.ptds if of_its_own else Stream.null


def get_elapsed_time(start_event, end_event):
    """Milliseconds between two events."""
    return (end_event._time - start_event._time) * 1e3
