"""Calls that must run on the device under test."""

import pytest

import cuda_simulator
from skimage_gpu_backend import use_backends
from skimage_gpu_backend.dispatch.observe import observe

MEGABYTE = 1 << 20
on_the_simulator = pytest.mark.skipif(
    not cuda_simulator.active(), reason="the simulator has as little memory as is asked for"
)


def on_the_device(function, *args, **kwargs):
    """Result of a call, which must not have fallen back."""
    with use_backends("gpu"), observe() as calls:
        result = function(*args, **kwargs)
    assert [call.backend for call in calls] == ["gpu"], calls[0].declined
    assert calls[0].source == "kernel"
    return result
