"""`cupy.cuda.stream`: streams and events; all work is done when a call returns."""

import threading
import time

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

    def record(self, event=None):
        """Record an event."""
        event = event or Event()
        event.record(self)
        return event

    def wait_event(self, event):
        """Wait for an event."""

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

    def __init__(self, null=False, non_blocking=False, ptds=False, priority=None):
        super().__init__(*((0, -1) if null else (id(self), runtime.getDevice())))


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

    def record(self, stream=None):
        """Record the event now."""
        self._time = time.perf_counter()

    def synchronize(self):
        """Wait for the event."""

    @property
    def done(self):
        """Whether it has happened."""
        return True


Stream.null = Stream(null=True)


def get_current_stream(device_id=-1):
    """The stream of this host thread that launches go to."""
    return getattr(_local, "stream", Stream.null)


def get_elapsed_time(start_event, end_event):
    """Milliseconds between two events."""
    return (end_event._time - start_event._time) * 1e3
