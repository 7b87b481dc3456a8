"""The devices that kernels run on, behind one interface, for planners and primitives.

`xp` is the array module of the device that runs the current call. NumPy and CuPy differ under some
equal names; the functions here hide this, so planners call them instead of the arrays' methods.
"""

import contextlib
from contextvars import ContextVar

import numpy as np

from .cuda.lazy import cp

CPU = "cpu"  # instead of the number of a GPU
_array_module = ContextVar("skimage_gpu_backend.devices", default=cp)


class _CurrentArrayModule:
    """The names of the current device's array module. CuPy is imported when it is first needed."""

    def __getattr__(self, name):
        return getattr(_array_module.get(), name)


xp = _CurrentArrayModule()


def current():
    """The current device: the number of a GPU, or `CPU`."""
    return cp.cuda.runtime.getDevice() if _array_module.get() is cp else CPU


@contextlib.contextmanager
def on_cpu():
    """Context in which `xp` is NumPy and kernels run on the CPU."""
    from .cpu.arrays import array_module

    token = _array_module.set(array_module)
    try:
        yield
    finally:
        _array_module.reset(token)


def on_device_of(array):
    """Context in which the device of an array is the current one."""
    return on_cpu() if isinstance(array, np.ndarray) else array.device


def to_host(array):
    """A device array as a NumPy array that no kernel writes into.

    Parameters
    ----------
    array : device array or NumPy scalar

    Returns
    -------
    numpy.ndarray
    """
    return np.array(array) if isinstance(array, np.ndarray | np.generic) else array.get()


def as_numpy(array):
    """An array of a device or of the host as a NumPy array that is only read."""
    if isinstance(array, np.ndarray):
        return array
    from ..adapt.transfer import to_host  # whose module needs CuPy

    return to_host(array)


def to_device(array):
    """An array of the host on the device; a device array as it is.

    The caller may write into the array when this returns.
    """
    if _array_module.get() is not cp or not isinstance(array, np.ndarray):
        return array
    from ..adapt.transfer import to_device  # whose module needs CuPy

    return to_device(array)


def from_host(array, values):
    """Write the values of a NumPy array into a device array of its shape and dtype."""
    if isinstance(array, np.ndarray):
        array[...] = values
    else:
        array.set(values)


def argsort(keys):
    """Order of the elements along the last axis; equal ones keep theirs.

    Parameters
    ----------
    keys : device array

    Returns
    -------
    device array of int64
    """
    # CuPy's sort is stable, NumPy's only with kind="stable"
    return keys.argsort(kind="stable") if isinstance(keys, np.ndarray) else keys.argsort()
