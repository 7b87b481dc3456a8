"""What `zz_skimage_gpu_backend.pth` runs when Python starts with a variable of ours set."""

import atexit
import functools
import os
import pkgutil
import sys

from ..environ import SLIP, unknown_variables, value
from . import hook
from .hook import enable
from .selection import SELECTING

# In child processes of a program that is profiled: the file into which they write.
PROFILED = "_SKIMAGE_GPU_PROFILED_INTO"
_WITHOUT_SELECTION = ("SKIMAGE_GPU_RESIDENT", "SKIMAGE_GPU_SIMULATOR")  # which do nothing then


def start():
    """Install the import hook and the simulator where the environment asks for them."""
    if any(map(os.environ.get, SELECTING)):
        enable()
    elif os.environ.get(SLIP):
        _tell_of_slip()
    elif any(map(value, _WITHOUT_SELECTION)):
        _report_at_the_end()
    if value("SKIMAGE_GPU_SIMULATOR"):
        import cuda_simulator

        cuda_simulator.activate()
    if os.environ.get(PROFILED):
        pkgutil.resolve_name("skimage_gpu_backend.profiling.children:begin")()


@functools.cache  # Python may process the file more than once
def _tell_of_slip():
    for wrong in unknown_variables():
        print(f"skimage-gpu-backend: {wrong}", file=sys.stderr)


@functools.cache
def _report_at_the_end():
    # the program itself may select a backend, so it is not known before
    atexit.register(_report_no_selection)


def _report_no_selection():
    is_off = os.environ.get("SKIMAGE_NO_DISPATCHING") == "1"
    is_ours = getattr(sys.modules["__main__"], "__package__", None) == "skimage_gpu_backend"
    if "skimage" not in sys.modules or hook.was_enabled or is_off or is_ours:
        return
    name = next(filter(value, _WITHOUT_SELECTION), None)
    if name == "SKIMAGE_GPU_SIMULATOR" and "cupy" in sys.modules:  # which the simulator stands for
        return
    told = f"{name} is set, but no backend was selected; set SKIMAGE_BACKENDS=gpu, too"
    if name:
        print(f"skimage-gpu-backend: {told}", file=sys.stderr)


def start_selected():
    """`start` with a backend: the one that the environment selects, else ``gpu``.

    Child processes inherit it.
    """
    if not any(map(os.environ.get, SELECTING)):
        os.environ["SKIMAGE_BACKENDS"] = "gpu"
    start()
