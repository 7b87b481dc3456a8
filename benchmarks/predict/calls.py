"""Rows of predictions: the benchmark's calls, with this package's kernels and with cuCIM's."""

import collections
import contextlib
import re
import signal

from benchmarks.calls import calls, sized
from benchmarks.ways import Call
from tests.differential.inputs import forget
from tests.differential.sweeps import SWEEPS

from . import cards, model
from .launches import watched
from .separable import by_scipy

_KERNELS = 4  # of a call that are named


class _TooLong(BaseException):
    """No error that the backend or cuCIM would make something of."""


def rows(names, shown, side, limit, known=None):
    """Yield the rows of each call, by card.

    Parameters
    ----------
    names : sequence of str
        Parts of functions' names; none: all functions.
    shown : sequence of str
        Cards, as in `cards.CARDS`. cuCIM's call is made once for all of them.
    side : int
        Pixels of a side of images.
    limit : float
        Seconds that a call may take here, for each way.
    known : set, optional
        Function, images and side of calls that are left out, with all but the standard calls.
    """
    chosen = [s for s in SWEEPS if not names or any(part in s.name for part in names)]
    for sweep in chosen:
        for images, arguments in calls(sweep):
            is_standard = ", " not in images
            if known is None or (is_standard and (sweep.name, images, side) not in known):
                call = Call(sweep.name, sized(sweep.name, arguments, side))
                row = {"function": sweep.name, "images": images, "side": side}
                # this package's launches are made for the card
                ours = [_predicted(call, "gpu", (card,), limit)[0] for card in shown]
                theirs = _predicted(call, "cucim", shown, limit)
                ways = zip(shown, ours, theirs, strict=True)
                yield {card: {**row, "gpu": gpu, "cucim": cucim} for card, gpu, cucim in ways}
                forget()


def _predicted(call, way, shown, limit):
    """What is predicted for each card."""
    shown = [cards.CARDS[card] for card in shown]
    try:
        with _within(limit), contextlib.ExitStack() as stack:
            if way == "cucim":
                stack.enter_context(by_scipy())
            seen = [stack.enter_context(watched(card, way == "gpu")) for card in shown]
            call.run(way)
    except (Exception, _TooLong) as error:
        return [{"refused": f"{type(error).__name__}: {error}"[:200]} for _ in shown]
    return [_told(*each) for each in zip(seen, shown, strict=True)]


def _told(seen, card):
    if not seen.works:
        return {"refused": "HostOnly: runs on the host"}
    told = model.predicted(seen, card)
    return {
        "us": round(1e6 * told.seconds, 2),
        "bound": told.bound,
        "shares": {name: round(1e6 * part, 2) for name, part in told.shares.items()},
        "dram": round(1e6 * sum(time.bounds["DRAM"] for time in told.times), 2),
        "launches": len(seen.works),
        "copies": seen.copies,
        "not followed": sorted({w.followed for w in seen.works if w.followed and w.name}),
        "of CuPy": sum(not work.name for work in seen.works),
        "kernels": _slowest(seen.works, told.times),
    }


def _slowest(works, times):
    """The kernels that take most: name, times launched, microseconds, bound, occupancy."""
    found = {}
    for work, time in zip(works, times, strict=True):
        found.setdefault(work.name, []).append(time)
    rows = []
    for name, each in found.items():
        shares = collections.Counter()
        for time in each:
            shares[time.bound] += time.seconds
        rows.append(
            [
                _spoken(name),
                len(each),
                round(1e6 * sum(shares.values()), 2),
                max(shares, key=shares.get),
                each[0].occupancy,
            ]
        )
    return sorted(rows, key=lambda row: -row[2])[:_KERNELS]


def _spoken(name):
    """A kernel's name; of a mangled one what it is called in the source."""
    found = re.match(r"_ZN?(\d+)", name)
    return name[found.end() :][: int(found[1])] if found else name


class _within:
    """Ends what takes longer than so many seconds."""

    def __init__(self, seconds):
        self._seconds = seconds

    def __enter__(self):
        signal.signal(signal.SIGALRM, self._end)
        signal.setitimer(signal.ITIMER_REAL, self._seconds)

    def __exit__(self, *error):
        signal.setitimer(signal.ITIMER_REAL, 0)

    def _end(self, *_):
        raise _TooLong(f"more than {self._seconds:.0f} s here")
