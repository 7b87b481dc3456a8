"""The devices that backends run calls on, as decisions see them."""

import functools
import sys
from collections.abc import Callable
from typing import NamedTuple

from .adapt.kinds import CUPY, NUMPY
from .availability import NO_COMPILER, no_device_because
from .execute import execute, execute_on_cpu
from .trouble import Everywhere


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

    def why_no_numpy(self, selected) -> str | None:
        """Why no NumPy array is taken as the user selected it, whatever its size."""
        if CUPY in self.kinds and not selected.convert:
            return Everywhere("conversion of NumPy arrays is switched off")
        if CUPY not in self.kinds and selected.output == "cupy":
            return Everywhere("output is 'cupy', which the gpu backend makes")
        return None


@functools.cache
def no_compiler_because() -> str | None:
    """Why no kernel can be compiled for the CPU."""
    if sys.platform != "linux":
        return Everywhere("kernels are compiled for the CPU on Linux only")
    from .devices.cpu.engine import has_compiler  # whose modules a GPU does not need

    return None if has_compiler() else NO_COMPILER


GPU = Target("gpu", (NUMPY, CUPY), no_device_because, execute)
CPU = Target("cpu", (NUMPY,), no_compiler_because, execute_on_cpu)
