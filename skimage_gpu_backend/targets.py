"""The devices that backends run calls on, as decisions see them."""

from collections.abc import Callable
from typing import NamedTuple

from .adapt.kinds import CUPY, NUMPY
from .availability import no_compiler_because, no_device_because
from .execute import execute, execute_on_cpu


class Target(NamedTuple):
    """A device of a backend.

    Attributes
    ----------
    backend : str
        Name of the backend.
    kinds : tuple of Kind
        Of arrays that kernels take. Arrays of other libraries on a device are CuPy arrays.
    unavailable : callable
        Returns why no call can run on it, None where one can.
    execute : callable
        Takes a `Call` and returns its result.
    """

    backend: str
    kinds: tuple
    unavailable: Callable
    execute: Callable


GPU = Target("gpu", (NUMPY, CUPY), no_device_because, execute)
CPU = Target("cpu", (NUMPY,), no_compiler_because, execute_on_cpu)
