"""``pytest -p skimage_gpu_backend.pytest_plugin``: somebody's tests with the backend on.

A selection that the environment makes is kept, else ``gpu`` is selected, for child processes
too. At the end a summary tells what ran where; with pytest-xdist, of all workers.
``--skimage-gpu-json=FILE`` writes it for programs.
"""

import os

import pytest

from .dispatch.startup import start_selected
from .profiling.profile import Profile, profile
from .profiling.report import write_json

_KEY = "skimage_gpu_backend"


def pytest_addoption(parser):
    """Add ``--skimage-gpu-json``."""
    group = parser.getgroup("skimage-gpu-backend")
    group.addoption("--skimage-gpu-json", metavar="FILE", help="write the summary as JSON")


def pytest_configure(config):
    """Select the backend and begin to watch."""
    os.environ.setdefault("SKIMAGE_BACKENDS_NOTIFY", "none")  # the summary tells
    start_selected()
    config.pluginmanager.register(_Watching(), _KEY)


class _Watching:
    def __init__(self):
        self._context = profile()
        self.profile = self._context.__enter__()

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session):
        self._context.__exit__(None, None, None)
        if hasattr(session.config, "workeroutput"):  # in a worker of pytest-xdist
            session.config.workeroutput[_KEY] = self.profile.to_plain()

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node, error):
        told = getattr(node, "workeroutput", {}).get(_KEY)
        if told is not None:
            self.profile.merge(Profile.from_plain(told))

    def pytest_report_header(self):
        from ._status import status

        now = status()
        return f"scikit-image backends: {now['selected']}; GPU: {now['GPU']}"

    def pytest_terminal_summary(self, terminalreporter, config):
        terminalreporter.section("scikit-image's functions")
        terminalreporter.write(str(self.profile))
        if file := config.getoption("--skimage-gpu-json"):
            write_json(self.profile, file)
