"""Is everything ordered that must be? Streams, events and threads of the host, with vector clocks.

The simulator's streams work at once, so a missing event changes no result there. This follows who
waits for whom: each stream and each thread has a clock; an event carries the clock of the stream
that recorded it; who waits for it knows from then on what came before. Of two accesses to the
same bytes, one of which writes, the later one must know of the earlier one.

Method: L. Lamport, "Time, clocks, and the ordering of events in a distributed system",
Communications of the ACM 21, 1978; C. Flanagan and S. Freund, "FastTrack", PLDI 2009.
"""

import itertools
import threading
from collections import defaultdict
from concurrent.futures import Future, ThreadPoolExecutor
from functools import wraps

import cupy as cp
import numpy as np
from cupy import _memory
from cupy.cuda import pinned_memory
from cupy.cuda import stream as streams
from cupy.cuda.function import Function

from skimage_gpu_backend.adapt import host_copy, pinned


class Order:
    """Watches all accesses while `watching`; `races` lists those that nothing orders."""

    def __init__(self, monkeypatch):
        self.races = []
        self.accesses = 0
        self._clocks = defaultdict(dict)  # of streams and threads
        self._carried = {}  # clocks of events, of freed memory, of a lock
        # on a device, first byte, byte after the last, whose, when, whether it wrote, what, thread
        self._seen = []
        self._lock = threading.RLock()
        self._numbers = itertools.count()
        self._patch(monkeypatch)

    # clocks
    def _here(self):
        return "thread", threading.get_ident()

    def _tick(self, who):
        clock = self._clocks[who]
        clock[who] = clock.get(who, 0) + 1
        return clock

    def _learn(self, who, clock):
        mine = self._clocks[who]
        for other, time in (clock or {}).items():
            mine[other] = max(time, mine.get(other, 0))

    def _carry(self, key, who):
        self._carried[key] = dict(self._tick(who))

    def _enqueue(self, stream, what, *touched):
        """Work on a stream, which comes after what this thread has done and knows."""
        stream = streams.get_current_stream() if stream is None else stream
        with self._lock:
            # an address may be that of an earlier stream
            if not hasattr(stream, "number"):
                stream.number = next(self._numbers)
            is_null = stream is streams.Stream.null  # there is one on each device
            who = "stream", stream.number, cp.cuda.runtime.getDevice() if is_null else None
            self._learn(who, self._tick(self._here()))
            self._tick(who)
            for array, writes in touched:
                self._access(who, array, writes, what)
        return who

    def _access(self, who, array, writes, what):
        first, last = _bytes(array)
        # the simulator's devices and the host give each other's freed addresses away
        device = isinstance(array, cp.ndarray)
        clock = self._clocks[who]
        self.accesses += 1
        for place, begin, end, other, time, wrote, before, _ in self._seen:
            overlap = place == device and begin < last and first < end
            if overlap and (writes or wrote) and time > clock.get(other, 0):
                self.races.append(f"{what} on {who[0]} does not wait for {before} on {other[0]}")
        self._seen = [
            seen
            for seen in self._seen
            if not (seen[0] == device and first <= seen[1] and seen[2] <= last and writes)
        ]
        self._seen.append((device, first, last, who, clock[who], writes, what, self._here()))

    # what is watched
    def _patch(self, monkeypatch):
        def around(owner, name, extra):
            original = getattr(owner, name)

            @wraps(original)
            def watched(*args, **kwargs):
                return extra(original, *args, **kwargs)

            monkeypatch.setattr(owner, name, watched)

        around(cp, "asarray", self._asarray)
        around(cp.ndarray, "set", self._set)
        around(cp.ndarray, "get", self._get)
        around(Function, "__call__", self._kernel)
        around(host_copy, "copy", self._host_copy)
        around(streams._BaseStream, "record", self._record)
        around(streams._BaseStream, "wait_event", self._wait_event)
        around(streams._BaseStream, "synchronize", self._synchronize)
        around(streams.Event, "synchronize", self._event_synchronize)
        around(_memory.Memory, "__init__", self._allocated)
        around(_memory.Memory, "__del__", self._freed)
        around(ThreadPoolExecutor, "submit", self._submit)
        around(Future, "result", self._result)
        monkeypatch.setattr(pinned, "_lock", _Lock(self))

    def _asarray(self, original, a, *args, blocking=False, **options):
        """From pinned memory CuPy's copies are asynchronous."""
        if isinstance(a, np.ndarray) and pinned_memory.is_memory_pinned(a.ctypes.data):
            who = self._enqueue(None, "copy in", (a, False))
            if blocking:
                with self._lock:
                    self._learn(self._here(), self._clocks[who])
        return original(a, *args, blocking=blocking, **options)

    def _set(self, original, array, arr, stream=None):
        self._enqueue(stream, "copy in", (arr, False), (array, True))
        return original(array, arr, stream)

    def _get(self, original, array, stream=None, order="C", out=None, blocking=True):
        touched = [(array, False)] + ([] if out is None else [(out, True)])
        who = self._enqueue(stream, "copy out", *touched)
        if blocking:
            with self._lock:
                self._learn(self._here(), self._clocks[who])
        return original(array, stream, order, out, blocking)

    def _kernel(self, original, kernel, grid, block, args, *rest):
        arrays = [(arg, True) for arg in args if isinstance(arg, cp.ndarray) and arg.size]
        self._enqueue(None, "kernel", *arrays)
        return original(kernel, grid, block, args, *rest)

    def _host_copy(self, original, target, source):
        with self._lock:
            self._tick(self._here())
            self._access(self._here(), source, False, "the host's reading")
            self._access(self._here(), target, True, "the host's writing")
        return original(target, source)

    def _record(self, original, stream, event=None):
        event = original(stream, event)
        with self._lock:
            self._carry(event, self._enqueue(stream, "event"))
        return event

    def _wait_event(self, original, stream, event):
        who = self._enqueue(stream, "wait")
        with self._lock:
            self._learn(who, self._carried[event])
        return original(stream, event)

    def _synchronize(self, original, stream):
        who = self._enqueue(stream, "synchronize")
        with self._lock:
            self._learn(self._here(), self._clocks[who])
        return original(stream)

    def _event_synchronize(self, original, event):
        with self._lock:
            self._learn(self._here(), self._carried[event])
        return original(event)

    def _allocated(self, original, memory, size):
        original(memory, size)
        with self._lock:
            self._learn(self._here(), self._carried.get(memory.ptr))

    def _freed(self, original, memory):
        with self._lock:
            for device, begin, end, *_, thread in self._seen:
                if device and begin < memory.ptr + memory.size and memory.ptr < end:
                    # it has dropped the array, or this would not be the last reference
                    self._learn(self._here(), self._clocks[thread])
            self._carry(memory.ptr, self._here())
        return original(memory)

    def _submit(self, original, pool, function, *args, **kwargs):
        with self._lock:
            began = dict(self._tick(self._here()))
        ended = {}

        def helping(*args, **kwargs):
            with self._lock:
                self._learn(self._here(), began)
            try:
                return function(*args, **kwargs)
            finally:
                with self._lock:
                    ended.update(self._tick(self._here()))

        future = original(pool, helping, *args, **kwargs)
        future.ended = ended
        return future

    def _result(self, original, future, timeout=None):
        try:
            return original(future, timeout)
        finally:
            with self._lock:
                self._learn(self._here(), getattr(future, "ended", None))


class _Lock:
    """A lock whose next owner knows what the one before has done."""

    def __init__(self, order):
        self._order = order
        self._lock = threading.Lock()

    def __enter__(self):
        self._lock.acquire()
        with self._order._lock:
            self._order._learn(self._order._here(), self._order._carried.get(self))

    def __exit__(self, *error):
        with self._order._lock:
            self._order._carry(self, self._order._here())
        self._lock.release()


def _bytes(array):
    """First byte of an array in memory, and the one after its last."""
    if isinstance(array, cp.ndarray):
        array = array._host
    return np.lib.array_utils.byte_bounds(array)
