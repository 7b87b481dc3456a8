"""Methods that draw: made from CuPy's declaration and NumPy's generator.

The distributions are CuPy's, the streams are NumPy's: the same seed gives other numbers than
on a GPU, and the same ones at each run of the simulator.
"""

import numpy as np

from cuda_simulator import faults

from .._creation import asarray
from .._declare import named, parsed
from .._ndarray import from_host, ndarray

# Where NumPy's generator has another name for it.
_NUMPYS = {"random_sample": "random"}
# These are drawn in the dtype that is asked for; others are computed in double.
_TYPED = ("random", "random_sample", "standard_normal", "standard_exponential", "standard_gamma")
_FLOATS = (np.float32, np.float64)


def method(declaration, floating=()):
    """A method that draws with ``self._host``; `floating` methods take float32 and float64."""
    name, signature, _ = parsed(declaration.replace("(", "(self, ", 1))
    host_name = _NUMPYS.get(name, name)
    only_floats = name in floating

    def draw(*args, **kwargs):
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        arguments = bound.arguments
        generator = arguments.pop("self")._host
        dtype = np.dtype(arguments.pop("dtype", None))
        out = arguments.pop("out", None)
        if only_floats and dtype not in _FLOATS:
            raise TypeError("cupy.random only supports float32 and float64")
        if name == "integers":
            check_bounds(arguments["low"], arguments["high"], dtype, arguments["endpoint"])
        if out is not None:
            _check_out(out, dtype, arguments["size"])
            arguments["size"] = out.shape
        sources = [a for a in arguments.values() if isinstance(a, ndarray)]
        host = {
            key: value if key in ("size", "method") else host_parameter(value)
            for key, value in arguments.items()
        }
        if host_name in _TYPED and dtype in _FLOATS:
            host["dtype"] = dtype
        faults.meet("random")
        drawn = np.asarray(getattr(generator, host_name)(**host))
        if "dtype" in signature.parameters:
            drawn = drawn.astype(dtype, copy=False)
        if out is None:
            return from_host(drawn, *sources)
        out._host[...] = drawn
        return from_host(drawn, *sources, out=out)

    return named(draw, name, signature, "cupy.random")


def _check_out(out, dtype, size):
    if out.dtype != dtype:
        raise TypeError(
            f"Supplied output array has the wrong type. Expected {dtype.name}, got {out.dtype.name}"
        )
    if size is not None and out.shape != (tuple(size) if np.iterable(size) else (size,)):
        raise ValueError("size must match out.shape when used together")


def check_bounds(low, high, dtype, endpoint=False):
    """Refuse integers that the dtype does not hold, where the limits are numbers."""
    if np.ndim(low) or np.ndim(high):
        return
    low, high = (0, low) if high is None else (low, high)
    last = int(high) - (not endpoint)
    if int(low) > last:
        raise ValueError("low >= high")
    info = np.iinfo(dtype)
    for name, value in (("low", int(low)), ("high", last)):
        if not info.min <= value <= info.max:
            raise ValueError(f"{name} is out of bounds for {np.dtype(dtype).name}")


def module_function(declaration, state):
    """The function of that name: calls the method of what `state` returns."""
    name, signature, _ = parsed(declaration)

    def draw(*args, **kwargs):
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        return getattr(state(), name)(*bound.args, **bound.kwargs)

    return named(draw, name, signature, "cupy.random")


def host_parameter(value):
    """What NumPy draws with in place of a parameter; arrays go through the device, as in CuPy."""
    if isinstance(value, ndarray | list | tuple | np.ndarray):
        return asarray(value)._host
    return value
