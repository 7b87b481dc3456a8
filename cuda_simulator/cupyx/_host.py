"""From a SciPy function to one of `cupyx.scipy`: device arrays in, device arrays out.

The signatures are CuPy's and stand as text in the modules that use this one; each array
argument must be a device array, as in CuPy, except where CuPy converts what it is given.
"""

import inspect

import numpy as np
from cupy import _ndarray as arrays

from cuda_simulator import counters


def signature(text):
    """Name and `inspect.Signature` of a line like ``"shift(input, shift, order=3)"``."""
    name, parameters = text.split("(", 1)
    function = eval(f"lambda {parameters.rsplit(')', 1)[0]}: None", {"float64": np.float64})
    return name.strip(), inspect.signature(function)


def host(value):
    """What SciPy gets for a device array or sparse matrix (also inside lists and tuples)."""
    if isinstance(value, arrays.ndarray):
        return value._host
    if isinstance(value, np.ndarray) and value.ndim:
        raise TypeError(f"Unsupported type {type(value)}")
    if hasattr(value, "_on_host"):
        return value._on_host()
    if isinstance(value, list | tuple):
        return type(value)(host(v) for v in value)
    return value


def device(value, *sources):
    """Device arrays in place of what SciPy computed; counts a launch for each."""
    if isinstance(value, tuple | list):
        return type(value)(device(v, *sources) for v in value)
    if isinstance(value, np.ndarray | np.generic):
        result = arrays.copied(np.asarray(value))
        counters.launched(sum(s.nbytes for s in sources), result.nbytes)
        return result
    return value


def require_device(*values):
    """`TypeError` for anything that is neither a device array nor None."""
    for value in values:
        if value is not None and not isinstance(value, arrays.ndarray):
            raise TypeError(f"Unsupported type {type(value)}")


def wrapped(text, function, arrays_of, cupy_only=()):
    """A function with CuPy's signature that calls SciPy's.

    Parameters
    ----------
    text
        CuPy's signature.
    function
        SciPy's function.
    arrays_of
        Names of parameters that must be device arrays or None.
    cupy_only
        Names of parameters that SciPy lacks; they choose how CuPy computes.
    """
    name, parameters = signature(text)
    must_be_arrays = [p for p in parameters.parameters if p in arrays_of]

    def call(*args, **kwargs):
        bound = parameters.bind(*args, **kwargs)
        bound.apply_defaults()
        values = bound.arguments
        values.update(values.pop("kwargs", {}))
        require_device(*(values[p] for p in must_be_arrays))
        for p, value in values.items():  # a number for each axis is read on the host
            if isinstance(value, np.ndarray) and value.ndim == 1:
                values[p] = value.tolist()
        for p in cupy_only:
            values.pop(p, None)
        return _called(function, values)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"As `{function.__module__}.{name}`, on device arrays."
    call.__signature__ = parameters
    return call


def _called(function, values):
    """Call SciPy with an `output` that it writes in place, and half precision in single."""
    sources = [v for v in values.values() if isinstance(v, arrays.ndarray)]
    output = values.get("output")
    half = any(s.dtype == np.float16 for s in sources)
    inputs = {name: _widened(host(v)) if half else host(v) for name, v in values.items()}
    if isinstance(output, arrays.ndarray):
        if half:
            inputs["output"] = np.empty(output.shape, np.promote_types(output.dtype, np.float32))
        result = function(**inputs)
        if half:
            output._host[...] = inputs["output"]
        counters.launched(sum(s.nbytes for s in sources), output.nbytes)
        return output if result is None or isinstance(result, np.ndarray) else result
    if half and "output" in values:
        wanted = sources[0].dtype if output is None else np.dtype(output)
        inputs["output"] = None if output is None else np.promote_types(wanted, np.float32)
        result = function(**inputs)
        return device(result.astype(wanted) if result.dtype.kind in "fc" else result, *sources)
    return device(function(**inputs), *sources)


def _widened(value):
    is_half = isinstance(value, np.ndarray) and value.dtype == np.float16
    return value.astype(np.float32) if is_half else value
