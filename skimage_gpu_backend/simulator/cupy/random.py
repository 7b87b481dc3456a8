"""`cupy.random`, as far as tests and examples need it; NumPy's streams, not CuPy's."""

import numpy as np

from ._ndarray import from_host

_generator = np.random.default_rng(0)


class Generator:
    """Random numbers on the device."""

    def __init__(self, seed=None):
        self._host = np.random.default_rng(seed)

    def __getattr__(self, name):
        method = getattr(self._host, name)

        def draw(*args, **kwargs):
            return from_host(method(*args, **kwargs))

        return draw


def default_rng(seed=None):
    """A generator."""
    return seed if isinstance(seed, Generator) else Generator(seed)


def seed(value=None):
    """Start the module's own generator again."""
    global _generator
    _generator = np.random.default_rng(value)


def random(size=None, dtype=float):
    """Uniform in [0, 1)."""
    return from_host(_generator.random(size, dtype))


def rand(*size, dtype=float):
    """Uniform in [0, 1), of this shape."""
    return random(size, dtype)


def randn(*size, dtype=float):
    """Standard normal, of this shape."""
    return from_host(_generator.standard_normal(size, dtype))


def randint(low, high=None, size=None, dtype=int):
    """Integers from `low` up to `high`, exclusive."""
    return from_host(_generator.integers(low, high, size, dtype))
