"""Is there a device? Answered without importing CuPy until a call is to run there."""

import ctypes
import functools
import importlib.util
import os
import sys
import traceback

import cuda_simulator

from .environ import value
from .trouble import DeviceTrouble, KernelCompileError

# The start-up file has done it; where that is not processed (``pip install --target``), this.
if value("SKIMAGE_GPU_SIMULATOR") and "cupy" not in sys.modules:
    cuda_simulator.activate()

LEAST = 7.0  # compute capability from which kernels take structs as __grid_constant__

_state = None  # None: not asked yet; "": there is a device; else why there is none


def no_device_because() -> str | None:
    """Why no call can run on a device, as far as is known without touching it."""
    return _state or _no_cupy()


def no_cucim_because() -> str | None:
    """Why no call can run on cuCIM, as far as is known without importing it."""
    return no_device_because() or _missing("cucim", "cuCIM is not installed")


def _no_cupy():
    # asked anew, since the simulator may be turned on after CuPy was found missing
    return None if cuda_simulator.active() else _missing("cupy", "CuPy is not installed")


@functools.cache
def _missing(module, reason):
    return None if importlib.util.find_spec(module) else reason


def gpu_without_cupy_import() -> bool:
    """Whether CuPy is installed and the driver has a device; asks the driver itself.

    For whoever has to choose between the GPU and the simulator, which can be turned on
    only while CuPy has not been imported.
    """
    if _missing("cupy", "CuPy is not installed"):
        return False
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return False
    count = ctypes.c_int()
    return driver.cuInit(0) == 0 and driver.cuDeviceGetCount(ctypes.byref(count)) == 0 < count.value


def choose_device():
    """Turn the simulator on where it is asked for or no GPU is there.

    For tests, the demo and whatever else runs on either: before CuPy is imported. Child
    processes choose the same.
    """
    if value("SKIMAGE_GPU_SIMULATOR") or not gpu_without_cupy_import():
        os.environ["SKIMAGE_GPU_SIMULATOR"] = "1"
        cuda_simulator.activate()


def require_device():
    """Import CuPy and find a device, or raise `DeviceTrouble`: now and from then on."""
    global _state
    if _state is None:
        _state = _why_not() or ""
        if not _state:
            _hide_what_destructors_raise()
            if hasattr(os, "register_at_fork"):
                os.register_at_fork(after_in_child=_forked)
    if _state:
        raise DeviceTrouble(_state)


def _forked():
    """CUDA does not outlive a fork: what it had begun in the parent fails in the child."""
    global _state
    _state = "this process was forked after the GPU had been used; start processes by spawn"


def _why_not():
    if reason := _no_cupy():
        return reason
    try:
        import cupy
    except Exception as error:  # a broken CUDA installation raises many kinds at import
        return f"CuPy cannot be imported: {_first_line(error)}"
    try:
        if not cupy.cuda.runtime.getDeviceCount():
            return "no CUDA device"
        return too_old(cupy.cuda.Device().compute_capability)
    except Exception as error:
        return f"no CUDA device: {_first_line(error)}"


def too_old(capability: str, least=LEAST) -> str | None:
    """Why a GPU of a compute capability (as ``"86"``) does not run the kernels, if so."""
    if int(capability) >= 10 * least:
        return None
    return (
        f"the GPU has compute capability {int(capability) / 10}, and the kernels need {least}"
        " or newer"
    )


def give_up_device(error):
    """Remember that the device is lost: from then on every call of CUDA fails in this process."""
    global _state
    _state = f"the device has failed and is lost to this process: {_first_line(error)}"


def _hide_what_destructors_raise():
    """Print no tracebacks of events, streams and memory that cannot be freed on a lost device.

    Each of them would have one on stderr. The call that meets the same error tells it; what else is
    raised where nobody gets it is printed as before.
    """
    before = sys.unraisablehook

    def hook(unraisable):
        if not unraisable.exc_type.__module__.startswith(_LAYERS):
            before(unraisable)

    sys.unraisablehook = hook


def as_trouble(error) -> DeviceTrouble | None:
    """`DeviceTrouble` for an exception that the device is to blame for, else None.

    It is to blame for the exceptions of the layers under CuPy, told by where their types are
    defined, and for Python's own where they were raised in these layers or passed through them.
    The same exceptions of scikit-image, of a room or of a user's function did not, and stay errors.
    """
    if isinstance(error, DeviceTrouble):
        return error
    if isinstance(error, KernelCompileError):
        return DeviceTrouble(_first_line(error))
    if not isinstance(error, cuda_simulator.NoCompilerError) and not _is_of_layers(error):
        return None
    if isinstance(error, MemoryError):
        return DeviceTrouble(f"not enough device memory: {_first_line(error)}")
    return DeviceTrouble(f"{type(error).__name__}: {_first_line(error)}")


# CuPy's bindings of CUDA and its libraries; `cupy.cuda` itself is none, whose context managers have
# a frame in what a ``with`` block raises.
_LAYERS = ("cupy.cuda.", "cupy_backends.")
# What they raise beside exceptions of their own. Of Thrust std::bad_alloc comes as MemoryError and
# all else as RuntimeError, as does a library that cannot be loaded; AssertionError says that a
# library lacks a function, OSError that the folder of CuPy's compiled kernels cannot be used.
_PYTHONS = (MemoryError, RuntimeError, AssertionError, OSError)


def _is_of_layers(error):
    if type(error).__module__.startswith(_LAYERS):
        return True
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    passed = [frame.f_globals.get("__name__", "") for frame in frames]
    if isinstance(error, ImportError):  # CuPy imports its bindings where it first needs them
        return any(module.startswith(("cupy", "cupyx.")) for module in passed)
    return isinstance(error, _PYTHONS) and any(module.startswith(_LAYERS) for module in passed)


def _first_line(error):
    return (str(error).strip() or type(error).__name__).splitlines()[0]
