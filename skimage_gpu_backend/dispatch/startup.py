"""What `zz_skimage_gpu_backend.pth` runs when Python starts with a variable of ours set."""

import functools
import os
import pkgutil
import sys

from ..environ import SLIP, unknown_variables, value
from .hook import enable
from .selection import SELECTING

# In child processes of a program that is profiled: the file into which they write.
PROFILED = "_SKIMAGE_GPU_PROFILED_INTO"


def start():
    """Install the import hook and the simulator where the environment asks for them."""
    if any(map(os.environ.get, SELECTING)):
        enable()
    elif os.environ.get(SLIP):
        _tell_of_slip()
    if value("SKIMAGE_GPU_SIMULATOR"):
        import cuda_simulator

        cuda_simulator.activate()
    if os.environ.get(PROFILED):
        pkgutil.resolve_name("skimage_gpu_backend.profiling.children:begin")()


@functools.cache  # Python may process the file more than once
def _tell_of_slip():
    for wrong in unknown_variables():
        print(f"skimage-gpu-backend: {wrong}", file=sys.stderr)


def start_selected():
    """`start` with a backend: the one that the environment selects, else ``gpu``.

    Child processes inherit it.
    """
    if not any(map(os.environ.get, SELECTING)):
        os.environ["SKIMAGE_BACKENDS"] = "gpu"
    start()
