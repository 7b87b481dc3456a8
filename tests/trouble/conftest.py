"""Dispatching on, everything told, and a device that is found anew, also after it was lost."""

import sys

import pytest

import cuda_simulator
import skimage_gpu_backend


@pytest.fixture(autouse=True)
def found_again(monkeypatch):
    """Nothing is left of a lost device, and no traceback of a destructor is printed."""
    if not cuda_simulator.active():
        pytest.skip("a GPU does not fail when it is told to")
    from skimage_gpu_backend import availability

    raised = []
    monkeypatch.setattr(sys, "unraisablehook", raised.append)
    monkeypatch.setattr(availability, "_state", None)
    monkeypatch.setenv("SKIMAGE_BACKENDS_MIN_SIZE", "0")
    monkeypatch.setenv("SKIMAGE_BACKENDS_NOTIFY", "all")
    skimage_gpu_backend.enable()
    yield
    skimage_gpu_backend.disable()
    assert [str(unraisable.exc_value) for unraisable in raised] == []
