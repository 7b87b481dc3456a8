"""The devices that tiles are spread over: ``SKIMAGE_GPU_DEVICES=0,1``."""

import functools

import cupy as cp

from ..availability import require_capability
from ..environ import reader
from ..trouble import DeviceTrouble

_wanted = reader("SKIMAGE_GPU_DEVICES")
_NO_MEMORY = 2  # cudaErrorMemoryAllocation, which CuPy does not name in Python


def chosen() -> tuple[int, ...]:
    """Numbers of the devices, empty where the current one is meant.

    Raises
    ------
    DeviceTrouble
        The variable is no list of numbers, or there is no such device.
    """
    text = _wanted()
    return _parsed(text) if text else ()


def each():
    """The current device, then the chosen ones, by number; each is current meanwhile."""
    for number in dict.fromkeys((cp.cuda.runtime.getDevice(), *chosen())):
        with cp.cuda.Device(number):
            yield number


def failure() -> Exception | None:
    """What is raised by any use of one of these devices, None where all of them work.

    After some errors (an illegal address, memory that is broken) CUDA fails for good, until the
    process ends; others, above all that there is no memory, are over when they are raised.
    """
    try:
        for _ in each():
            cp.cuda.runtime.deviceSynchronize()
    except cp.cuda.runtime.CUDARuntimeError as error:
        if error.status != _NO_MEMORY:
            return error
    return None


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
            there = f"there are devices 0 to {count - 1}" if count > 1 else "there is only device 0"
            raise DeviceTrouble(f"SKIMAGE_GPU_DEVICES names device {number}, but {there}")
        with cp.cuda.Device(number):
            require_capability()
    return numbers
