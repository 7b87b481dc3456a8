"""Calls that must run on the device under test, and images that are large on it."""

import contextlib
from unittest import mock

import pytest

import cuda_simulator
from skimage_gpu_backend import use_backends
from skimage_gpu_backend.adapt import pinned
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


@contextlib.contextmanager
def pieces(size, large=MEGABYTE):
    """Images of `large` bytes cross the bus in pieces of `size` bytes."""
    with mock.patch.multiple(pinned, LARGE=large, PIECE=size):
        pinned.forget()
        yield
        pinned.forget()
