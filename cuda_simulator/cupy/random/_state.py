"""`cupy.random.RandomState` and the state behind the module's functions."""

import hashlib

import numpy as np

from .._creation import array, asarray
from .._declare import wrapped
from .._ndarray import from_host, ndarray
from ._bit_generator import host_generator
from ._draw import check_bounds, host_parameter, method

__all__ = ["RandomState", "get_random_state", "reset_states", "seed", "set_random_state"]

DISTRIBUTIONS = """
beta(a, b, size=None, dtype=float)
binomial(n, p, size=None, dtype=int)
chisquare(df, size=None, dtype=float)
dirichlet(alpha, size=None, dtype=float)
exponential(scale=1.0, size=None, dtype=float)
f(dfnum, dfden, size=None, dtype=float)
gamma(shape, scale=1.0, size=None, dtype=float)
geometric(p, size=None, dtype='l')
gumbel(loc=0.0, scale=1.0, size=None, dtype=float)
hypergeometric(ngood, nbad, nsample, size=None, dtype='l')
laplace(loc=0.0, scale=1.0, size=None, dtype=float)
logistic(loc=0.0, scale=1.0, size=None, dtype=float)
lognormal(mean=0.0, sigma=1.0, size=None, dtype=float)
logseries(p, size=None, dtype='l')
multivariate_normal(mean, cov, size=None, check_valid='ignore', tol=1e-08, method='cholesky', \
dtype=float)
negative_binomial(n, p, size=None, dtype=int)
noncentral_chisquare(df, nonc, size=None, dtype=float)
noncentral_f(dfnum, dfden, nonc, size=None, dtype=float)
normal(loc=0.0, scale=1.0, size=None, dtype=float)
pareto(a, size=None, dtype=float)
poisson(lam=1.0, size=None, dtype='l')
power(a, size=None, dtype=float)
random_sample(size=None, dtype=float)
rayleigh(scale=1.0, size=None, dtype=float)
standard_cauchy(size=None, dtype=float)
standard_exponential(size=None, dtype=float)
standard_gamma(shape, size=None, dtype=float)
standard_normal(size=None, dtype=float)
standard_t(df, size=None, dtype=float)
triangular(left, mode, right, size=None, dtype=float)
uniform(low=0.0, high=1.0, size=None, dtype=float)
vonmises(mu, kappa, size=None, dtype=float)
wald(mean, scale, size=None, dtype=float)
weibull(a, size=None, dtype=float)
zipf(a, size=None, dtype=int)
"""
# cuRAND makes these, and has no other dtypes
_FLOATING = """
exponential gumbel laplace lognormal normal pareto power random_sample rayleigh standard_cauchy
standard_exponential standard_normal triangular uniform wald weibull
"""


class RandomState:
    """Random numbers on the device, with the methods of `numpy.random.RandomState`."""

    def __init__(self, seed=None, method=None):
        self.method = method
        self.seed(seed)

    def seed(self, seed=None):
        """Start again; an array is a seed through its hash."""
        if isinstance(seed, np.ndarray):
            seed = int(hashlib.md5(seed, usedforsecurity=False).hexdigest()[:16], 16)
        elif seed is not None:
            given = np.asarray(seed)
            if given.dtype.kind not in "biu":
                raise TypeError("Seed must be an integer.")
            seed = int(given)
            if not 0 <= seed < 2**64:
                raise ValueError("Seed must be an integer between 0 and 2**64 - 1")
        self._host = host_generator(seed)

    def rand(self, *size, **kwarg):
        """Uniform in [0, 1), of this shape."""
        return self.random_sample(size, _dtype("rand", kwarg))

    def randn(self, *size, **kwarg):
        """Standard normal, of this shape."""
        return self.normal(size=size, dtype=_dtype("randn", kwarg))

    def randint(self, low, high=None, size=None, dtype=int):
        """Integers from `low` up to `high`, exclusive."""
        low, high = host_parameter(low), host_parameter(high)
        check_bounds(low, high, dtype)
        drawn = self._host.integers(low, high, size, np.dtype(dtype).type)
        return from_host(np.asarray(drawn, dtype))

    def tomaxint(self, size=None):
        """Integers of all sizes, none negative."""
        drawn = self._host.integers(0, np.iinfo(int).max, size, endpoint=True)
        return from_host(np.asarray(drawn))

    def choice(self, a, size=None, replace=True, p=None):
        """Elements of `a`, or integers below it."""
        if a is None:
            raise ValueError("a must be 1-dimensional or an integer")
        if isinstance(a, ndarray) and a.ndim == 0:
            raise NotImplementedError
        if not isinstance(a, int):
            a = array(a, copy=None)
            if a.ndim != 1:
                raise ValueError("a must be 1-dimensional or an integer")
        if size is None:
            raise NotImplementedError("choice() without specifying size is not supported yet")
        if not replace and p is not None:
            raise NotImplementedError
        p = None if p is None else asarray(p)._host
        drawn = self._host.choice(a if isinstance(a, int) else len(a), size, replace, p)
        indices = from_host(np.asarray(drawn))
        return indices if isinstance(a, int) else a[indices]

    def shuffle(self, a):
        """Reorder the array along its first axis."""
        if not isinstance(a, ndarray):
            raise TypeError("The array must be cupy.ndarray")
        if a.ndim == 0:
            raise TypeError("An array whose ndim is 0 is not supported")
        a[:] = a[self.permutation(len(a))]

    def permutation(self, a):
        """The integers below `a`, or the array `a`, in random order."""
        if isinstance(a, int):
            return wrapped(self._host.permutation(a))
        return a[self.permutation(len(a))]


for _declaration in DISTRIBUTIONS.strip().splitlines():
    _method = method(_declaration, floating=_FLOATING.split())
    setattr(RandomState, _method.__name__, _method)

_states = {}


def get_random_state():
    """The state of the current device."""
    from .. import cuda

    return _states.setdefault(cuda.Device().id, RandomState())


def set_random_state(rs):
    """Make this the state of the current device."""
    from .. import cuda

    if not isinstance(rs, RandomState):
        raise TypeError(f"Random state must be an instance of RandomState. Actual: {type(rs)}")
    _states[cuda.Device().id] = rs


def reset_states():
    """Forget the states of all devices."""
    _states.clear()


def seed(seed=None):
    """Start the state of the current device again."""
    get_random_state().seed(seed)


def _dtype(name, kwarg):
    dtype = kwarg.pop("dtype", float)
    if kwarg:
        raise TypeError(f"{name}() got unexpected keyword arguments {', '.join(kwarg)}")
    return dtype
