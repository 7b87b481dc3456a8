"""What is here and what is selected, for `python -m skimage_gpu_backend status`."""

import cuda_simulator

from .availability import no_cucim_because, require_device
from .catalog import CATALOG
from .dispatch import selection
from .sizes import table
from .sizes.machine import CUPY, key, version
from .trouble import DeviceTrouble


def status() -> dict[str, str]:
    """What calls would run on, in this process, as labels and texts.

    Returns
    -------
    dict
        The GPU and its driver, CuPy, cuCIM, whether the simulator is on, the backends
        that are selected, how many functions come from which source, and whether the sizes
        from which NumPy arrays go to the GPU were measured here.
    """
    return _device() | {
        "cuCIM": no_cucim_because() or version("cucim-cu12", "cucim-cu13"),
        "simulator": "on" if cuda_simulator.active() else "off",
        "selected": ", ".join(selection.current().backends) or "nothing",
        "functions": _functions(),
        "sizes": _sizes(),
    }


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
    kernels = sum(bool(row.room) for row in CATALOG.values())
    return f"{kernels} with kernels of ours, {len(CATALOG) - kernels} more through cuCIM"


def _sizes():
    """Where the sizes come from, for which the GPU is taken."""
    try:
        measured = table.load()
    except table.Unreadable as unreadable:
        return str(unreadable)
    if measured:
        count = sum(map(bool, measured.functions.values()))
        functions = "function" if count == 1 else "functions"
        told = f"measured for {count} {functions}, {measured.measured}: {measured.path}"
        if table.used() is None:
            return f"from a model; with SKIMAGE_GPU_SIMULATOR_SIZES=1 {told}"
        return told
    model = "from a model; `python -m skimage_gpu_backend tune` measures them"
    if others := table.stored():
        here = ", ".join(f"{label} {value}" for label, value in key().items())
        model += f". {len(others)} in {table.folder()} for other than {here}"
    return model


def main():
    """Print the status as a table."""
    from rich.console import Console
    from rich.table import Table

    table = Table.grid(padding=(0, 2))
    for label, text in status().items():
        table.add_row(label, text)
    Console().print(table)
