"""What a call is made of: small numbers drawn from a seed, which Hypothesis makes smaller.

A thing is built by a function that takes `pick`; ``pick(n)`` is one of ``range(n)``, and smaller
numbers stand for simpler things. From a seed the numbers come from Python's own generator, so that
a seed gives the same call in any version of Hypothesis.
"""

import random
import time
from collections.abc import Callable

from hypothesis import HealthCheck, Phase, find, settings
from hypothesis import strategies as st
from hypothesis.database import InMemoryExampleDatabase
from hypothesis.errors import HypothesisException, NoSuchExample

_SECONDS = 6  # for making one failure small


def following(seed: int) -> int:
    """The seed of the call after the one with this seed."""
    return (6364136223846793005 * seed + 1442695040888963407) % 2**64


def built(build: Callable, seed: int):
    """What `build` makes of a seed, and the numbers that were drawn."""
    generator, drawn = random.Random(seed), []

    def pick(n):
        drawn.append(generator.randrange(n))
        return drawn[-1]

    return build(pick), drawn


def shrunk(build: Callable, drawn: list, fails: Callable, seconds: float = _SECONDS):
    """The smallest thing for which `fails` is true, from the numbers of one for which it is.

    Parameters
    ----------
    build : callable
        As for `built`.
    drawn : list of int
    fails : callable
        Takes what `build` makes.
    seconds : float, optional
        When they are over, what has been found so far is small enough.
    """
    database, key = InMemoryExampleDatabase(), b"found"
    quiet = {
        "database": database,
        "derandomize": False,
        "deadline": None,
        "suppress_health_check": list(HealthCheck),
    }

    @st.composite
    def as_found(draw):
        numbers = iter(drawn)

        def pick(n):
            number = next(numbers)
            return draw(st.integers(number, number))

        thing = build(pick)
        # one number more than `smaller` draws: Hypothesis takes what fits exactly for shrunk
        draw(st.booleans())
        return thing

    @st.composite
    def smaller(draw):
        return build(lambda n: draw(st.integers(0, n - 1)))

    best = None
    end = time.monotonic() + seconds

    def still_fails(thing):
        nonlocal best
        if time.monotonic() > end or not fails(thing):
            return False
        best = thing
        return True

    try:
        once = settings(max_examples=1, phases=(Phase.generate,), **quiet)
        find(as_found(), fails, settings=once, database_key=key)
        again = settings(phases=(Phase.reuse, Phase.shrink), **quiet)
        find(smaller(), still_fails, settings=again, database_key=key)
    except (HypothesisException, NoSuchExample):
        pass  # the call does not fail each time, or its time is over
    if best is None:
        numbers = iter(drawn)
        best = build(lambda n: next(numbers))
    return best
