"""Times of launches by what is slowest, on one card.

Everything that a launch asks for goes on side by side, and it is done when the slowest part is;
before and after that comes what each launch takes. Launches follow each other. What is left out
stands on the page (`docs/prediction.md`).
"""

import collections
import math
from typing import NamedTuple

from benchmarks.architectures import MULTIPROCESSORS, WARP, occupancy

from . import cards

BOUNDS = {
    "DRAM": "memory",
    "L2": "the second cache",
    "issue": "instructions that warps issue",
    "single": "products and sums in single precision, products of integers",
    "integer": "integers, logic, comparisons",
    "special": "roots, quotients, exponentials, conversions",
    "double": "double precision, and conversions from and to 64 bits",
    "shared": "shared memory and the first cache",
    "exchange": "shuffles and votes",
    "atomics": "atomic operations on one address",
    "launch": "the launch itself",
    "copy": "copies of a few numbers to the host",
}


class Time(NamedTuple):
    """Seconds of a launch and what they are bound by; all bounds; occupancy or None."""

    seconds: float
    bound: str
    bounds: dict
    occupancy: float | None


class Prediction(NamedTuple):
    """Seconds of a call; the bound of most of them; seconds by bound; launches' `Time`s."""

    seconds: float
    bound: str
    shares: dict
    times: tuple
    unknown: int  # launches whose code was not followed


def predicted(watched, card) -> Prediction:
    """Time of a call on a card.

    Parameters
    ----------
    watched : launches.Watched
    card : cards.Card
    """
    cache = Cache(card.l2)
    times = tuple(time(work, card, cache) for work in watched.works)
    shares = collections.Counter()
    for each in times:
        shares[each.bound] += each.seconds
    if watched.copies:
        shares["copy"] += watched.copies * cards.COPY
    total = sum(shares.values())
    bound = max(shares, key=shares.get) if shares else ""
    unknown = sum(bool(work.followed) for work in watched.works)
    return Prediction(total, bound, dict(shares), times, unknown)


def time(work, card, cache) -> Time:
    """Time of a launch; the cache goes on with what it leaves there."""
    dram = cache.moved(work.moved)
    bounds = {"launch": cards.LAUNCH, "DRAM": dram / (cards.OF_NOMINAL * card.bandwidth)}
    bytes_of_l2 = 32 * work.sectors or sum(r + w for _, r, w in work.moved)
    if not work.followed:
        bounds |= _of_code(work, card)
    every = card.multiprocessors * card.clock * cards.FROM_L2
    bounds["L2"] = bytes_of_l2 / every * _uneven(work, card)
    bound = max(bounds, key=bounds.get)
    slowest = max(seconds for part, seconds in bounds.items() if part != "launch")
    return Time(bounds["launch"] + slowest, bound, bounds, _occupancy(work, card))


def _of_code(work, card):
    """Seconds that the busiest multiprocessor's units need."""
    rates = cards.RATES[card.capability]
    count = collections.Counter(work.instructions)
    clocks = {
        "issue": sum(count.values()) / (cards.ISSUED * _issued(work, card)),
        "single": WARP * count["single"] / rates.single,
        "integer": WARP * count["integer"] / rates.integer,
        "special": WARP * count["special"] / rates.special,
        "double": WARP * (count["double"] / rates.double + count["wide"] / rates.wide),
        "exchange": WARP * count["exchange"] / rates.exchange,
        "shared": (work.turns + work.requests) / cards.LINES,
    }
    each = _uneven(work, card) / card.multiprocessors / card.clock
    found = {name: number * each for name, number in clocks.items()}
    found["atomics"] = work.at_one_address / cards.ON_ONE_ADDRESS / card.clock
    return found


def _issued(work, card):
    """Share of what could be issued that the warps that are there issue."""
    warps = -(-math.prod(work.block) // WARP)
    blocks = -(-math.prod(work.grid) // card.multiprocessors)  # of the grid, on the busiest
    there = min(_occupancy(work, card), blocks * warps / MULTIPROCESSORS[card.capability].warps)
    return min(cards.MOST_ISSUED, cards.ISSUED_BY_WARPS * there)


def _uneven(work, card):
    """How much more the busiest multiprocessor has than the mean."""
    if not work.grid:
        return 1
    grid = work.grid[0] * work.grid[1] * work.grid[2]
    return -(-grid // card.multiprocessors) * card.multiprocessors / grid


def _occupancy(work, card):
    if work.followed:
        return None
    threads = work.block[0] * work.block[1] * work.block[2]
    return occupancy(card.capability, work.registers, threads, work.shared)


class Cache:
    """The second cache, in which arrays lie whole: the latest ones, as far as they fit."""

    def __init__(self, size):
        self.size, self._there, self._filled = size, {}, 0

    def moved(self, moves):
        """Bytes that go from and to memory for accesses of `(name, read, written)`."""
        total = 0
        for name, read, written in moves:
            if name is None:  # not known which: what fits and can be there was there before
                room = self._filled if read + written <= self.size else 0
                missed = max(0, read - room)
                total += missed + written
                self._put(object(), missed + written)
                continue
            there = self._there.pop(name, 0)
            self._filled -= there
            total += max(0, read - there) if read else 0
            # what is written goes to memory sooner or later
            total += written
            self._put(name, max(there, read, written))
        self._make_room()
        return total

    def _put(self, name, size):
        self._there[name] = size
        self._filled += size

    def _make_room(self):
        """Let go of the oldest, as much as does not fit."""
        while self._filled > self.size:
            oldest = next(iter(self._there))
            size = self._there[oldest]
            left = max(0, size - (self._filled - self.size))
            self._filled -= size - left
            if left:
                self._there[oldest] = left
            else:
                del self._there[oldest]
