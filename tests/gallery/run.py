"""Runs one example as it is and with the backend, and compares what it leaves."""

import pickle
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass, field
from pathlib import Path

from tests.conformance.run import environment
from tests.differential.compare import DOUBLE, SINGLE, difference


@dataclass
class Outcome:
    """What became of an example.

    Attributes
    ----------
    stopped : str
        Why it does not run as it is; empty where it does.
    calls, device_calls : int
        Calls of scikit-image's functions, and those that ran on the device.
    compared : int
        Variables that were compared, and the printed text.
    differences : dict of str to str
        What differs with the backend, and how.
    """

    stopped: str = ""
    calls: int = 0
    device_calls: int = 0
    compared: int = 0
    differences: dict = field(default_factory=dict)

    to_dict = asdict


def compared(script, limit, backend="gpu") -> Outcome:
    """Run an example as it is and with a backend, for at most `limit` seconds each time."""
    plain, stopped = _run(script, limit, backend=None)
    if stopped:
        return Outcome(stopped)
    found, stopped = _run(script, limit, backend)
    if stopped:
        return Outcome(differences={"the script": stopped})
    outcome = Outcome(calls=found["calls"], device_calls=found["device_calls"])
    outcome.compared = 1 + len(plain["variables"])
    outcome.differences = differences(found, plain)
    if outcome.differences:
        again, _ = _run(script, limit, backend=None)
        for name in differences(again, plain) if again else ():
            outcome.differences.pop(name, None)  # it differs from itself
            outcome.compared -= 1
    return outcome


def differences(found, plain) -> dict[str, str]:
    """What two runs of an example left that is not the same."""
    told = {}
    if found["printed"] != plain["printed"]:
        told["what is printed"] = "another text"
    for name, expected in plain["variables"].items():
        try:
            largest = difference(found["variables"].get(name), expected, name)
        except AssertionError as error:
            told[name] = str(error).strip().split("\n")[0]
            continue
        bound = SINGLE if _is_single(expected) else DOUBLE
        if largest > bound:
            told[name] = f"differs by {largest:.1e} of its range"
    return told


def _is_single(value):
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list | tuple):
        return any(map(_is_single, value))
    return getattr(value, "dtype", None) in ("float32", "complex64")


def _run(script, limit, backend):
    """What an example left, and why it stopped if it did."""
    with tempfile.TemporaryDirectory() as temporary:
        left = Path(temporary, "left")
        command = [sys.executable, "-W", "ignore", "-m", "tests.gallery.one"]
        try:
            done = subprocess.run(
                [*command, str(script), str(left), *(["--backend"] if backend else [])],
                env={**environment(backend), "MPLCONFIGDIR": temporary},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=limit,
            )
        except subprocess.TimeoutExpired:
            return None, f"takes more than {limit:g} s"
        if done.returncode or not left.exists():
            return None, _why(done)
        return pickle.loads(left.read_bytes()), ""


def _why(done):
    lines = done.stderr.strip().splitlines() or [f"status {done.returncode}"]
    for mark, why in _USUAL.items():
        if mark in done.stderr:
            return why
    return f"ends with {lines[-1]}"


# marks of what an example may need that is not here
_USUAL = {"pooch": "needs a download", "ConnectionError": "needs a download"}
