"""`python -m skimage_gpu_backend tune`: measure from which size a device pays on this machine."""

import os
import sys
import time
import warnings

import cuda_simulator

from .. import _words
from ..availability import require_device
from ..catalog import CATALOG, spoken
from ..targets import no_compiler_because
from ..trouble import DeviceTrouble
from . import machine, table

_FUNCTIONS = tuple(sorted(name for name, row in CATALOG.items() if row.images))

# by which a call with NumPy arrays would be no round trip
_IN_THE_WAY = ("SKIMAGE_NO_DISPATCHING", "SKIMAGE_GPU_CONVERT", "SKIMAGE_GPU_RESIDENT")


def main(functions=(), minutes=None, plot=None, device=None):
    """Measure functions, those named or all that the table does not have yet, and store them.

    Parameters
    ----------
    functions : sequence of str
        As ``gaussian``, ``filters.gaussian`` or ``skimage.filters:gaussian``; they are measured
        anew.
    minutes : float, optional
        After which no further function begins.
    plot : str, optional
        File for the figure of these functions, or of all that are in the table.
    device : {"gpu", "cpu"}, optional
        By default the GPU if there is one.

    Returns
    -------
    int
        Exit status: 0, or 130 where the user stopped it.
    """
    names = [name for function in functions for name in _called(function)]
    if plot:
        _require_matplotlib()
    device = device or _default_device()
    if device == "cpu" and (reason := no_compiler_because()):
        sys.exit(f"nothing to measure: {reason}")
    if device == "gpu" and (reason := _no_gpu_because()):
        sys.exit(
            f"nothing to measure: {reason}."
            " SKIMAGE_GPU_SIMULATOR=1 tries this command on the simulator"
        )
    kept = _table(device)
    if device == "gpu" and cuda_simulator.active():
        print(
            "No GPU is used: these are times of the simulator. They decide nothing, but on the"
            " simulator with SKIMAGE_GPU_SIMULATOR_SIZES=1."
        )
    missing = [name for name in _FUNCTIONS if name not in kept.functions]
    status = _measure(kept, device, names or missing, minutes)
    if plot and status == 0:
        from .figure import draw

        drawn = [name for name in names or sorted(kept.functions) if kept.functions.get(name)]
        draw(kept, device, drawn, plot)
        print(f"figure: {plot}")
    return status


def reset(device=None):
    """Delete a device's table for this machine; sizes come from what is shipped again."""
    device = device or _default_device()
    path = table.reset(device)
    print(f"deleted: {path}" if path else "nothing was measured with this machine and versions")
    if others := table.stored(device):
        print(f"{len(others)} for other machines or versions: {table.folder()}")


def _default_device():
    return "cpu" if _no_gpu_because() else "gpu"


def _no_gpu_because():
    try:
        require_device()
    except DeviceTrouble as trouble:
        return trouble.reason
    return None


def _called(function):
    try:
        return _words.catalog_names(function, _FUNCTIONS)
    except LookupError as error:
        sys.exit(str(error))


def _require_matplotlib():
    try:
        import matplotlib  # noqa: F401  # only whether it is there
    except ImportError:
        sys.exit("--plot needs matplotlib: pip install 'skimage-gpu-backend[demo]'")


def _table(device):
    """The table to go on with; ends the program where none can be kept."""
    key = machine.key(device)
    path = table.path_of(key, device)
    try:
        kept = table.load(device)
    except table.Unreadable as unreadable:
        print(unreadable)
        kept = None
    kept = kept or table.Table(path, key)
    try:
        kept.store()
    except OSError as error:
        sys.exit(
            f"cannot write {path}: {error.strerror}."
            " XDG_CONFIG_HOME names another folder for configuration"
        )
    return kept


def _measure(kept, device, names, minutes):
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

    from .timing import costs, measured

    os.environ["SKIMAGE_BACKENDS_MIN_SIZE"] = "0"
    for variable in _IN_THE_WAY:
        os.environ.pop(variable, None)
    warnings.simplefilter("ignore")
    end = time.monotonic() + 60 * minutes if minutes else float("inf")
    columns = "{task.description}", BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    told = f"The same command goes on.\ntable: {kept.path}"
    try:
        with Progress(*columns) as progress:
            bar = progress.add_task("bus and launches", total=len(names))
            if device == "gpu":
                kept.costs = costs()
            for done, name in enumerate(names):
                if time.monotonic() > end:
                    progress.stop()
                    print(f"{minutes:g} minutes are over: {len(names) - done} functions are left.")
                    print(told)
                    return 0
                progress.update(bar, description=spoken(name))
                try:
                    kept.functions[name] = measured(name, device)
                except Exception as error:  # of one function; the others are worth having
                    kept.functions[name] = {}
                    progress.print(f"{name}: {type(error).__name__}: {error}")
                kept.store()
                progress.advance(bar)
    except KeyboardInterrupt:
        print(f"Stopped; {len(kept.functions)} of {len(_FUNCTIONS)} functions are stored.")
        print(told)
        return 130
    none = sum(not rows for rows in kept.functions.values())
    print(
        f"{len(kept.functions)} of {len(_FUNCTIONS)} functions are measured"
        + (f"; of {none} the {device} backend took no call." if none else ".")
    )
    print(f"table: {kept.path}")
    return 0
