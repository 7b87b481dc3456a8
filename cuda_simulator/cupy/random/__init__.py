"""`cupy.random`: CuPy's functions and parameters, numbers of NumPy's Philox."""

import numpy as np

from .._creation import asarray
from .._ndarray import from_host
from ._bit_generator import XORWOW, BitGenerator, MRG32k3a, Philox4x3210
from ._draw import module_function
from ._generator import Generator, default_rng
from ._state import (
    DISTRIBUTIONS,
    RandomState,
    get_random_state,
    reset_states,
    seed,
    set_random_state,
)

__all__ = [
    "XORWOW",
    "BitGenerator",
    "Generator",
    "MRG32k3a",
    "Philox4x3210",
    "RandomState",
    "bytes",
    "choice",
    "default_rng",
    "get_random_state",
    "multinomial",
    "permutation",
    "rand",
    "randint",
    "randn",
    "random",
    "random_integers",
    "random_sample",
    "ranf",
    "reset_states",
    "sample",
    "seed",
    "set_random_state",
    "shuffle",
]

# The one function whose parameters are not the method's.
_OTHER = {"exponential(scale=1.0": "exponential(scale"}

for _declaration in DISTRIBUTIONS.strip().splitlines():
    for _old, _new in _OTHER.items():
        _declaration = _declaration.replace(_old, _new)
    _function = module_function(_declaration, get_random_state)
    globals()[_function.__name__] = _function
    __all__.append(_function.__name__)

random = ranf = sample = random_sample  # noqa: F821 - defined by the loop


def rand(*size, **kwarg):
    """Uniform in [0, 1), of this shape."""
    return get_random_state().rand(*size, **kwarg)


def randn(*size, **kwarg):
    """Standard normal, of this shape."""
    return get_random_state().randn(*size, **kwarg)


def randint(low, high=None, size=None, dtype="l"):
    """Integers from `low` up to `high`, exclusive."""
    return get_random_state().randint(low, high, size, dtype)


def random_integers(low, high=None, size=None):
    """Integers from `low` up to `high`, inclusive."""
    low, high = (1, low) if high is None else (low, high)
    return randint(low, high + 1, size)


def choice(a, size=None, replace=True, p=None):
    """Elements of `a`, or integers below it."""
    return get_random_state().choice(a, size, replace, p)


def shuffle(a):
    """Reorder the array along its first axis."""
    return get_random_state().shuffle(a)


def permutation(a):
    """The integers below `a`, or the array `a`, in random order."""
    return get_random_state().permutation(a)


def multinomial(n, pvals, size=None):
    """Counts of `n` drawings with these probabilities."""
    drawn = get_random_state()._host.multinomial(n, asarray(pvals)._host, size)
    return from_host(np.asarray(drawn))


def bytes(length):
    """Random bytes, on the host."""
    return np.random.bytes(length)
