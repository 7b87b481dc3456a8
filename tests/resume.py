"""A pytest plugin for runs that are cut: ``-p tests.resume --resume FILE``.

Tests that passed or were skipped in an earlier run with the same file are left out.
"""

import shutil
from pathlib import Path

from tests.done import Done


def pytest_addoption(parser):
    """Add ``--resume``."""
    parser.addoption("--resume", metavar="FILE", help="leave out what FILE has; add what ends well")


def pytest_configure(config):
    file = config.getoption("--resume")
    if file is None:
        return
    before = f"{file}.before"
    if not hasattr(config, "workerinput"):  # workers of pytest-xdist read what their master read
        Path(file).touch()
        shutil.copyfile(file, before)
        config.pluginmanager.register(_Adding(Done(file)))
    config.pluginmanager.register(_LeavingOut(Done(before)))


class _LeavingOut:
    def __init__(self, done):
        self._done = done

    def pytest_collection_modifyitems(self, config, items):
        gone = [item for item in items if item.nodeid in self._done]
        config.hook.pytest_deselected(items=gone)
        items[:] = [item for item in items if item.nodeid not in self._done]


class _Adding:
    def __init__(self, done):
        self._done = done
        self._failed = set()

    def pytest_runtest_logreport(self, report):
        if report.failed:
            self._failed.add(report.nodeid)
        elif report.when == "teardown" and report.nodeid not in self._failed:
            self._done.add(report.nodeid)
