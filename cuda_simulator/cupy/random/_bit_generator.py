"""CuPy's bit generators by name; the numbers are of a generator of NumPy's.

Not of its default one: code that takes CuPy's random numbers for NumPy's must not pass here.
"""

import numpy as np

__all__ = ["XORWOW", "BitGenerator", "MRG32k3a", "Philox4x3210"]


def host_generator(seed):
    """What draws the numbers."""
    return np.random.Generator(np.random.Philox(seed))


class BitGenerator:
    """What a `Generator` takes its numbers from."""

    def __init__(self, seed=None):
        self._host = host_generator(seed)

    def random_raw(self, size=None, output=True):
        """Unsigned integers of 32 bits."""
        from .._ndarray import from_host

        drawn = self._host.integers(0, 2**32, size, np.uint32)
        return from_host(np.asarray(drawn)) if output else None


class XORWOW(BitGenerator):
    """The default."""

    def __init__(self, seed=None, *, size=-1):
        super().__init__(seed)


class MRG32k3a(BitGenerator):
    """By name only."""

    def __init__(self, seed=None, *, size=-1):
        super().__init__(seed)


class Philox4x3210(BitGenerator):
    """By name only."""

    def __init__(self, seed=None, *, size=-1):
        super().__init__(seed)
