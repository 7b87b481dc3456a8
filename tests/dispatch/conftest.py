"""A small backend of another package, and a program in which nothing has been told yet."""

import sys
import textwrap

import pytest

from skimage_gpu_backend import notify
from skimage_gpu_backend.dispatch import registry, selection

_ENTRY_POINTS = """\
[skimage_backend_infos]
{name} = {module}:info
[skimage_backends]
{name} = {module}
"""

_BACKEND = """\
from skimage.util._backends import BackendInformation

calls = []


def info():
    return BackendInformation([{functions}])


def can_has(name, *args, **kwargs):
    calls.append(name)
    return kwargs.get("mode") != "mirror"


def get_implementation(name):
    return lambda *args, **kwargs: "{name} ran " + name.partition(":")[2]

"""


def install_backend(directory, name, functions=("skimage.filters:sobel",), more=""):
    """Write the distribution of a backend, which takes all calls but those with mode="mirror".

    `more` is code that replaces some of it.
    """
    module = f"backend_{name}"
    listed = ", ".join(map(repr, functions))
    text = _BACKEND.format(name=name, functions=listed) + textwrap.dedent(more)
    (directory / f"{module}.py").write_text(text)
    metadata = directory / f"{module}-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(_ENTRY_POINTS.format(name=name, module=module))


@pytest.fixture
def install(tmp_path, monkeypatch):
    """`install_backend` into this process."""
    directory = tmp_path / "others"
    directory.mkdir()
    monkeypatch.syspath_prepend(directory)

    def install(name, *args, **kwargs):
        install_backend(directory, name, *args, **kwargs)
        _forget_backends()
        monkeypatch.delitem(sys.modules, f"backend_{name}", raising=False)

    yield install
    _forget_backends()


_backend = registry.backend  # a test may put something else in its place


def _forget_backends():
    registry._entry_points.cache_clear()
    _backend.cache_clear()
    selection._read.clear()


@pytest.fixture(autouse=True)
def nothing_told(monkeypatch):
    """As at the start of a program: what is told once has not been told."""
    monkeypatch.setattr(notify, "_told", set())
