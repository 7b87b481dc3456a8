"""Runs a module's tests in a process of their own and reads what came of them."""

import os
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from skimage_gpu_backend._status import device_name
from skimage_gpu_backend.availability import choose_device
from skimage_gpu_backend.sizes import machine
from tests.conftest import ROOT
from tests.resume import outcomes

from . import source

# scikit-image's own settings, but for its conftest, which is about doctests
_OPTIONS = (
    "-q",
    "-p",
    "no:cacheprovider",
    "--confcutdir=tests/skimage",
    "--maxfail=0",
    "--tb=short",
    "--continue-on-collection-errors",
    "-p",
    "tests.conformance.seeded",
    "-p",
    "tests.resume",
)
# its suite makes warnings errors, and was written for pytest 8
if hasattr(pytest, "PytestRemovedIn10Warning"):
    _OPTIONS += ("-W", "ignore::pytest.PytestRemovedIn10Warning")
_BACKEND = ("-p", "skimage_gpu_backend.pytest_plugin", "-p", "tests.conformance.counted")
_RESIDENT = ("-p", "tests.conformance.resident")


@dataclass
class Run:
    """One run of a module's tests.

    Attributes
    ----------
    outcomes : dict of str to str
        By test: "passed", "skipped", or why it failed.
    device_calls, calls : int
        Calls of scikit-image's functions by the tests, and those that ran on the device.
    refused_calls, other_calls : int
        Those that raised on the CPU, and others of functions that have no GPU version or no images.
    left : dict
        The rest of those on the CPU, by function and reason.
    """

    outcomes: dict
    calls: int = 0
    device_calls: int = 0
    refused_calls: int = 0
    other_calls: int = 0
    left: dict = field(default_factory=dict)

    @property
    def passed(self) -> set[str]:
        return {test for test, outcome in self.outcomes.items() if outcome == "passed"}


def run(
    module,
    *,
    backend,
    resident=False,
    processes=1,
    keyword=None,
    limit=3600,
    resume=None,
) -> Run:
    """Run a module's tests, with a backend or without.

    Parameters
    ----------
    module : str
    backend : {None, "gpu", "cpu"}
    resident : bool
        Whether results of ``gpu`` stay on the device.
    processes : int
    keyword : str, optional
        Only tests whose name matches.
    limit : float
        Seconds.
    resume : path, optional
        File with what earlier runs have finished, which is not run again; it grows.

    Raises
    ------
    SystemExit
        pytest did not run the tests, or was killed; what it said is told.
    """
    with tempfile.TemporaryDirectory() as temporary:
        told = resume or Path(temporary, "outcomes.jsonl")
        command = [sys.executable, "-m", "pytest", *_OPTIONS, "--resume", str(told)]
        if processes > 1:
            command += ["-n", str(processes)]
        if keyword:
            command += ["-k", keyword]
        if backend:
            command += _BACKEND
        if backend and resident:
            command += _RESIDENT
        try:
            done = subprocess.run(
                [*command, f"tests/skimage/{module}"],
                cwd=source.tests().parents[1],
                env=environment(backend, resident),
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                timeout=limit,
            )
        except subprocess.TimeoutExpired:
            raise SystemExit(f"{module} took more than {limit} s") from None
        events = outcomes(told) if told.exists() else {}
        if not events:
            raise SystemExit(f"no test of {module} ran:\n{done.stdout[-4000:]}")
        if done.returncode < 0:  # and not all tests ran
            raise SystemExit(f"{module} was ended by signal {-done.returncode}")
        return Run(
            {test: event.get("message", event["outcome"]) for test, event in events.items()},
            *(sum(event.get(name, 0) for event in events.values()) for name in _COUNTS),
            sum((Counter(event.get("left", {})) for event in events.values()), Counter()),
        )


_COUNTS = ("calls", "device_calls", "refused_calls", "other_calls")


def named(backend) -> str:
    """The device of a backend as results name it; a GPU or the simulator is chosen."""
    if backend == "cpu":
        return f"{machine.cpu()}, {len(os.sched_getaffinity(0))} cores"
    choose_device()
    return device_name()


def environment(backend, resident=False) -> dict[str, str]:
    """Variables for a process in which a backend takes everything, or none is selected."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("SKIMAGE_", "PYTEST_"))}
    kept["PYTHONHASHSEED"] = "0"  # parametrizations over sets, the same in every process
    kept["PYTHONPATH"] = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    if backend:
        kept |= {k: v for k, v in os.environ.items() if k == "SKIMAGE_GPU_SIMULATOR"}
        kept |= {"SKIMAGE_BACKENDS": backend, "SKIMAGE_BACKENDS_MIN_SIZE": "0"}
        kept["SKIMAGE_GPU_RESIDENT"] = str(int(resident))
    return kept
