"""Arrays to test with, and what decides whether a test runs."""

import contextlib
import importlib.metadata
import warnings

import cupy
import numpy

__all__ = [
    "assert_warns",
    "installed",
    "multi_gpu",
    "numpy_satisfies",
    "shaped_arange",
    "shaped_linspace",
    "shaped_random",
    "shaped_reverse_arange",
    "slow",
    "with_requires",
]


def with_requires(*requirements):
    """Skip a test where these packages, given as for pip, are not installed."""
    import pytest

    reason = f"requires: {','.join(requirements)}"
    return pytest.mark.skipif(not installed(*requirements), reason=reason)


def installed(*specifiers):
    """Whether packages of these versions are installed."""
    from packaging.requirements import Requirement

    for requirement in map(Requirement, specifiers):
        try:
            found = importlib.metadata.version(requirement.name)
        except importlib.metadata.PackageNotFoundError:
            return False
        if not requirement.specifier.contains(found, prereleases=True):
            return False
    return True


def numpy_satisfies(version_range):
    """Whether NumPy's version lies in a range such as ``">=2.0"``."""
    return installed(f"numpy{version_range}")


def slow(*args, **kwargs):
    """Mark a test as slow."""
    import pytest

    return pytest.mark.slow(*args, **kwargs)


def multi_gpu(gpu_num):
    """Skip a test where there are fewer devices."""
    import pytest

    too_few = cupy.cuda.runtime.getDeviceCount() < gpu_num
    return pytest.mark.skipif(too_few, reason=f"{gpu_num} GPUs required")


@contextlib.contextmanager
def assert_warns(expected):
    """Fail where the block gives no such warning."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    if not any(isinstance(w.message, expected) for w in caught):
        raise AssertionError(f"{getattr(expected, '__name__', expected)} not triggered")


def shaped_arange(shape, xp=cupy, dtype=numpy.float32, order="C"):
    """1, 2, 3, ... in this shape; booleans alternate, complex numbers have equal parts."""
    return xp.array(_of_dtype(numpy.arange(1, _size(shape) + 1), shape, dtype), order=order)


def shaped_reverse_arange(shape, xp=cupy, dtype=numpy.float32):
    """..., 3, 2, 1 in this shape."""
    return xp.array(_of_dtype(numpy.arange(_size(shape), 0, -1), shape, dtype))


def shaped_linspace(start, stop, shape, xp=cupy, dtype=numpy.float32):
    """Evenly spaced numbers in this shape."""
    dtype = numpy.dtype(dtype)
    if dtype.kind in "bu":
        start = max(start, 0)
    if dtype.kind == "b":
        stop = min(stop, 1)
    return xp.array(numpy.linspace(start, stop, _size(shape)).astype(dtype).reshape(shape))


def shaped_random(shape, xp=cupy, dtype=numpy.float32, scale=10, seed=0, order="C"):
    """Uniform numbers from 0 to `scale` in this shape; the same ones as the real function's."""
    rng = numpy.random.RandomState(seed)
    dtype = numpy.dtype(dtype)
    if dtype.kind == "b":
        drawn = rng.randint(2, size=shape)
    elif dtype.kind == "c":
        drawn = (rng.rand(*shape) + 1j * rng.rand(*shape)) * scale
    else:
        drawn = rng.rand(*shape) * scale
    return xp.asarray(drawn, dtype=dtype, order=order)


def _of_dtype(numbers, shape, dtype):
    dtype = numpy.dtype(dtype)
    if dtype.kind == "b":
        numbers = numbers % 2 == 0
    elif dtype.kind == "c":
        numbers = numbers * (1 + 1j)
    return numbers.astype(dtype).reshape(shape)


def _size(shape):
    return int(numpy.prod(shape))
