"""`cupy.random.Generator`: it has fewer methods than NumPy's, as on a GPU."""

from ._bit_generator import XORWOW, BitGenerator
from ._draw import method

__all__ = ["Generator", "default_rng"]

_METHODS = """
beta(a, b, size=None, dtype=numpy.float64)
binomial(n, p, size=None)
chisquare(df, size=None)
dirichlet(alpha, size=None)
exponential(scale=1.0, size=None)
f(dfnum, dfden, size=None)
gamma(shape, scale=1.0, size=None)
geometric(p, size=None)
hypergeometric(ngood, nbad, nsample, size=None)
integers(low, high=None, size=None, dtype=numpy.int64, endpoint=False)
logseries(p, size=None)
poisson(lam=1.0, size=None)
power(a, size=None)
random(size=None, dtype=numpy.float64, out=None)
standard_exponential(size=None, dtype=numpy.float64, method='inv', out=None)
standard_gamma(shape, size=None, dtype=numpy.float64, out=None)
standard_normal(size=None, dtype=numpy.float64, out=None)
uniform(low=0.0, high=1.0, size=None, dtype=numpy.float64)
"""


class Generator:
    """Random numbers on the device, from a bit generator."""

    def __init__(self, bit_generator):
        self.bit_generator = bit_generator
        self._host = bit_generator._host


for _declaration in _METHODS.strip().splitlines():
    _method = method(_declaration, floating=("random", "standard_normal", "standard_exponential"))
    setattr(Generator, _method.__name__, _method)


def default_rng(seed=None):
    """A generator of this seed, of this bit generator, or the generator itself."""
    if isinstance(seed, Generator):
        return seed
    return Generator(seed if isinstance(seed, BitGenerator) else XORWOW(seed))
