"""A configuration directory of the test's own, read anew."""

import pytest

from skimage_gpu_backend.sizes import least, machine, table


@pytest.fixture
def configuration(tmp_path, monkeypatch):
    """The user's configuration directory; nothing that was read before is remembered."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("SKIMAGE_GPU_SIMULATOR_SIZES", "1")
    least.forget()
    yield tmp_path
    least.forget()


@pytest.fixture
def stored(configuration):
    """Puts a device's table there, as `tune` does.

    Takes the functions, the costs, the device, and what differs in the key.
    """

    def store(functions, costs=None, device="gpu", **changes):
        key = machine.key(device) | changes
        kept = table.Table(table.path_of(key, device), key, costs, functions)
        kept.store()
        return kept.path

    return store


def crossing_at(elements):
    """Times of both sides that are equal at so many elements."""
    return [[elements / 2, 1.0, 1.5], [2 * elements, 4.0, 3.0]]
