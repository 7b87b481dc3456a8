"""What `zz_skimage_gpu_backend.pth` runs when Python starts with a variable of ours set."""

import os

from .hook import enable
from .selection import SELECTING


def start():
    """Install the import hook and the simulator where the environment asks for them."""
    if any(map(os.environ.get, SELECTING)):
        enable()
    if os.environ.get("SKIMAGE_GPU_SIMULATOR") == "1":
        import cuda_simulator

        cuda_simulator.activate()


def start_selected():
    """`start` with a backend: the one that the environment selects, else ``gpu``.

    Child processes inherit it.
    """
    if not any(map(os.environ.get, SELECTING)):
        os.environ["SKIMAGE_BACKENDS"] = "gpu"
    start()
