"""A timeline of calls, copies and kernels in the Chrome trace format, which Perfetto opens.

Source of the format: "Trace Event Format", Google.
"""

import contextlib
import json
import threading
import time

from ..catalog import spoken

_clock = time.perf_counter
_HOST, _DEVICE = 1, 2  # the trace's process numbers


class Trace:
    """Events of a profile.

    Calls and copies are on the host's threads, by the host's clock; kernels are on their
    device, between two events on the stream. Of functions that cuCIM runs only the calls
    are there: its launches are not ours to watch.
    """

    def __init__(self):
        self.events = []
        self._launches = []
        self._bases = {}  # device -> event, host's clock when it happened

    def call(self, record, why):
        """Note a call that has just ended; `why` it ran on the CPU is empty where it did not."""
        told = {
            "ran by": record.where,
            "reason": why,
            "line": f"{record.file}:{record.line}",
        }
        self._on_host(spoken(record.name), "call", record.start, record.seconds, told)

    def transfer(self, direction, nbytes, start, end):
        """Note a copy between host and device."""
        self._on_host(f"copy {direction}", "transfer", start, end - start, {"bytes": nbytes})

    def _on_host(self, name, category, start, seconds, told):
        thread = threading.get_ident()
        self.events.append(_event(name, category, start, seconds, _HOST, thread, told))

    def launched(self, name, device, begin, end):
        self._launches.append((name, device, begin, end))

    def base(self, device):
        """An event on the device, and the host's clock when it happened."""
        if device not in self._bases:
            import cupy as cp

            event = cp.cuda.Event()
            event.record()
            event.synchronize()
            self._bases[device] = event, _clock()
        return self._bases[device]

    def _resolve(self):
        """Make the launches events; waits for the device."""
        if not self._launches:
            return
        from cupy.cuda import get_elapsed_time, runtime

        with contextlib.suppress(runtime.CUDARuntimeError):  # a device that was lost tells no times
            for name, device, begin, end in self._launches:
                base, host = self._bases[device]
                end.synchronize()
                start = host + get_elapsed_time(base, begin) / 1e3
                seconds = get_elapsed_time(begin, end) / 1e3
                self.events.append(_event(name, "kernel", start, seconds, _DEVICE, device, {}))
        self._launches.clear()

    def merge(self, other):
        """Add the events of another timeline."""
        other._resolve()
        self.events += other.events

    def save(self, path):
        """Write the timeline to a file.

        Parameters
        ----------
        path : str or path
            Opens at ui.perfetto.dev, or in Chrome at ``chrome://tracing``.
        """
        self._resolve()
        first = min((event["ts"] for event in self.events), default=0)
        events = [{**event, "ts": event["ts"] - first} for event in self.events]
        devices = {event["tid"] for event in events if event["pid"] == _DEVICE}
        named = [_name("process_name", _HOST, 0, "scikit-image calls and copies")]
        if devices:
            named.append(_name("process_name", _DEVICE, 0, "kernels"))
            named += [_name("thread_name", _DEVICE, device, f"GPU {device}") for device in devices]
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"traceEvents": named + events, "displayTimeUnit": "ms"}, file)


def _event(name, category, start, seconds, process, thread, told):
    """A complete event; times are microseconds there."""
    return {
        "name": name,
        "cat": category,
        "ph": "X",
        "ts": start * 1e6,
        "dur": seconds * 1e6,
        "pid": process,
        "tid": thread,
        "args": {key: value for key, value in told.items() if value != ""},
    }


def _name(what, process, thread, name):
    return {"name": what, "ph": "M", "pid": process, "tid": thread, "args": {"name": name}}


class Launch:
    """One launch between two events on the current stream, for several timelines."""

    __slots__ = ("_begin", "_device", "_name", "_traces")

    def __init__(self, traces, name):
        self._traces = traces
        self._name = name

    def __enter__(self):
        import cupy as cp

        self._device = cp.cuda.runtime.getDevice()
        for trace in self._traces:
            trace.base(self._device)
        self._begin = cp.cuda.Event()
        self._begin.record()

    def __exit__(self, *error):
        import cupy as cp

        end = cp.cuda.Event()
        end.record()
        for trace in self._traces:
            trace.launched(self._name, self._device, self._begin, end)
