"""Taking a profile: what scikit-image's functions did, where, and what was copied for it."""

import threading
import time
import weakref
from contextlib import contextmanager
from dataclasses import astuple, dataclass

from ..adapt.kinds import NUMPY, kind_of
from ..on_host import why_on_host
from . import watch
from .tally import ON_CPU, Case, Tally
from .trace import Trace

_clock = time.perf_counter
_NOTHING_SELECTED = "no backend is selected"


class Profile:
    """What ran where, from `skimage_gpu_backend.profile`.

    Printed, it is the report. Profiles of several programs can be added up.

    Attributes
    ----------
    reasons : dict of (str, str) to str
        For a function and a reason's short form, the reason as it was told at first.
    chains : dict of (str, str) to Chain
        Arrays that had been on the device before the copy to it: what made them there and
        what they were copied for. The first name is empty where they came from the host.
    outside : dict of str to float
        Seconds of scikit-image outside of all these calls, by what the program called there.
    seconds : float
        Wall time of the profiled block, until now or until its end.
    trace : Trace or None
        Every call, copy and launch, where a timeline was asked for.
    children : int or None
        Child processes whose calls are among these; None where they are not watched.
    """

    def __init__(self, trace=False, seen=None):
        self.reasons = {}
        self.chains = {}
        self.outside = {}
        self.trace = Trace() if trace else None
        self._tallies = {}  # fields of a Case -> Tally
        self._lock = threading.Lock()  # calls end in any thread
        # id of an array -> weak reference to it, function that made it
        self._seen = {} if seen is None else seen
        self.children = None
        self._start = _clock()
        self._end = None

    @property
    def seconds(self) -> float:
        return (self._end or _clock()) - self._start

    def end(self):
        """The profiled block is over."""
        self._end = _clock()

    @property
    def tallies(self) -> dict[Case, Tally]:
        """Sums of the calls, by function, place, reason and the user's line."""
        # a copy, since other threads add cases
        return {Case(*fields): tally for fields, tally in self._tallies.copy().items()}

    def add(self, record, failed):
        """Add a call that has ended.

        Parameters
        ----------
        record : Record
        failed : bool
            Whether it raised.
        """
        declined = record.declined
        if record.where is not ON_CPU:
            why = ""
        elif not declined:
            why = why_on_host(record.name) or _NOTHING_SELECTED
        elif len(declined) == 1:
            why = declined[0][2]
        else:
            why = "; ".join(key for _, _, key in declined)
        fields = record.name, record.where, why, record.file, record.line
        with self._lock:
            tally = self._tallies.get(fields)
            if tally is None:
                tally = self._new_case(fields, declined)
            tally.calls += record.calls
            tally.seconds += record.seconds
            if failed:
                tally.errors += 1
            if record.copies is not None:
                tally.add(record.copies)
                if not failed and record.where is not ON_CPU:
                    self._follow(record)
        if self.trace is not None:
            self.trace.call(record, why)

    def _new_case(self, fields, declined):
        name, where, why, *_ = fields
        if where is ON_CPU and (name, why) not in self.reasons:
            told = "; ".join(str(reason) for _, reason, _ in declined)
            self.reasons[name, why] = told or why
        tally = self._tallies[fields] = Tally()
        return tally

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
            for name, seconds in other.outside.items():
                self.outside[name] = self.outside.get(name, 0.0) + seconds
            if self.trace is not None and other.trace is not None:
                self.trace.merge(other.trace)

    def to_plain(self) -> list:
        """All sums in lists, texts and numbers, for another process; see `from_plain`."""
        return [
            [[*fields, *astuple(tally)] for fields, tally in self._tallies.items()],
            [[*key, text] for key, text in self.reasons.items()],
            [[*ends, chain.times, chain.nbytes] for ends, chain in self.chains.items()],
            self.outside,
        ]

    @classmethod
    def from_plain(cls, plain):
        """Profile with the sums of one whose `to_plain` gave `plain`."""
        taken = cls()
        tallies, reasons, chains, taken.outside = plain
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


@contextmanager
def profile(*, trace=False):
    """Watch scikit-image's functions in a block of code: what ran where, why, and how long.

    All threads are watched, other processes are not. Calls of device functions are waited for,
    so that their times are their own. Profiles may be nested, and several threads or tasks may
    take one each: every profile has all calls that begin in the process while its block runs.

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
    watch.begin(taken)
    try:
        yield taken
    finally:
        watch.end(taken)
        taken.end()
