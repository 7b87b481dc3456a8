"""What is here and what is selected, for `python -m skimage_gpu_backend status`."""

import shutil
import sys
import textwrap

import cuda_simulator

from . import _cache, _words
from .availability import require_device
from .catalog import CATALOG
from .dispatch import selection
from .on_host import ON_HOST
from .sizes import table
from .sizes.machine import CUCIM, CUPY, key, version
from .trouble import DeviceTrouble


def status() -> dict[str, str]:
    """What calls would run on, in this process, as labels and texts.

    Returns
    -------
    dict
        The GPU and its driver; versions of CuPy, cuCIM, scikit-image and this package; whether the
        simulator is on; the backends that are selected; how many functions have a GPU version;
        whether the sizes from which the GPU, or the CPU's kernels, take NumPy arrays were measured
        here; and the folders that keep files, with their sizes.
    """
    return (
        _device()
        | {
            "cuCIM": version(*CUCIM),
            "scikit-image": version("scikit-image"),
            "skimage-gpu-backend": version("skimage-gpu-backend"),
            "simulator": "on" if cuda_simulator.active() else "off",
            "selected": ", ".join(selection.current().backends) or "nothing",
        }
        | _functions()
        | {"sizes": _sizes("gpu"), "sizes of cpu": _sizes("cpu")}
        | {
            f"kept: {label}": f"{_words.size(size)} in {path}"
            for label, size, path in _cache.kept()
        }
    )


def device_name() -> str:
    """The GPU, or "simulator"."""
    return "simulator" if cuda_simulator.active() else _device()["GPU"]


def _device():
    try:
        require_device()
    except DeviceTrouble as trouble:
        return {"GPU": trouble.reason, "driver": "-", "CuPy": version(*CUPY)}
    import cupy

    try:
        properties = cupy.cuda.runtime.getDeviceProperties(cupy.cuda.runtime.getDevice())
    except cupy.cuda.runtime.CUDARuntimeError as error:
        return {"GPU": str(error), "driver": "-", "CuPy": version(*CUPY)}
    name = properties["name"]
    memory = properties["totalGlobalMem"] / 2**30
    return {
        "GPU": f"{name.decode() if isinstance(name, bytes) else name}, {memory:.0f} GiB",
        "driver": f"for CUDA {_cuda(cupy.cuda.runtime.driverGetVersion())}",
        "CuPy": f"{cupy.__version__}, CUDA {_cuda(cupy.cuda.runtime.runtimeGetVersion())}",
    }


def _cuda(version):
    return f"{version // 1000}.{version % 1000 // 10}"


def _functions():
    return {
        "functions": f"{len(CATALOG)} have a GPU version here;"
        f" {len(ON_HOST)} of a few numbers stay on the CPU by design"
    }


def _sizes(device):
    """Where the sizes come from, for which a device is taken."""
    try:
        measured = table.load(device)
    except table.Unreadable as unreadable:
        return str(unreadable)
    if measured:
        count = sum(map(bool, measured.functions.values()))
        functions = "function" if count == 1 else "functions"
        told = f"measured for {count} {functions}, {measured.measured}: {measured.path}"
        if table.used(device) is None:
            return f"from a model; with SKIMAGE_GPU_SIMULATOR_SIZES=1 {told}"
        return told
    shipped = f"from {table.SHIPPED[device]}; `{table.COMMANDS[device]}` measures them"
    if others := table.stored(device):
        here = ", ".join(f"{label} {value}" for label, value in key(device).items())
        shipped += f". {len(others)} in {table.folder()} for other than {here}"
    return shipped


def main():
    """Print the status, a line each; in a terminal long ones are wrapped, between words."""
    rows = status()
    indent = max(map(len, rows)) + 2
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else sys.maxsize
    options = {"break_long_words": False, "break_on_hyphens": False}
    for label, text in rows.items():
        for line in text.splitlines():
            indents = {"initial_indent": label.ljust(indent), "subsequent_indent": " " * indent}
            print(textwrap.fill(line, width, **indents, **options))
            label = ""
