"""Warnings of a call's chunks: each process tells of a kind once, whichever chunk it comes from.

Chunks run in several threads, where filters of warnings cannot be changed for one of them. So what
has passed the filters is held back on its way to the user: warnings that are errors stay these.
"""

import re
import threading
import warnings
from contextlib import contextmanager
from contextvars import ContextVar

_MOST = 1000  # calls that are remembered
_told = {}  # for each call the kinds of warnings that the user has been told of, oldest call first
_lock = threading.Lock()
_here = ContextVar("skimage_gpu_backend.warnings_of_call", default=None)
_inside, _before = 0, None  # chunks that are computed now, and what shows warnings elsewhere


@contextmanager
def once(call, known=()):
    """Tell once in this process of what chunks of a call warn of.

    Parameters
    ----------
    call : str
        The same for all of its chunks, and no other call's.
    known : tuple of str
        What the user has been told of, where the graph was built.
    """
    with _lock:
        found = _told.setdefault(call, set(map(_kind, known)))
        for oldest in list(_told)[:-_MOST]:
            del _told[oldest]
        _enter()
    token = _here.set(found)
    try:
        yield
    finally:
        _here.reset(token)
        with _lock:
            _leave()


def _enter():
    global _inside, _before
    if warnings.showwarning is not _show:
        _before = warnings.showwarning
        warnings.showwarning = _show
    _inside += 1


def _leave():
    global _inside
    _inside -= 1
    if not _inside and warnings.showwarning is _show:
        warnings.showwarning = _before


def _show(message, *place, **more):
    found, kind = _here.get(), _kind(str(message))
    if found is not None:
        with _lock:
            if kind in found:
                return
            found.add(kind)
    _before(message, *place, **more)


def _kind(text):
    """A warning's text, whatever the numbers in it: counts are of a chunk."""
    return re.sub(r"\d+", "0", text)
