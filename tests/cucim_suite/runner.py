"""Runs one module's tests in a process of its own that can hang or die without harm.

The process is watched through the lines that `plugin` writes. A test that takes longer than
its limit, or that ends the process, has failed; a new process runs the tests that are left.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

from . import suite

_START_LIMIT = 600
_COLLECTION = "collection"
_stopped = threading.Event()


def stop():
    """End what runs."""
    _stopped.set()


@dataclass
class Outcome:
    """What became of a module's tests: by test, (outcome, message, seconds).

    It is `cut` where some of them were left.
    """

    tests: dict = field(default_factory=dict)
    device: dict = field(default_factory=dict)
    output: str = ""
    cut: bool = False

    @property
    def seconds(self) -> float:
        """Of all tests, one after the other."""
        return sum(seconds for *_, seconds in self.tests.values())

    def of(self, outcome):
        """Tests with one outcome, with their messages."""
        return {test: m for test, (o, m, _) in self.tests.items() if o == outcome}


def run_module(name, limit, keyword=None, resume=None) -> Outcome:
    """Run the tests of a module.

    Parameters
    ----------
    name : str
    limit : float
        Seconds a test may take.
    keyword : str, optional
        Only tests whose name matches.
    resume : path, optional
        File with what earlier runs have finished, which is not run again; it grows.
    """
    outcome = Outcome()
    with tempfile.TemporaryDirectory() as temporary:
        file = resume or Path(temporary, "events.jsonl")
        file.touch()
        with open(file) as events:
            _read(events, outcome)
            while _run_once(suite.modules()[name], limit, keyword, outcome, events):
                pass
    return outcome


def _run_once(folder, limit, keyword, outcome, events):
    """One process; whether another one is needed for tests that are left."""
    with tempfile.TemporaryDirectory() as temporary:
        done, log = Path(temporary, "done"), Path(temporary, "log")
        done.write_text("\n".join(outcome.tests))
        with open(log, "w") as output:
            process = subprocess.Popen(
                _command(folder, keyword),
                cwd=temporary,
                env=_environment(events.name, done),
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            running, why = _watch(process, events, limit, outcome)
        outcome.output = log.read_text()[-4000:]
    if running is None:
        return False
    end = {"event": "end", "test": running, "outcome": "failed", "message": why, "seconds": 0}
    with open(events.name, "a") as told:
        print(json.dumps(end), file=told)
    _read(events, outcome)
    return running != _COLLECTION


def _read(events, outcome):
    """Take in what is new in a file of events: their kinds, and the test that runs now."""
    kinds, running = [], None
    for line in events:
        event = json.loads(line)
        kinds.append(event["event"])
        running = event["test"] if kinds[-1] == "start" else None
        if kinds[-1] == "collected":
            outcome.device = event["device"]
        elif kinds[-1] == "end":
            outcome.tests[event["test"]] = event["outcome"], event["message"], event["seconds"]
    return kinds, running


def _watch(process, events, limit, outcome):
    """Follow a process to its end: the test that was running then, if any, and why."""
    running, since, collected = None, time.monotonic(), False
    while True:
        ended = process.poll() is not None
        kinds, test = _read(events, outcome)
        if kinds:
            running, since, collected = test, time.monotonic(), collected or "collected" in kinds
        if ended:
            break
        if _stopped.is_set():
            os.killpg(process.pid, signal.SIGKILL)
            outcome.cut = True
            return None, None
        if time.monotonic() - since > (limit if running else _START_LIMIT):
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            return running or _COLLECTION, f"time limit of {limit:g} s"
        time.sleep(0.2)
    if running:
        return running, f"the process ended with status {process.returncode}"
    if not collected:
        return _COLLECTION, f"the process ended with status {process.returncode}"
    return None, None


def _command(folder, keyword):
    command = [sys.executable, "-m", "pytest", "-q", "--tb=short", "-p", "tests.cucim_suite.plugin"]
    command += ["-p", "no:cacheprovider", "-p", "no:xdist", "-c", os.devnull]
    command += ["--continue-on-collection-errors"]
    command += [f"--rootdir={suite.root().parent}", str(folder)]
    return command + (["-k", keyword] if keyword else [])


def _environment(events, done):
    paths = [str(suite.repository()), os.environ.get("PYTHONPATH", "")]
    return {
        # products of matrices, which stand in for cuBLAS's, are alike on every machine
        "OPENBLAS_CORETYPE": "Haswell",
        **{name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")},
        "PYTHONPATH": os.pathsep.join(p for p in paths if p),
        "PYTHONDONTWRITEBYTECODE": "1",
        "CUCIM_SUITE_EVENTS": str(events),
        "CUCIM_SUITE_DONE": str(done),
    }
