"""The devices that tiles are spread over: ``SKIMAGE_GPU_DEVICES=0,1``."""

import functools

import cupy as cp

from ..environ import reader
from ..trouble import DeviceTrouble

_wanted = reader("SKIMAGE_GPU_DEVICES")


def chosen() -> tuple[int, ...]:
    """Numbers of the devices, empty where the current one is meant.

    Raises
    ------
    DeviceTrouble
        The variable is no list of numbers, or there is no such device.
    """
    text = _wanted()
    return _parsed(text) if text else ()


@functools.cache
def _parsed(text):
    try:
        numbers = tuple(dict.fromkeys(int(number) for number in text.split(",")))
    except ValueError:
        raise DeviceTrouble(
            f"SKIMAGE_GPU_DEVICES is a list of device numbers, as 0,1; it is {text!r}"
        ) from None
    count = cp.cuda.runtime.getDeviceCount()
    for number in numbers:
        if not 0 <= number < count:
            raise DeviceTrouble(
                f"SKIMAGE_GPU_DEVICES names device {number}, but there are devices 0 to {count - 1}"
            )
    return numbers
