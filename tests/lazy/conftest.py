"""Where the calls of chunks run."""

import pytest


@pytest.fixture(params=["device", "host"])
def place(request, enabled, monkeypatch):
    """Where the chunks' calls run."""
    monkeypatch.setenv("SKIMAGE_BACKENDS_MIN_SIZE", "0" if request.param == "device" else "1T")
    monkeypatch.setenv("SKIMAGE_BACKENDS_NOTIFY", "none")
    return request.param


@pytest.fixture
def on_host(enabled, monkeypatch):
    monkeypatch.setenv("SKIMAGE_BACKENDS_MIN_SIZE", "1T")
    monkeypatch.setenv("SKIMAGE_BACKENDS_NOTIFY", "none")
