"""Programs in fresh interpreters, for what only a whole program shows; dispatching turned on."""

import logging
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings

import skimage_gpu_backend
from tests.thinning import thin

# a result that nobody has written is not to look right since the memory held it before
os.environ.setdefault("CUDA_SIMULATOR_POISON", "1")

# a kernel is compiled at its first launch; other examples than the last run's are `tests.fuzz`'s
settings.register_profile("tests", deadline=None, derandomize=True)
settings.load_profile("tests")

ROOT = Path(__file__).parent.parent
_VARIABLES = ("SKIMAGE_", "CUDA_SIMULATOR_")


class Programs:
    """Runs Python as a user of an installed package does, in a directory of its own."""

    def __init__(self, directory):
        self.directory = directory
        # the checkout takes part as an installed package: its .pth file is processed
        site = directory / "site"
        site.mkdir()
        (site / "sitecustomize.py").write_text(f"import site\nsite.addsitedir({str(ROOT)!r})\n")
        self.path = [str(site), str(ROOT)]  # before what else is installed

    def __call__(self, *command, python=sys.executable, check=True, **environment):
        """Result of `python *command` with nothing but `environment` selecting anything."""
        inherited = {k: v for k, v in os.environ.items() if not k.startswith(_VARIABLES)}
        inherited |= {"PYTHONPATH": os.pathsep.join(self.path), "PYTHONDONTWRITEBYTECODE": "1"}
        done = subprocess.run(
            [python, *map(str, command)],
            cwd=self.directory,
            env=inherited | environment,
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert not check or done.returncode == 0, done.stderr
        return done

    def script(self, text, name="script.py"):
        """Path of a new script."""
        path = self.directory / name
        path.write_text(text)
        return path


@pytest.fixture
def python(tmp_path):
    """Runs programs in fresh interpreters: ``python("-c", code, SKIMAGE_BACKENDS="gpu")``."""
    directory = tmp_path / "programs"
    directory.mkdir()
    return Programs(directory)


@pytest.fixture
def scikit_image_source():
    """scikit-image's tests and examples are here, or the package index has given them."""
    from tests.conformance import source

    try:
        source.tests()
    except SystemExit as error:
        pytest.skip(str(error))


@pytest.fixture(autouse=True)
def restored(request):
    """scikit-image's functions are as they were, but in tests that take `enabled`.

    From one of these to the next they stay dispatchable, since it takes its time.
    """
    if "enabled" not in request.fixturenames:
        skimage_gpu_backend.disable()


@pytest.fixture
def enabled(restored):
    """scikit-image's functions are dispatchable."""
    skimage_gpu_backend.enable()


@pytest.fixture
def however_small(enabled, monkeypatch):
    """scikit-image's functions are dispatched, however small the images, and nothing is told."""
    monkeypatch.setenv("SKIMAGE_BACKENDS_MIN_SIZE", "0")
    monkeypatch.setenv("SKIMAGE_BACKENDS_NOTIFY", "none")


@pytest.fixture
def kept_environment(monkeypatch):
    """For commands that run in this process, and set these variables."""
    monkeypatch.setenv("SKIMAGE_BACKENDS_MIN_SIZE", "0")
    monkeypatch.setenv("SKIMAGE_BACKENDS_NOTIFY", "none")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    thin(items)


class Mistakes(logging.Handler):
    """Calls that a planner could not plan, or that failed, and that scikit-image has run."""

    def __init__(self):
        super().__init__(logging.INFO)
        self.seen = []

    def emit(self, record):
        if record.exc_info or record.name == _FAILURES:
            self.seen.append(self.format(record))


_FAILURES = "skimage_gpu_backend.failures"
_mistakes = Mistakes()


def pytest_configure(config):
    for name in ("skimage_gpu_backend.planning", _FAILURES):
        log = logging.getLogger(name)
        log.addHandler(_mistakes)
        log.setLevel(logging.INFO)


@pytest.fixture(autouse=True)
def mistakes():
    """Calls of this test that could not be planned; it fails unless it has dealt with them."""
    _mistakes.seen.clear()
    yield _mistakes.seen
    assert not _mistakes.seen, "\n".join(_mistakes.seen)


@pytest.fixture(autouse=True)
def seeded(request):
    """A module's generator, `RNG`, begins anew: no test's images depend on those before it."""
    if generator := getattr(request.module, "RNG", None):
        generator.bit_generator.state = np.random.default_rng(0).bit_generator.state
