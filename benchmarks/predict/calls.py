"""Launches of the benchmark's calls, with this package's kernels and with cuCIM's."""

import contextlib
import signal

from benchmarks.calls import calls, sized
from benchmarks.ways import Call
from tests.differential.inputs import forget
from tests.differential.sweeps import SWEEPS

from .launches import watched
from .rows import kind_of, packed, which
from .separable import by_scipy


class _TooLong(BaseException):
    """No error that the backend or cuCIM would make something of."""


def launched(names, shown, side, limit, known=None):
    """Yield the launches of each call, by kind of card.

    Parameters
    ----------
    names : sequence of str
        Parts of functions' names; none: all functions.
    shown : sequence of cards.Card
        Of different kinds. cuCIM's call is made once for all of them.
    side : int
        Pixels of a side of images.
    limit : float
        Seconds that a call may take here, for each way.
    known : set, optional
        Function, images and side of calls that are left out, with all but the standard calls.

    Yields
    ------
    dict of dict
        Function, images and side, and of each way what `rows.packed` makes of its launches, or
        why it was ``refused``.
    """
    chosen = [s for s in SWEEPS if not names or any(part in s.name for part in names)]
    for sweep in chosen:
        for images, arguments in calls(sweep):
            row = {"function": sweep.name, "images": images, "side": side}
            if known is None or (", " not in images and which(row) not in known):
                call = Call(sweep.name, sized(sweep.name, arguments, side))
                ours = _ours(call, shown, limit)
                theirs = _seen(call, "cucim", shown, limit)
                ways = zip(map(kind_of, shown), ours, theirs, strict=True)
                yield {kind: {**row, "gpu": gpu, "cucim": cucim} for kind, gpu, cucim in ways}
                forget()


def _ours(call, shown, limit):
    """This package's launches, which are made for the card; what takes too long does so for all."""
    seen = []
    for card in shown:
        is_long = seen and seen[-1].get("refused", "").startswith(_TooLong.__name__)
        seen.append(seen[-1] if is_long else _seen(call, "gpu", (card,), limit)[0])
    return seen


def _seen(call, way, shown, limit):
    """What is launched on each card."""
    try:
        with _within(limit), contextlib.ExitStack() as stack:
            if way == "cucim":
                stack.enter_context(by_scipy())
            seen = [stack.enter_context(watched(card, way == "gpu")) for card in shown]
            call.run(way)
    except (Exception, _TooLong) as error:
        return [{"refused": f"{type(error).__name__}: {error}"[:200]} for _ in shown]
    return [*map(packed, seen)]


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
