"""Rounds of launches: whoever asks for `progress` is told how many of them the device has done.

A room that launches in a loop takes the loop's numbers from here. Where nobody asks they are those
of a `range`, and nothing else happens. Where somebody does, the host waits for a round before it
launches the one that comes `_AHEAD` later: the device always has work, and what is told is done.
"""

import collections
import itertools
import math
from contextvars import ContextVar

from ..devices import CPU, current
from ..devices.cuda.lazy import cp

asked = ContextVar("skimage_gpu_backend.rounds", default=None)  # who tells it, or None
_AHEAD = 4


def rounds(total=math.inf):
    """Numbers from 0 on, one for each round.

    Loops inside a round, of functions that it calls, are a part of it and not told.

    Parameters
    ----------
    total : int, optional
        How many there are at most; by default nobody knows, and the loop breaks.
    """
    numbers = itertools.count() if total == math.inf else range(total)
    telling = asked.get()
    return numbers if telling is None or telling.busy else _told(numbers, total, telling)


def batches(total, first, most):
    """Rounds in batches, between which the host asks whether more are needed.

    Parameters
    ----------
    total : int or float
        Of all rounds, which may be infinite.
    first, most : int
        Rounds of the first batch; of the longest. Each is twice as long as the one before.

    Yields
    ------
    end : int
        How many rounds there are when the batch is over.
    numbers : iterable of int
    """
    numbers, begin = rounds(total), 0
    is_told = not isinstance(numbers, range | itertools.count)
    while begin < total:
        end = int(min(begin + first, total))
        yield end, itertools.islice(numbers, end - begin) if is_told else range(begin, end)
        begin, first = end, min(2 * first, most)


def _told(numbers, total, telling):
    under_way, begun = collections.deque(), 0
    telling.begin(None if total == math.inf else total)
    try:
        for number in numbers:
            begun = 1
            yield number
            begun = 0
            if current() == CPU:  # where a launch returns when it is done
                telling.advance()
                continue
            event = cp.cuda.Event(block=True, disable_timing=True)
            event.record()
            under_way.append(event)
            if len(under_way) > _AHEAD:
                under_way[0].synchronize()
            while under_way and under_way[0].done:
                under_way.popleft()
                telling.advance()
    finally:
        telling.end(len(under_way) + begun)
