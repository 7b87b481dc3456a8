"""Crossing the bus through pinned buffers, in pieces.

Only to and from pinned memory a device copies while the host goes on and kernels run. An array
of the user's is pageable, so the host copies it piece by piece into a pinned buffer while the
device reads the piece before from another one, and the other way round for results. The buffers
are kept for later calls: to pin memory takes longer than to copy it.
"""

import contextlib
import math
import sys
import threading
import weakref

import cupy as cp
import numpy as np

from . import host_copy, meter

# Bytes of a piece: a copy over the bus of some milliseconds, beside which the microseconds to
# start it, and a kernel's, do not count; small enough that the first piece, which nothing
# overlaps, is a small part of a large image.
PIECE = 32 << 20
# Bytes of an array, or of all images of a call, from which it crosses in pieces: two of them, since
# with fewer there is nothing that could overlap.
LARGE = 2 * PIECE
_lock = threading.Lock()
_idle: list["Buffers"] = []
_all = weakref.WeakSet()


class Buffers:
    """Two pinned buffers that take turns, each with the event or stream that it is busy until."""

    def __init__(self):
        memory = [_pinned() for _ in range(2)]
        self._bytes = [np.frombuffer(m, np.uint8, PIECE) for m in memory]
        self._busy = [None, None]
        self._turn = 0

    def take(self, shape, dtype, stream):
        """A buffer as array of this shape, for a copy on `stream`; waits until it is free.

        It is busy until the stream has finished, in case Ctrl-C comes before the copy has an event.
        """
        self._turn = 1 - self._turn
        if self._busy[self._turn] is not None:
            self._busy[self._turn].synchronize()
        self._busy[self._turn] = stream
        nbytes = int(np.prod(shape)) * dtype.itemsize
        return self._bytes[self._turn][:nbytes].view(dtype).reshape(shape)

    def wait(self):
        """Wait until the device is done with both buffers."""
        for busy in self._busy:
            if busy is not None:
                busy.synchronize()

    def __del__(self, finalizing=sys.is_finalizing):
        if not finalizing():
            self.wait()  # CuPy gives the memory to others

    def busy_until(self, stream):
        """The buffer that was taken last belongs to what `stream` has been given up to now."""
        self._busy[self._turn] = stream.record()
        return self._busy[self._turn]


def _pinned():
    try:
        return cp.cuda.alloc_pinned_memory(PIECE)
    except cp.cuda.runtime.CUDARuntimeError:  # the host pins no more: slower, but it copies
        return bytearray(PIECE)


@contextlib.contextmanager
def buffers():
    """A pair of buffers that nobody else uses inside the block.

    Copies of an interrupted block may go on: the next block waits for them.
    """
    with _lock:
        found = _idle.pop() if _idle else None
    if found is None:
        found = Buffers()
        with _lock:
            _all.add(found)
    try:
        yield found
    finally:
        with _lock:
            _idle.append(found)


def nbytes() -> int:
    """Bytes of all pinned buffers."""
    return 2 * PIECE * len(_all)


def forget():
    """Give the buffers back that nobody uses."""
    with _lock:
        for unused in _idle:
            unused.wait()
        _idle.clear()


def copy_in(host, device, stream):
    """Copy a NumPy array into a C-contiguous device array of its shape and native dtype.

    On return the host's part is done: what comes after on `stream` finds the elements.
    """
    with meter.transfer("to device", host.nbytes), buffers() as ring:
        for part in pieces(host.shape, host.dtype.itemsize, PIECE):
            piece = ring.take(host[part].shape, device.dtype, stream)
            host_copy.copy(piece, host[part])
            device[part].set(piece, stream=stream)
            ring.busy_until(stream)


def copy_out(device, host, stream):
    """Copy a C-contiguous device array into a NumPy array of its shape and native dtype.

    On return all of it is there.
    """
    with meter.transfer("to host", host.nbytes), buffers() as ring:
        waiting = None
        for part in pieces(host.shape, host.dtype.itemsize, PIECE):
            piece = ring.take(host[part].shape, device.dtype, stream)
            device[part].get(stream=stream, out=piece, blocking=False)
            event = ring.busy_until(stream)
            if waiting is not None:
                _fetch(host, *waiting)
            waiting = part, piece, event
        if waiting is not None:
            _fetch(host, *waiting)


def _fetch(host, part, piece, event):
    event.synchronize()
    host_copy.copy(host[part], piece)


def pieces(shape, itemsize, most):
    """Slices that cut an array into C-contiguous parts of no more than `most` bytes.

    One element is a part, be it as large as it will.
    """
    nbytes = math.prod(shape) * itemsize
    if nbytes <= most or not shape:
        yield ()
        return
    row = nbytes // shape[0]
    if row <= most:
        rows = max(1, most // row)
        for start in range(0, shape[0], rows):
            yield (slice(start, start + rows),)
        return
    inside = list(pieces(shape[1:], itemsize, most))
    for index in range(shape[0]):
        yield from ((index, *rest) for rest in inside)
