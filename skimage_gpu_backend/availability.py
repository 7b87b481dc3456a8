"""Is there a device? Answered without importing CuPy until a call is to run there."""

import ctypes
import functools
import importlib.util
import os
import sys
import traceback

import cuda_simulator

from .environ import value
from .trouble import DeviceTrouble, Everywhere, KernelCompileError

# The start-up file has done it; where that is not processed (``pip install --target``), this.
if value("SKIMAGE_GPU_SIMULATOR") and "cupy" not in sys.modules:
    cuda_simulator.activate()

LEAST = 7.0  # compute capability from which kernels take structs as __grid_constant__

_state = None  # None: not asked yet; "": there is a device; else why there is none


def no_device_because() -> str | None:
    """Why no call can run on a device, as far as is known without touching it."""
    return _no_cupy() if _state is None else _state or None


def gpu_is_in_use() -> bool:
    """Whether a call of this process has found a GPU."""
    return _state == ""


def has_no_gpu() -> bool:
    """Whether this machine has no GPU, as far as is known without touching one."""
    return no_device_because() == _NO_DRIVER


def no_cucim_because() -> str | None:
    """Why no call can run on cuCIM, as far as is known without importing it."""
    return no_device_because() or (_unsupported_cucim() if _is_installed("cucim") else _NO_CUCIM)


@functools.cache
def _unsupported_cucim():
    """Why cuCIM's own requirements exclude the installed scikit-image; None where they do not."""
    from importlib.metadata import distributions, version

    from packaging.requirements import Requirement

    installed = version("scikit-image")
    for name in ("cucim-cu12", "cucim-cu13"):
        for cucim in distributions(name=name):
            for needed in map(Requirement, cucim.requires or ()):
                supports = needed.specifier.contains(installed, prereleases=True)
                if needed.name == "scikit-image" and not supports:
                    return Everywhere(
                        f"cuCIM {cucim.version} does not support scikit-image {installed}"
                    )
    return None


_NO_CUCIM = Everywhere("cuCIM is not installed")
NO_CUPY = Everywhere("CuPy is not installed")
_NO_DRIVER = Everywhere("no NVIDIA driver on this machine")
NO_COMPILER = Everywhere("no C++ compiler on this machine")


def _no_cupy():
    # asked anew, since the simulator may be turned on after CuPy was found missing
    if cuda_simulator.active() or _is_installed("cupy"):
        return None
    return NO_CUPY if _driver() else _NO_DRIVER


@functools.cache
def _is_installed(module):
    return importlib.util.find_spec(module) is not None


@functools.cache
def _driver():
    """The library of NVIDIA's driver; None where there is none."""
    try:
        return ctypes.CDLL("libcuda.so.1")
    except OSError:
        return None


def cuda_of_driver() -> float | None:
    """Newest CUDA that the driver can run, as 12.4; None without a driver. No device is touched."""
    version = ctypes.c_int()
    driver = _driver()
    if driver is None or driver.cuDriverGetVersion(ctypes.byref(version)):
        return None
    return version.value // 1000 + version.value % 1000 / 100


def advice(reason) -> str | None:
    """What helps on this machine, in words, where that depends on the machine."""
    return next((helps() for part, helps in _ADVICE.items() if part in reason), None)


def _extra():
    return "cuda13" if (cuda_of_driver() or 0) >= 13 else "cuda12"


_FOR_SIMULATOR = (
    "install it for the simulator, without what it needs on a GPU: pip install --no-deps cucim-cu12"
)
_WITHOUT_DRIVER = (
    "with an NVIDIA GPU install its driver; without one SKIMAGE_GPU_SIMULATOR=1 runs the kernels on"
    " the CPU, to try them, slowly"
)
_ADVICE = {
    _NO_CUCIM: lambda: (
        _FOR_SIMULATOR if cuda_simulator.active() else f"pip install cucim-cu{_extra()[-2:]}"
    ),
    "does not support scikit-image": lambda: "a version of scikit-image that cuCIM supports",
    NO_CUPY: lambda: f'pip install "skimage-gpu-backend[{_extra()}]"',
    _NO_DRIVER: lambda: _WITHOUT_DRIVER,
    NO_COMPILER: lambda: "install g++ or clang++, or name a compiler in CXX",
}


def gpu_without_cupy_import() -> bool:
    """Whether CuPy is installed and the driver has a device; asks the driver itself.

    For whoever has to choose between the GPU and the simulator, which can be turned on
    only while CuPy has not been imported.
    """
    driver = _driver()
    if driver is None or not _is_installed("cupy"):
        return False
    count = ctypes.c_int()
    return driver.cuInit(0) == 0 and driver.cuDeviceGetCount(ctypes.byref(count)) == 0 < count.value


def capability(device=None) -> str:
    """Compute capability of a device, the current one where none is named, as ``"86"``."""
    import cupy

    return cupy.cuda.Device(device).compute_capability


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
        _state = Everywhere(_why_not() or "")
        if not _state:
            _hide_what_destructors_raise()
            if hasattr(os, "register_at_fork"):
                os.register_at_fork(after_in_child=_forked)
    if _state:
        raise DeviceTrouble(_state)


def require_capability():
    """Raise `DeviceTrouble` where the current device is too old for the kernels."""
    if reason := too_old(capability()):
        raise DeviceTrouble(Everywhere(reason))


def _forked():
    """CUDA does not outlive a fork: what it had begun in the parent fails in the child."""
    global _state
    _state = Everywhere(
        "this process was forked after the GPU had been used; start processes by spawn"
    )


def _why_not():
    if reason := _no_cupy():
        return reason
    try:
        import cupy
    except Exception as error:  # a broken CUDA installation raises many kinds at import
        return f"CuPy cannot be imported: {_first_line(error)}"
    try:
        count = cupy.cuda.runtime.getDeviceCount()
        old = [too_old(capability(device)) for device in range(count)]
        return "no CUDA device" if not count else old[0] if all(old) else None
    except Exception as error:
        return _without_device(_first_line(error))


def _without_device(error):
    """What the text of CUDA's error means to somebody who has never seen one."""
    if error.startswith("cudaErrorInsufficientDriver"):
        cuda = cuda_of_driver()
        if cuda is None:
            return _NO_DRIVER
        return f"NVIDIA's driver is for CUDA {cuda} at most, and this CuPy needs a newer one"
    if error.startswith("cudaErrorNoDevice"):
        return "no CUDA device"
    return f"no CUDA device: {error}"


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
    _state = Everywhere(f"the device has failed and is lost to this process: {_first_line(error)}")


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
