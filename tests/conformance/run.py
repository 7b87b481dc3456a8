"""Runs a module's tests in a process of their own and reads what came of them."""

import json
import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.conftest import ROOT

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
)
# its suite makes warnings errors, and was written for pytest 8
if hasattr(pytest, "PytestRemovedIn10Warning"):
    _OPTIONS += ("-W", "ignore::pytest.PytestRemovedIn10Warning")
_PLUGIN = "skimage_gpu_backend.pytest_plugin"
_RESIDENT = "tests.conformance.resident"


@dataclass
class Run:
    """One run of a module's tests.

    Attributes
    ----------
    outcomes : dict of str to str
        By test: "passed", "skipped", or why it failed.
    device_calls, calls : int
        Calls of scikit-image's functions by the tests, and those that ran on the device.
    """

    outcomes: dict
    calls: int = 0
    device_calls: int = 0

    @property
    def passed(self) -> set[str]:
        return {test for test, outcome in self.outcomes.items() if outcome == "passed"}


def run(module, *, backend, resident=False, processes=1, keyword=None, limit=3600) -> Run:
    """Run a module's tests, with the backend or without; its results may stay on the device.

    Raises
    ------
    SystemExit
        pytest did not run the tests; its output is told.
    """
    with tempfile.TemporaryDirectory() as temporary:
        junit, told = Path(temporary, "junit.xml"), Path(temporary, "profile.json")
        command = [sys.executable, "-m", "pytest", *_OPTIONS, f"--junitxml={junit}"]
        if processes > 1:
            command += ["-n", str(processes)]
        if keyword:
            command += ["-k", keyword]
        if backend:
            command += ["-p", _PLUGIN, f"--skimage-gpu-json={told}"]
        if backend and resident:
            command += ["-p", _RESIDENT]
        try:
            done = subprocess.run(
                [*command, f"tests/skimage/{module}"],
                cwd=source.tests().parents[1],
                env=_environment(backend, resident),
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                timeout=limit,
            )
        except subprocess.TimeoutExpired:
            raise SystemExit(f"{module} took more than {limit} s") from None
        if not junit.exists():
            raise SystemExit(f"no test of {module} ran:\n{done.stdout[-4000:]}")
        result = Run(_outcomes(junit))
        if backend:
            totals = json.loads(told.read_text())["totals"]
            result.calls, result.device_calls = totals["calls"], totals["calls on the device"]
        return result


def _environment(backend, resident):
    kept = {k: v for k, v in os.environ.items() if not k.startswith("SKIMAGE_")}
    kept["PYTHONHASHSEED"] = "0"  # parametrizations over sets, the same in every process
    kept["PYTHONPATH"] = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    if backend:
        kept |= {k: v for k, v in os.environ.items() if k.startswith("SKIMAGE_GPU_SIMULATOR")}
        kept |= {"SKIMAGE_BACKENDS": "gpu", "SKIMAGE_GPU_MIN_SIZE": "0"}
        kept["SKIMAGE_GPU_RESIDENT"] = str(int(resident))
    return kept


def _outcomes(junit):
    outcomes = {}
    for case in xml.etree.ElementTree.parse(junit).iter("testcase"):
        test = f"{case.get('classname')}::{case.get('name')}"
        failed = [part for part in case if part.tag in ("failure", "error")]
        if failed:
            outcomes[test] = failed[0].get("message", "").strip() or "failed"
        elif test not in outcomes:
            skipped = any(part.tag == "skipped" for part in case)
            outcomes[test] = "skipped" if skipped else "passed"
    return outcomes
