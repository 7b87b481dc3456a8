"""Runs calls from a seed on, and notes what became of each."""

import fnmatch
import resource
import zlib
from contextlib import contextmanager
from dataclasses import dataclass, field

from skimage_gpu_backend.catalog import spoken

from . import choices
from .calls import call
from .compare import TooLarge, differences
from .excuses import excuse
from .options import ROWS
from .program import program

_MEMORY = 6 << 30  # bytes beyond what the process has, for one call


@dataclass
class Found:
    """A difference.

    Attributes
    ----------
    name, kind, told : str
        As in the catalog; as in `compare.KINDS`; what was seen.
    seed : int
        Of the call.
    program : str
        That shows it in a small call; empty where the kind was known for the function.
    """

    name: str
    kind: str
    told: str
    seed: int
    program: str = ""


@dataclass
class Event:
    """What became of one call."""

    name: str
    seed: int
    classes: dict
    too_large: bool = False
    refused: bool = False  # by scikit-image
    source: str = ""
    seconds: tuple[float, float] = (0.0, 0.0)  # scikit-image's and ours
    excused: list[str] = field(default_factory=list)
    found: list[Found] = field(default_factory=list)


def names(pattern="*") -> list[str]:
    """Functions and methods for which a pattern, as ``"feature.ORB*"``, stands."""
    return [name for name in sorted(ROWS) if fnmatch.fnmatch(spoken(name), pattern)]


def plan(functions, seed):
    """Functions and seeds of calls, in turn, without an end."""
    while True:
        for name in functions:
            yield name, seed
            seed = choices.following(seed)


def seed_of(name, number):
    """A seed for the calls of one function, other than those of all others."""
    return zlib.crc32(name.encode()) + number


def one(name, seed, known=()) -> Event:
    """Run the call of a seed.

    Parameters
    ----------
    name : str
    seed : int
    known : set of (str, str), optional
        Functions and kinds of differences that need no small example any more.
    """
    made, drawn = choices.built(lambda pick: call(name, pick), seed)
    event = Event(name, seed, made.classes)
    try:
        seen, theirs, ours = _differences(made)
    except TooLarge:
        event.too_large = True
        return event
    event.refused, event.source = theirs.error is not None, ours.source
    event.seconds = theirs.seconds, ours.seconds
    for difference in seen:
        excused = excuse(made, difference, theirs, ours)
        if excused:
            event.excused.append(excused.why)
            continue
        found = Found(name, difference.kind, difference.told, seed)
        if (name, difference.kind) not in known:
            found.told, found.program = _smallest(drawn, made, difference)
        event.found.append(found)
    return event


def _smallest(drawn, made, difference):
    """What is seen in the smallest call that differs in this way, and its program."""

    def seen_in(made):
        try:
            seen, theirs, ours = _differences(made)
        except TooLarge:
            return None
        same = (other for other in seen if other.kind == difference.kind)
        return next((d for d in same if not excuse(made, d, theirs, ours)), None)

    smallest = choices.shrunk(
        lambda pick: call(made.name, pick), drawn, lambda made: seen_in(made) is not None
    )
    seen = seen_in(smallest)
    if seen is None:  # not each time
        smallest, seen = made, difference
    return seen.told, program(smallest)


def _differences(made):
    try:
        with _limited():
            return differences(made)
    except MemoryError as error:  # of the comparison
        raise TooLarge(str(error)) from None


@contextmanager
def _limited():
    """Calls inside meet a `MemoryError` instead of using up the machine's memory."""
    with open("/proc/self/statm") as file:
        used = int(file.read().split()[0]) * resource.getpagesize()
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (used + _MEMORY, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)
