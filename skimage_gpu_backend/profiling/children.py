"""Calls of child processes in a profile: each child writes its own into a file of the parent's.

A call is a line of its own, written when the call has ended, so that what a child has done is there
however it ends. Children know the file by a variable, which Python's start looks at.
"""

import contextlib
import json
import os
import tempfile
import threading

from ..dispatch import _importlib_bootstrap as way
from ..dispatch.startup import PROFILED
from . import watch


class Part:
    """What `watch` tells the calls of a child process to.

    Attributes
    ----------
    trace : None
        Timelines are of one process.
    """

    trace = None

    def __init__(self):
        self._file = os.environ[PROFILED]
        self._seen = {}

    def add(self, record, failed):
        """Write a call that has ended."""
        from .profile import Profile

        one = Profile(seen=self._seen)
        one.add(record, failed)
        line = json.dumps([os.getpid(), one.to_plain()]) + "\n"
        with contextlib.suppress(OSError):  # the parent has ended
            file = os.open(self._file, os.O_WRONLY | os.O_APPEND)
            os.write(file, line.encode())  # whole: lines of several processes do not mix
            os.close(file)


@contextlib.contextmanager
def watched():
    """Have child processes that begin meanwhile write their calls.

    Yields
    ------
    callable
        Adds the calls until now to a profile, once.
    """
    handle, file = tempfile.mkstemp(prefix="skimage-gpu-profile-")
    os.close(handle)
    os.environ[PROFILED] = file
    watch.in_child = Part
    process = os.getpid()
    try:
        yield lambda profile: _read(file, profile)
    finally:
        if os.getpid() == process:
            watch.in_child = None
            del os.environ[PROFILED]
            os.unlink(file)


def _read(file, profile):
    from .profile import Profile

    processes = set()
    with open(file, encoding="utf-8") as lines:
        for line in lines:
            process, plain = json.loads(line)
            processes.add(process)
            profile.merge(Profile.from_plain(plain))
    profile.children = len(processes)


_lock = threading.Lock()


def begin():
    """In a child process: write its calls, from the first one on.

    Until then nothing is imported that a program without scikit-image would have to wait for.
    """
    if watch.in_child is None:
        watch.in_child = Part
        way.record_of = _first


def _first(*call):
    with _lock:
        if way.record_of is _first:
            way.record_of = None
            watch.begin(Part())
    return way.record_of(*call)
