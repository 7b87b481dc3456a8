"""The device of a call: the one that its CuPy arrays are on, whichever is the current one."""

import sys

from ..trouble import MixedArrays
from .kinds import CUPY, kind_of

_CONTAINERS = (tuple, list, dict)  # no union, which is made anew at each call


def devices_of(args, kwargs) -> tuple[int, ...]:
    """Numbers of the devices that the CuPy arrays among the arguments are on, each once.

    Arrays are found where `kinds.device_kind` finds them. Nothing is read and CUDA is not called.
    """
    found = {}
    _collect(args, found)
    if kwargs:
        _collect(kwargs.values(), found)
    return tuple(found)


def _collect(values, found, deeper=2):
    for value in values:
        if kind_of(value) is CUPY:
            found[value.data.device_id] = None
        elif deeper and isinstance(value, _CONTAINERS):
            _collect(value.values() if isinstance(value, dict) else value, found, deeper - 1)


def refuse_several(devices):
    """Raise the error for the arrays of one call that are on different devices.

    Raises
    ------
    MixedArrays
    """
    named = " and ".join(f"device {number}" for number in sorted(devices))
    raise MixedArrays(f"the arrays of one call are on {named}; give arrays on one device")


def elsewhere(device):
    """A device by its number, to be entered; None where it is the current one."""
    cuda = sys.modules["cupy"].cuda
    return None if device == cuda.runtime.getDevice() else cuda.Device(device)
