"""`python -m skimage_gpu_backend tune`: measure from which size the GPU pays on this machine."""

import os
import sys
import time
import warnings

import cuda_simulator

from .. import _words
from ..availability import require_device
from ..catalog import CATALOG, spoken
from ..trouble import DeviceTrouble
from . import machine, table

_FUNCTIONS = tuple(sorted(name for name, row in CATALOG.items() if row.images))

# by which a call with NumPy arrays would be no round trip
_IN_THE_WAY = ("SKIMAGE_NO_DISPATCHING", "SKIMAGE_GPU_CONVERT", "SKIMAGE_GPU_RESIDENT")


def main(functions=(), minutes=None, plot=None):
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

    Returns
    -------
    int
        Exit status: 0, or 130 where the user stopped it.
    """
    names = [name for function in functions for name in _called(function)]
    if plot:
        _require_matplotlib()
    try:
        require_device()
    except DeviceTrouble as trouble:
        sys.exit(
            f"nothing to measure: {trouble.reason}."
            " SKIMAGE_GPU_SIMULATOR=1 tries this command on the simulator"
        )
    kept = _table()
    if cuda_simulator.active():
        print(
            "No GPU is used: these are times of the simulator. They decide nothing, but on the"
            " simulator with SKIMAGE_GPU_SIMULATOR_SIZES=1."
        )
    status = _measure(kept, names or [n for n in _FUNCTIONS if n not in kept.functions], minutes)
    if plot and status == 0:
        from .figure import draw

        drawn = [name for name in names or sorted(kept.functions) if kept.functions.get(name)]
        draw(kept, drawn, plot)
        print(f"figure: {plot}")
    return status


def reset():
    """Delete the table for this machine; sizes come from the model again."""
    path = table.reset()
    print(f"deleted: {path}" if path else "nothing was measured with this machine and versions")
    if others := table.stored():
        print(f"{len(others)} for other machines or versions: {table.folder()}")


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


def _table():
    """The table to go on with; ends the program where none can be kept."""
    key = machine.key()
    path = table.path_of(key)
    try:
        kept = table.load()
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


def _measure(kept, names, minutes):
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
            kept.costs = costs()
            for done, name in enumerate(names):
                if time.monotonic() > end:
                    progress.stop()
                    print(f"{minutes:g} minutes are over: {len(names) - done} functions are left.")
                    print(told)
                    return 0
                progress.update(bar, description=spoken(name))
                try:
                    kept.functions[name] = measured(name)
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
        + (f"; of {none} the GPU took no call." if none else ".")
    )
    print(f"table: {kept.path}")
    return 0
