"""The pytest plugin inside the suite's processes: device, downloads, report of outcomes.

One JSON object a line goes to the file that ``CUCIM_SUITE_EVENTS`` names: the tests
collected, each one's start and its outcome. The tests that ``CUCIM_SUITE_DONE`` lists (one a
line) are left out: a process that had to be ended is followed by one for the rest.
"""

import json
import os
import re
import time
from pathlib import Path

import pytest

import cuda_simulator
from skimage_gpu_backend.availability import choose_device

NEEDS_DOWNLOAD = "Unable to download"
_NOT_IN_WHEEL = re.compile(r"FileNotFoundError: .*/(cucim/\S*/tests/\S+?)'?$")
_events = open(os.environ["CUCIM_SUITE_EVENTS"], "a", buffering=1)  # noqa: SIM115
_done = set(Path(os.environ["CUCIM_SUITE_DONE"]).read_text().split("\n"))
_started = {}

choose_device()


def _say(**event):
    _events.write(json.dumps(event) + "\n")


def pytest_configure(config):
    from skimage.data import _fetchers

    if _fetchers._image_fetcher is not None:
        _fetchers._image_fetcher.fetch = _refuse_download


def _refuse_download(name, *args, **kwargs):
    pytest.skip(f"{NEEDS_DOWNLOAD} {name}", allow_module_level=True)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    items[:] = [item for item in items if item.nodeid not in _done]
    _say(event="collected", tests=[item.nodeid for item in items], device=_device())


def _device():
    import cupy

    name = cupy.cuda.runtime.getDeviceProperties(0)["name"]
    name = name.decode() if isinstance(name, bytes) else name
    return {"name": name, "simulator": cuda_simulator.active(), "cupy": cupy.__version__}


def pytest_collectreport(report):
    if report.failed:
        _outcome(report.nodeid, "failed", report.longrepr, 0)
    elif report.skipped:
        _outcome(report.nodeid, "skipped", report.longrepr, 0)


def pytest_runtest_logstart(nodeid, location):
    _started[nodeid] = time.monotonic()
    _say(event="start", test=nodeid)


_results = {}


def pytest_runtest_logreport(report):
    # a failure of set-up or tear-down is the test's failure
    worst = _results.get(report.nodeid)
    if worst is None or report.failed or (report.when == "call" and worst[0] == "passed"):
        outcome = "xfailed" if hasattr(report, "wasxfail") and report.skipped else report.outcome
        _results[report.nodeid] = outcome, report.longrepr


def pytest_runtest_logfinish(nodeid, location):
    outcome, detail = _results.pop(nodeid)
    _outcome(nodeid, outcome, detail, time.monotonic() - _started.pop(nodeid))


def _outcome(nodeid, outcome, detail, seconds):
    message = ""
    if outcome == "failed":
        crash = getattr(detail, "reprcrash", None)
        message = crash.message if crash else _error_lines(str(detail))
        missing = _NOT_IN_WHEEL.search(message)
        if missing:
            outcome, message = "download", f"{NEEDS_DOWNLOAD} {missing[1]}, which the wheel lacks"
    elif outcome == "skipped":
        message = detail[2] if isinstance(detail, tuple) else str(detail)
        message = message.removeprefix("Skipped: ")
        outcome = "download" if message.startswith(NEEDS_DOWNLOAD) else "skipped"
    _say(event="end", test=nodeid, outcome=outcome, message=message, seconds=seconds)


def _error_lines(text):
    """What is wrong with a file that could not be imported: pytest marks it with E."""
    errors = [line[1:].strip() for line in text.split("\n") if line.startswith("E ")]
    return errors[-1] if errors else text
