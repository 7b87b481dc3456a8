"""Taking a profile: what scikit-image's functions did, where, and what was copied for it."""

import sys
import threading
import time
import weakref
from contextlib import contextmanager
from dataclasses import astuple, dataclass

from ..adapt import meter
from ..adapt.kinds import NUMPY, kind_of
from ..dispatch import _importlib_bootstrap as way
from .tally import ON_CPU, Case, Tally
from .trace import Trace

_clock = time.perf_counter
_NOTHING_SELECTED = "no backend is selected"


class Profile(meter.Watcher):
    """What ran where, from `skimage_gpu_backend.profile`.

    Printed, it is the report. Profiles of several programs can be added up.

    Attributes
    ----------
    reasons : dict of (str, str) to str
        For a function and a reason's short form, the reason as it was told at first.
    chains : dict of (str, str) to Chain
        Arrays that had been on the device before the copy to it: what made them there and
        what they were copied for. The first name is empty where they came from the host.
    seconds : float
        Wall time of the profiled block.
    trace : Trace or None
        Every call, copy and launch, where a timeline was asked for.
    """

    def __init__(self, trace=False):
        self.reasons = {}
        self.chains = {}
        self.seconds = 0.0
        self.trace = Trace() if trace else None
        self._tallies = {}  # fields of a Case -> Tally
        self._lock = threading.Lock()  # calls end in any thread
        self._of_thread = threading.local()
        self._seen = {}  # id of an array -> weak reference to it, function that made it
        self._start = _clock()

    @property
    def tallies(self) -> dict[Case, Tally]:
        """Sums of the calls, by function, place, reason and the user's line."""
        return {Case(*fields): tally for fields, tally in self._tallies.items()}

    def record_of(self, name, args, kwargs):
        """Record of a call that begins; what `dispatch` asks for."""
        return _Record(self, name, args, kwargs)

    def carried(self, function):
        """See `adapt.meter.Watcher`."""
        record = getattr(self._of_thread, "record", None)
        if record is not None:
            record.copies = record.copies or Tally()  # before several threads add to it

        def helping(*args):
            self._of_thread.record = record
            return function(*args)

        return helping

    def transfer(self, direction, nbytes):
        return _Transfer(self, direction, nbytes)

    def launch(self, name):
        return meter.UNSEEN if self.trace is None else self.trace.launch(name)

    def _follow(self, record):
        """Tell the arrays of a call that have crossed before, and remember those that did now."""
        args, kwargs = record.arguments
        for value in (*args, *kwargs.values()):
            if kind_of(value) is not NUMPY:
                continue
            owner = _owner(value)
            known = self._seen.get(id(owner))
            if known is not None and known[0]() is owner:
                chain = self.chains.setdefault((known[1], record.name), Chain())
                chain.times += 1
                chain.nbytes += value.nbytes
            else:
                self._remember(owner, "")
        if record.copies.to_host:
            result = record.result
            for value in result if isinstance(result, tuple | list) else (result,):
                if kind_of(value) is NUMPY:
                    self._remember(_owner(value), record.name)

    def _remember(self, array, maker):
        key = id(array)
        self._seen[key] = weakref.ref(array, lambda _: self._seen.pop(key, None)), maker

    def merge(self, other):
        """Add what another profile has seen; its timeline too, where this one has one.

        Parameters
        ----------
        other : Profile
            It stays as it is.
        """
        with self._lock:
            for fields, tally in other._tallies.items():
                self._tallies.setdefault(fields, Tally()).add(tally)
            self.reasons = other.reasons | self.reasons
            for ends, chain in other.chains.items():
                mine = self.chains.setdefault(ends, Chain())
                mine.times += chain.times
                mine.nbytes += chain.nbytes
            if self.trace is not None and other.trace is not None:
                self.trace.merge(other.trace)

    def to_plain(self) -> list:
        """All sums in lists, texts and numbers, for another process; see `from_plain`."""
        return [
            [[*fields, *astuple(tally)] for fields, tally in self._tallies.items()],
            [[*key, text] for key, text in self.reasons.items()],
            [[*ends, chain.times, chain.nbytes] for ends, chain in self.chains.items()],
        ]

    @classmethod
    def from_plain(cls, plain):
        """Profile with the sums of one whose `to_plain` gave `plain`."""
        tallies, reasons, chains = plain
        taken = cls()
        count = len(Case._fields)
        taken._tallies = {tuple(row[:count]): Tally(*row[count:]) for row in tallies}
        taken.reasons = {(function, why): text for function, why, text in reasons}
        taken.chains = {(maker, function): Chain(*sums) for maker, function, *sums in chains}
        return taken

    def to_dict(self):
        """The profile as numbers and texts, fit for JSON.

        Returns
        -------
        dict
            ``device``, a text; ``totals``, sums over all calls; and lists of objects:
            ``functions``, each with its implementation and sums, ``fallbacks``, each with
            reason and remedy, ``lines`` of the user's files, and ``advice``. Times are
            seconds, sizes bytes.
        """
        from .report import as_dict

        return as_dict(self)

    def __str__(self):
        from .report import as_text

        return as_text(self)


@dataclass(slots=True)
class Chain:
    """Arrays that were copied back to where they had come from.

    Attributes
    ----------
    times : int
    nbytes : int
        Of all times.
    """

    times: int = 0
    nbytes: int = 0


def _owner(array):
    """The array whose memory `array` is a view of."""
    while kind_of(array.base) is NUMPY:
        array = array.base
    return array


class _Record:
    """One call, until it ends and is added to its case's tally."""

    __slots__ = (
        "_profile", "arguments", "copies", "declined", "file", "line", "name", "result", "seconds",
        "start", "where",
    )  # fmt: skip

    def __init__(self, profile, name, args, kwargs):
        self._profile = profile
        self.name = name
        self.arguments = args, kwargs
        self.where = ON_CPU
        self.declined = ()
        self.copies = None  # Tally, once something is copied
        # this, Profile.record_of, _recorded, dispatch, the function's own, the user's
        caller = sys._getframe(5)
        self.file, self.line = caller.f_code.co_filename, caller.f_lineno

    def __enter__(self):
        self._profile._of_thread.record = self
        self.start = _clock()

    def __exit__(self, error, *_):
        if self.where is not ON_CPU:
            sys.modules["cupy"].cuda.get_current_stream().synchronize()
        seconds = self.seconds = _clock() - self.start
        profile = self._profile
        profile._of_thread.record = None
        fields = self.name, self.where, self.why(), self.file, self.line
        with profile._lock:
            tally = profile._tallies.get(fields)
            if tally is None:
                tally = profile._tallies[fields] = Tally()
            tally.calls += 1
            tally.seconds += seconds
            if error is not None:
                tally.errors += 1
            if self.copies is not None:
                tally.add(self.copies)
                if error is None and self.where is not ON_CPU:
                    profile._follow(self)
        if profile.trace is not None:
            profile.trace.call(self)

    def ran_on(self, backend, decision):
        """Note the backend that ran the call."""
        self.where = getattr(decision, "source", None) or backend

    def why(self):
        """Short form of the reasons why it ran on the CPU; empty where it did not."""
        if self.where is not ON_CPU:
            return ""
        declined = self.declined
        if len(declined) == 1:
            why = declined[0][2]
        else:
            why = "; ".join(key for _, _, key in declined) or _NOTHING_SELECTED
        if (self.name, why) not in self._profile.reasons:
            told = "; ".join(str(reason) for _, reason, _ in declined)
            self._profile.reasons[self.name, why] = told or why
        return why


_FIELDS = {
    direction: (name, f"{name}_bytes", f"{name}_seconds")
    for direction, name in {"to device": "to_device", "to host": "to_host"}.items()
}


class _Transfer:
    """One copy, on the clock; added to the call of its thread."""

    __slots__ = ("_direction", "_nbytes", "_profile", "_start")

    def __init__(self, profile, direction, nbytes):
        self._profile = profile
        self._direction = direction
        self._nbytes = nbytes

    def __enter__(self):
        self._wait()  # for the op, whose time this is not
        self._start = _clock()

    def __exit__(self, *error):
        self._wait()
        end = _clock()
        profile = self._profile
        record = getattr(profile._of_thread, "record", None)
        if record is not None:
            count, nbytes, seconds = _FIELDS[self._direction]
            tally = record.copies = record.copies or Tally()
            setattr(tally, count, getattr(tally, count) + 1)
            setattr(tally, nbytes, getattr(tally, nbytes) + self._nbytes)
            setattr(tally, seconds, getattr(tally, seconds) + end - self._start)
        if profile.trace is not None:
            profile.trace.transfer(self._direction, self._nbytes, self._start, end)

    def _wait(self):
        sys.modules["cupy"].cuda.get_current_stream().synchronize()


@contextmanager
def profile(*, trace=False):
    """Watch scikit-image's functions in a block of code: what ran where, why, and how long.

    All threads are watched. Calls of device functions are waited for, so that their times are
    their own. Of nested profiles each has the calls of its block.

    Parameters
    ----------
    trace : bool, optional
        Keep every call, copy and launch for a timeline, not only sums; memory grows with
        the calls.

    Yields
    ------
    Profile
        Sums that grow with each call; ``print`` shows the report, `Profile.to_dict` gives it to
        programs.

    Examples
    --------
    >>> import numpy as np, skimage as ski
    >>> import skimage_gpu_backend
    >>> with skimage_gpu_backend.profile() as p:  # doctest: +SKIP
    ...     smooth = ski.filters.gaussian(np.ones((2048, 2048)))
    >>> print(p)  # doctest: +SKIP
    """
    from ..dispatch.hook import enable

    enable()
    taken = Profile(trace=trace)
    before = way.record_of, meter.watcher
    way.record_of, meter.watcher = taken.record_of, taken
    try:
        yield taken
    finally:
        way.record_of, meter.watcher = before
        taken.seconds = _clock() - taken._start
        if meter.watcher is not None:
            meter.watcher.merge(taken)
