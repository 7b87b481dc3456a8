"""What the command's processes run; imports no CuPy before the device is chosen."""

import os

from skimage_gpu_backend import simulator
from skimage_gpu_backend.availability import gpu_without_cupy_import


def activate():
    """Take the simulator where it is asked for or no GPU is there."""
    if os.environ.get("SKIMAGE_GPU_SIMULATOR") == "1" or not gpu_without_cupy_import():
        os.environ["SKIMAGE_GPU_SIMULATOR"] = "1"
        simulator.activate()


def seen_or_failure(index):
    """Record of one sweep, or what is wrong with it."""
    from .record import seen
    from .sweeps import SWEEPS

    try:
        return seen(SWEEPS[index]), ""
    except AssertionError as error:
        return None, f"{SWEEPS[index].name}: {error}"
