"""The devices that kernels run on, behind one interface, for planners and primitives.

`xp` is the array module of the device that runs the current call. NumPy and CuPy differ under some
equal names; the functions here hide this, so planners call them instead of the arrays' methods.
"""

from contextvars import ContextVar

import numpy as np

_array_module = ContextVar("skimage_gpu_backend.devices", default=None)  # None: CuPy


class _CurrentArrayModule:
    """The names of the current device's array module. CuPy is imported when it is first needed."""

    def __getattr__(self, name):
        return getattr(_array_module.get() or _cupy(), name)


xp = _CurrentArrayModule()


def _cupy():
    import cupy

    return cupy


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
    # CuPy's sort is stable, NumPy's only where it is asked to be
    return keys.argsort(kind="stable") if isinstance(keys, np.ndarray) else keys.argsort()
