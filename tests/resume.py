"""A pytest plugin for runs that are cut: ``-p tests.resume --resume FILE``.

Tests that passed or were skipped in an earlier run with the same file are left out. FILE gets a
JSON object a line for each test that ended: ``test``, ``outcome``, ``message``, and what the
test recorded with ``record_property``.
"""

import json
import shutil
from pathlib import Path


def outcomes(file) -> dict[str, dict]:
    """What a file tells of each test, by its name: the latest where it ran more than once."""
    told = (json.loads(line) for line in Path(file).read_text().splitlines())
    return {event["test"]: event for event in told}


def pytest_addoption(parser):
    """Add ``--resume``."""
    parser.addoption("--resume", metavar="FILE", help="leave out what FILE has; add what ends")


def pytest_configure(config):
    file = config.getoption("--resume")
    if file is None:
        return
    before = f"{file}.before"
    if not hasattr(config, "workerinput"):  # workers of pytest-xdist read what their master read
        Path(file).touch()
        shutil.copyfile(file, before)
        config.pluginmanager.register(_Adding(file))
    config.pluginmanager.register(_LeavingOut(before))


class _LeavingOut:
    def __init__(self, file):
        self._done = {t for t, event in outcomes(file).items() if event["outcome"] != "failed"}

    def pytest_collection_modifyitems(self, config, items):
        gone = [item for item in items if item.nodeid in self._done]
        config.hook.pytest_deselected(items=gone)
        items[:] = [item for item in items if item.nodeid not in self._done]


class _Adding:
    def __init__(self, file):
        self._file = file
        self._events = {}  # of tests that have not ended

    def pytest_collectreport(self, report):
        if report.failed:
            self._add(report.nodeid, {"outcome": "failed", "message": str(report.longrepr)})

    def pytest_runtest_logreport(self, report):
        event = self._events.setdefault(report.nodeid, {"outcome": "passed"})
        if report.failed:
            crash = getattr(report.longrepr, "reprcrash", report.longrepr)
            event |= {"outcome": "failed", "message": getattr(crash, "message", str(crash))}
        elif report.skipped:
            event["outcome"] = "skipped"
        # one that ended its process has no teardown
        if report.when == "teardown" or report.failed:
            self._add(report.nodeid, event | dict(report.user_properties))
        if report.when == "teardown":
            del self._events[report.nodeid]

    def _add(self, test, event):
        with open(self._file, "a") as file:
            file.write(json.dumps({"test": test, **event}) + "\n")
