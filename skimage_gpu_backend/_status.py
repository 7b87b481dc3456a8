"""What is here and what is selected, for `python -m skimage_gpu_backend status`."""

import importlib.metadata

from . import simulator
from .availability import DeviceTrouble, no_cucim_because, require_device
from .catalog import CATALOG
from .dispatch import selection


def status() -> dict[str, str]:
    """What calls would run on, in this process, as labels and texts.

    Returns
    -------
    dict
        The GPU and its driver, CuPy, cuCIM, whether the simulator is on, the backends
        that are selected, and how many functions come from which source.
    """
    return _device() | {
        "cuCIM": no_cucim_because() or _version("cucim-cu12", "cucim-cu13"),
        "simulator": "on" if simulator.active() else "off",
        "selected": ", ".join(selection.current().backends) or "nothing",
        "functions": _functions(),
    }


def _device():
    try:
        require_device()
    except DeviceTrouble as trouble:
        return {"GPU": trouble.reason, "driver": "-", "CuPy": _version(*_CUPY)}
    import cupy

    properties = cupy.cuda.runtime.getDeviceProperties(cupy.cuda.runtime.getDevice())
    name = properties["name"]
    memory = properties["totalGlobalMem"] / 2**30
    return {
        "GPU": f"{name.decode() if isinstance(name, bytes) else name}, {memory:.0f} GiB",
        "driver": f"for CUDA {_cuda(cupy.cuda.runtime.driverGetVersion())}",
        "CuPy": f"{cupy.__version__}, CUDA {_cuda(cupy.cuda.runtime.runtimeGetVersion())}",
    }


_CUPY = ("cupy-cuda12x", "cupy-cuda13x", "cupy")


def _cuda(version):
    return f"{version // 1000}.{version % 1000 // 10}"


def _version(*distributions):
    for distribution in distributions:
        try:
            return importlib.metadata.version(distribution)
        except importlib.metadata.PackageNotFoundError:
            continue
    return "not installed"


def _functions():
    kernels = sum(row.kernel for row in CATALOG.values())
    return f"{kernels} with kernels of ours, {len(CATALOG) - kernels} more through cuCIM"


def main():
    """Print the status as a table."""
    from rich.console import Console
    from rich.table import Table

    table = Table.grid(padding=(0, 2))
    for label, text in status().items():
        table.add_row(label, text)
    Console().print(table)
