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
    """End what runs; modules that are not finished are left as they are."""
    _stopped.set()


@dataclass
class Outcome:
    """What became of a module's tests: by test, (outcome, message, seconds)."""

    tests: dict = field(default_factory=dict)
    device: dict = field(default_factory=dict)
    seconds: float = 0.0
    output: str = ""

    def of(self, outcome):
        """Tests with one outcome, with their messages."""
        return {test: m for test, (o, m, _) in self.tests.items() if o == outcome}


def run_module(name: str, limit: float, keyword: str | None = None) -> Outcome:
    """Run the tests of a module, each for at most `limit` seconds."""
    outcome, start = Outcome(), time.monotonic()
    while _run_once(suite.modules()[name], limit, keyword, outcome):
        pass
    outcome.seconds = time.monotonic() - start
    return outcome


def _run_once(folder, limit, keyword, outcome):
    """One process; whether another one is needed for tests that are left."""
    with tempfile.TemporaryDirectory() as temporary:
        events, done, log = (Path(temporary, n) for n in ("events", "done", "log"))
        events.touch()
        done.write_text("\n".join(outcome.tests))
        with open(log, "w") as output:
            process = subprocess.Popen(
                _command(folder, keyword),
                cwd=temporary,
                env=_environment(events, done),
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            running, why = _watch(process, events, limit, outcome)
        outcome.output = log.read_text()[-4000:]
    if running is None:
        return False
    outcome.tests[running] = "failed", why, 0
    return running != _COLLECTION


def _watch(process, events, limit, outcome):
    """Follow a process to its end: the test that was running then, if any, and why."""
    running, since, collected = None, time.monotonic(), False
    with open(events) as lines:
        while True:
            ended = process.poll() is not None
            for line in lines:
                event = json.loads(line)
                since = time.monotonic()
                if event["event"] == "collected":
                    collected, outcome.device = True, event["device"]
                elif event["event"] == "start":
                    running = event["test"]
                else:
                    running = None
                    detail = event["outcome"], event["message"], event["seconds"]
                    outcome.tests[event["test"]] = detail
            if ended:
                break
            if _stopped.is_set():
                os.killpg(process.pid, signal.SIGKILL)
                raise KeyboardInterrupt
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
        **os.environ,
        "PYTHONPATH": os.pathsep.join(p for p in paths if p),
        "PYTHONDONTWRITEBYTECODE": "1",
        "CUCIM_SUITE_EVENTS": str(events),
        "CUCIM_SUITE_DONE": str(done),
    }
