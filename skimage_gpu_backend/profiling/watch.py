"""Watching: the profiles that are on, and what calls, copies and launches tell them.

Whatever happens in the process, in any thread, is told to every profile that is on then.
"""

import contextlib
import os
import sys
import threading
import time
from _thread import _local

from .. import notify
from ..adapt import meter
from ..dispatch import _importlib_bootstrap as way
from .outside import Sampler
from .tally import ON_CPU, Tally
from .trace import Launch

_clock = time.perf_counter
_on = ()  # profiles
_lock = threading.Lock()  # profiles begin and end in any thread
_sampler = None  # while there are any
_before = None  # who else has watched calls until then
in_child = None  # makes what a forked child tells its calls to; None: they are told to nobody


def begin(profile):
    """Have a profile told from now on."""
    global _on, _before, _sampler
    with _lock:
        if not _on:
            _before = way.record_of
            way.record_of, meter.watcher = Record, _watcher
            _sampler = Sampler(_outside)
            _sampler.start()
        _on = (*_on, profile)


def end(profile):
    """Have a profile told no more."""
    global _on, _sampler
    with _lock:
        if profile not in _on:  # in a forked child
            return
        _on = tuple(other for other in _on if other is not profile)
        if not _on:
            way.record_of, meter.watcher = _before, None
            _sampler.stop()
            _sampler = None


def _outside(name, seconds):
    for profile in _on:
        profile.outside[name] = profile.outside.get(name, 0.0) + seconds


def _forked():
    """Nobody in the parent would see what a child's calls add; its locks may be held."""
    global _on, _lock
    notify.reported = False
    if _on and in_child is None:
        way.record_of, meter.watcher = None, None
    _on, _lock = (in_child(),) if _on and in_child else (), threading.Lock()
    _of_thread.record = None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)


class _OfThread(_local):
    """The call that this thread is in."""

    record = None


_of_thread = _OfThread()


class Record:
    """One call, until it ends and is told; what `dispatch` asks for.

    Attributes
    ----------
    name : str
        Public module and function.
    arguments : tuple of (tuple, dict)
        The caller's own.
    calls : int
        1, and 0 for what a generator does later.
    where : str
        As in `tally.Case`.
    declined : list of (str, object, str)
        Backends that did not run it: name, reason, reason without the call's numbers.
    copies : Tally or None
        What was copied, if something was.
    file, line
        Of the caller.
    start, seconds : float
        By `time.perf_counter`; without the calls inside that are told by themselves.
    inside : float
        Seconds of these.
    result : object
        What the caller gets.
    """

    __slots__ = (
        "_outer", "_profiles", "arguments", "calls", "copies", "declined", "file", "inside", "line",
        "name", "result", "seconds", "start", "where",
    )  # fmt: skip

    def __init__(self, name, args, kwargs, caller):
        self._profiles = _on
        self.name = name
        self.arguments = args, kwargs
        self.where = ON_CPU
        self.declined = ()
        self.copies = None
        self.inside = 0.0
        self.calls = 1
        self.file, self.line, _ = _NOWHERE if caller is None else _place(caller)
        self._outer = _of_thread.record  # has called back, into Python that calls us
        _of_thread.record = self
        self.start = _clock()

    def again(self):
        """The next result of a generator is asked for: time and copies of the same call."""
        self.arguments = (), {}
        self.copies = None
        self.inside = 0.0
        self.calls = 0
        self._outer = _of_thread.record
        _of_thread.record = self
        self.start = _clock()

    def end(self, failed):
        """The call, or what was asked for, has returned or raised."""
        if self.where is not ON_CPU:
            with contextlib.suppress(Exception):  # a device that fails is the caller's to meet
                sys.modules["cupy"].cuda.get_current_stream().synchronize()
        whole = _clock() - self.start
        self.seconds = whole - self.inside
        _of_thread.record = self._outer
        if self._outer is not None:
            self._outer.inside += whole
        for profile in self._profiles:
            profile.add(self, failed)

    def ran_on(self, backend, decision):
        """Note the backend that ran the call."""
        self.where = getattr(decision, "source", None) or backend


_NOWHERE = "", 0, None  # a thread or C code has called
_MANY = 10_000
_places = {}  # id of a code object, instruction -> file, line, the object: ids stay taken


def _place(caller):
    """File and line of a frame; to find a line from its instruction takes Python long."""
    code = caller.f_code
    key = id(code), caller.f_lasti
    place = _places.get(key)
    if place is None:
        if len(_places) >= _MANY:  # of a program that makes code all the time
            _places.clear()
        place = _places[key] = code.co_filename, caller.f_lineno, code
    return place


class _Watcher(meter.Watcher):
    """Tells copies and launches to the call of their thread, and to timelines."""

    def transfer(self, direction, nbytes):
        return _Transfer(direction, nbytes)

    def launch(self, name):
        traces = [profile.trace for profile in _on if profile.trace is not None]
        return Launch(traces, name) if traces else meter.UNSEEN

    def carried(self, function):
        """See `adapt.meter.Watcher`."""
        record = _of_thread.record
        if record is not None:
            record.copies = record.copies or Tally()  # before several threads add to it

        def helping(*args):
            _of_thread.record = record
            return function(*args)

        return helping


_watcher = _Watcher()
_FIELDS = {
    direction: (name, f"{name}_bytes", f"{name}_seconds")
    for direction, name in {"to device": "to_device", "to host": "to_host"}.items()
}


class _Transfer:
    """One copy, on the clock; added to the call of its thread."""

    __slots__ = ("_direction", "_nbytes", "_start")

    def __init__(self, direction, nbytes):
        self._direction = direction
        self._nbytes = nbytes

    def __enter__(self):
        self._wait()  # for the kernels, whose time this is not
        self._start = _clock()

    def __exit__(self, *error):
        self._wait()
        end = _clock()
        record = _of_thread.record
        if record is not None:
            count, nbytes, seconds = _FIELDS[self._direction]
            tally = record.copies = record.copies or Tally()
            setattr(tally, count, getattr(tally, count) + 1)
            setattr(tally, nbytes, getattr(tally, nbytes) + self._nbytes)
            setattr(tally, seconds, getattr(tally, seconds) + end - self._start)
        for profile in _on:
            if profile.trace is not None:
                profile.trace.transfer(self._direction, self._nbytes, self._start, end)

    def _wait(self):
        sys.modules["cupy"].cuda.get_current_stream().synchronize()
