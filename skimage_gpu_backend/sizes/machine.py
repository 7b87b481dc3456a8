"""Which machine and which versions sizes were measured on, told without touching the device.

What the driver says of itself in files, since a decision imports no CuPy and starts no CUDA.
"""

import importlib.metadata
import os
import re
import subprocess
import sys
from pathlib import Path

import cuda_simulator

_DRIVER = Path("/proc/driver/nvidia")
CUPY = ("cupy-cuda12x", "cupy-cuda13x", "cupy")
CUCIM = ("cucim-cu12", "cucim-cu13", "cucim")


def key(device="gpu") -> dict[str, str]:
    """What a table of sizes of a device holds for: hardware, driver, and versions of packages."""
    packages = {name: version(name) for name in ("scikit-image", "skimage-gpu-backend")}
    if device == "cpu":
        return {"CPU": cpu(), "NumPy": version("numpy"), **packages}
    if cuda_simulator.active():
        gpu, driver, cupy = "simulator", "-", "-"
    else:
        gpu, driver, cupy = *_gpu_and_driver(), version(*CUPY)
        if any(_DRIVER.glob("capabilities/gpu*/mig/gi*")):
            gpu = f"slice with {_multiprocessors()} multiprocessors of {gpu}"
    return {
        "GPU": gpu,
        "driver": driver,
        "CPU": cpu(),
        "CuPy": cupy,
        "cuCIM": version(*CUCIM),
        **packages,
    }


def version(*distributions) -> str:
    """Version of the first of these distributions that is installed."""
    for distribution in distributions:
        try:
            return importlib.metadata.version(distribution)
        except importlib.metadata.PackageNotFoundError:
            continue
    return "not installed"


def cpu() -> str:
    """Model name of the processor, "unknown" where the system does not tell it."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            found = (re.match(r"model name\s*: (.*)", line) for line in lines)
            return next((match[1] for match in found if match), "unknown")
    except OSError:
        return "unknown"


def _gpu_and_driver():
    """Models of all GPUs, in the order of their places on the bus, and the driver's version.

    Where models differ, the variable that chooses among them counts too.
    """
    try:
        text = (_DRIVER / "version").read_text()
        driver = re.search(r"\s(\d+\.\d[\d.]*)\s", text)[1]
        files = sorted(_DRIVER.glob("gpus/*/information"))
        models = [re.search(r"Model:\s*(.*)", file.read_text())[1].strip() for file in files]
    except (OSError, TypeError):
        models, driver = _asked()
    if len(set(models)) > 1:
        chosen = os.environ.get("CUDA_VISIBLE_DEVICES", "all")
        return f"{', '.join(models)}; visible: {chosen}", driver
    return models[0] if models else "none", driver


def _multiprocessors():
    """How many a slice of a GPU (MIG) has.

    The driver is asked in a process of its own: CUDA that has begun does not survive a fork.
    """
    command = [sys.executable, "-I", "-S", "-c", _COUNT]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=True)
    except (OSError, subprocess.SubprocessError):
        return "unknown"
    return done.stdout.strip()


_COUNT = """
import ctypes
cuda, found, device = ctypes.CDLL("libcuda.so.1"), ctypes.c_int(), ctypes.c_int()
MULTIPROCESSOR_COUNT = 16
assert not cuda.cuInit(0)
assert not cuda.cuDeviceGet(ctypes.byref(device), 0)
assert not cuda.cuDeviceGetAttribute(ctypes.byref(found), MULTIPROCESSOR_COUNT, device)
print(found.value)
"""


def _asked():
    """The same from the driver's tool, where there are no such files (under Windows)."""
    command = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
    try:
        told = subprocess.run(command, capture_output=True, text=True, timeout=20, check=True)
        rows = [line.rsplit(", ", 1) for line in told.stdout.splitlines()]
        return [name for name, _ in rows], rows[0][1]
    except (OSError, subprocess.SubprocessError, ValueError, IndexError):
        return [], "none"
