"""The user's table of measured sizes: a file in the configuration directory for each key."""

import datetime
import functools
import hashlib
import json
import os
from pathlib import Path

import cuda_simulator

from .._warn import notify_caller
from ..environ import value
from . import machine

# By device: the command that measures, what decides without it, and how files' names begin.
COMMANDS = {
    "gpu": "python -m skimage_gpu_backend tune",
    "cpu": "python -m skimage_gpu_backend tune --device cpu",
}
SHIPPED = {"gpu": "a model", "cpu": "a table of another machine"}
_PREFIXES = {"gpu": "sizes", "cpu": "cpu-sizes"}


class Table:
    """Times of both sides that were measured on this machine.

    Attributes
    ----------
    path : Path
    key : dict
        See `machine.key`.
    costs : dict
        What was measured of `model.TYPICAL`.
    functions : dict
        By name and class of dtypes, for each work the elements, seconds of scikit-image and seconds
        of the device's backend of several sizes: what `model.curves` gives.
    measured : str
        Day of the last measurement.
    """

    def __init__(self, path, key, costs=None, functions=None, measured=""):
        self.path, self.key, self.measured = path, key, measured
        self.costs = costs or {}
        self.functions = functions or {}

    def store(self):
        """Write the file; whoever reads it finds the old one or the new one."""
        self.measured = datetime.date.today().isoformat()
        self.path.parent.mkdir(parents=True, exist_ok=True)
        rows = ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in self.functions.items())
        head = {"key": self.key, "measured": self.measured, "costs": self.costs}
        written = self.path.with_suffix(f".{os.getpid()}")
        written.write_text(f'{json.dumps(head)[:-1]},\n"functions": {{\n{rows}\n}}}}\n')
        written.replace(self.path)


class Unreadable(Exception):
    """The file is there and is no table."""


def folder() -> Path:
    """Where tables are: in the user's configuration directory."""
    import platformdirs

    return platformdirs.user_config_path("skimage-gpu-backend")


def path_of(key, device="gpu") -> Path:
    """File of a device's table for a key."""
    digest = hashlib.sha256(json.dumps(key).encode()).hexdigest()
    return folder() / f"{_PREFIXES[device]}-{digest[:12]}.json"


def load(device="gpu") -> Table | None:
    """The table of a device for this machine and these versions, None where there is none.

    Raises
    ------
    Unreadable
        With a message for the user.
    """
    if not stored(device):
        return None  # without asking what machine this is
    key = machine.key(device)
    path = path_of(key, device)
    try:
        return _checked(path, key, json.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise Unreadable(
            f"the table of sizes {path} cannot be read ({type(error).__name__}: {error}): sizes"
            f" come from {SHIPPED[device]}, until `{COMMANDS[device]}` measures anew"
        ) from error


@functools.cache
def used(device="gpu") -> Table | None:
    """What decisions of this process are made from: read once; None for what is shipped.

    Times of the simulator tell nothing that a user of a GPU would see, so they decide only where
    they are asked for.
    """
    is_simulated = device == "gpu" and cuda_simulator.active()
    if is_simulated and not value("SKIMAGE_GPU_SIMULATOR_SIZES"):
        return None
    try:
        return load(device)
    except Unreadable as unreadable:
        notify_caller(str(unreadable), RuntimeWarning)
        return None


def reset(device) -> Path | None:
    """Delete a device's table for this machine and these versions: its path, None if none."""
    path = path_of(machine.key(device), device)
    try:
        path.unlink()
    except FileNotFoundError:
        return None
    return path


def stored(device="gpu") -> list[Path]:
    """All tables of the user for a device, also those for other machines and versions."""
    return sorted(folder().glob(f"{_PREFIXES[device]}-*.json"))


def _checked(path, key, text):
    if text["key"] != key:
        raise ValueError("it was measured elsewhere")
    functions = {
        name: {
            dtypes: [(float(work), [_point(*point) for point in points]) for work, points in rows]
            for dtypes, rows in by_class.items()
        }
        for name, by_class in text["functions"].items()
    }
    costs = {name: float(cost) for name, cost in text["costs"].items()}
    return Table(path, key, costs, functions, str(text["measured"]))


def _point(elements, cpu, gpu):
    return float(elements), float(cpu), float(gpu)
