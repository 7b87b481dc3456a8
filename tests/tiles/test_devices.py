"""Tiles spread over several devices."""

import threading

import cupy as cp
import numpy as np
import pytest
import skimage as ski

import skimage_gpu_backend as backend
from skimage_gpu_backend import use_backends
from skimage_gpu_backend.dispatch.observe import observe
from skimage_gpu_backend.tiles.run import Cut

from .device import MEGABYTE, on_the_device, on_the_simulator, pieces

pytestmark = on_the_simulator


@pytest.fixture
def three(monkeypatch):
    """Three devices; images of a megabyte are large, pieces are of 512 kB."""
    monkeypatch.setenv("CUDA_SIMULATOR_DEVICES", "3")
    with pieces(MEGABYTE // 2):
        yield


@pytest.fixture
def tiles_of_devices(monkeypatch):
    """Numbers of the devices that `sobel` runs on, a tile each; both meet at their first."""
    seen = []
    meet = threading.Barrier(2, timeout=60)
    compute = Cut._compute

    def watched(cut, tile, parts):
        (image,) = parts.values()
        here = cp.cuda.runtime.getDevice(), image.device.id
        seen.append(here)
        if seen.count(here) == 1:
            meet.wait()
        return compute(cut, tile, parts)

    monkeypatch.setattr(Cut, "_compute", watched)
    return seen


def test_tiles_are_spread_over_the_devices_that_are_named(
    three, tiles_of_devices, volume, monkeypatch
):
    expected = ski.filters.sobel(volume)
    monkeypatch.setenv("SKIMAGE_GPU_DEVICES", "2,0")
    result = on_the_device(ski.filters.sobel, volume)
    np.testing.assert_allclose(result, expected, atol=1e-6)
    assert {number for number, _ in tiles_of_devices} == {0, 2}
    assert all(number == image for number, image in tiles_of_devices)
    assert len(tiles_of_devices) >= 8


@pytest.mark.thorough
def test_results_of_several_devices_are_equal_also_where_none_has_room(
    three, memory, volume, monkeypatch
):
    expected = on_the_device(ski.filters.gaussian, volume, 2)
    monkeypatch.setenv("SKIMAGE_GPU_DEVICES", "0,1,2")
    with memory(2 * MEGABYTE):
        result = on_the_device(ski.filters.gaussian, volume, 2)
    np.testing.assert_array_equal(result, expected)


@pytest.mark.thorough
def test_the_limit_holds_on_each_of_them(three, volume, monkeypatch):
    expected = on_the_device(ski.filters.gaussian, volume, 2)
    backend.free_memory()
    monkeypatch.setenv("SKIMAGE_GPU_DEVICES", "0,1,2")
    monkeypatch.setenv("SKIMAGE_GPU_MEMORY_LIMIT", "3M")
    result = on_the_device(ski.filters.gaussian, volume, 2)
    np.testing.assert_array_equal(result, expected)
    told = backend.memory()["devices"]
    assert list(told) == [0, 1, 2]
    assert all(device["limit"] == 3 * MEGABYTE for device in told.values())
    assert all(device["used"] + device["cached"] <= 3 * MEGABYTE for device in told.values())
    monkeypatch.delenv("SKIMAGE_GPU_MEMORY_LIMIT")
    assert all(device["limit"] is None for device in backend.memory()["devices"].values())


def test_an_error_on_one_of_the_devices_ends_the_call(three, monkeypatch):
    monkeypatch.setenv("SKIMAGE_GPU_DEVICES", "0,1")
    image = np.full((900, 1000), 0.5)
    image[-1, -1] = -0.5
    with use_backends("gpu"), pytest.raises(ValueError, match="non-negative values"):
        ski.exposure.adjust_gamma(image, 2)


def test_a_device_that_does_not_exist_is_reported_at_the_first_call_however_small(
    three, monkeypatch, however_small
):
    monkeypatch.setenv("SKIMAGE_GPU_DEVICES", "7")
    with use_backends("gpu"), pytest.warns(UserWarning) as told:
        ski.filters.sobel(np.eye(9))
        ski.filters.prewitt(np.eye(9))
    (message,) = [str(each.message) for each in told]
    assert message.startswith("SKIMAGE_GPU_DEVICES names device 7, but there are devices 0 to 2")
    assert told[0].filename == __file__


@pytest.mark.parametrize(
    ("text", "told"), [("0,3", "names device 3, but there are devices 0 to 2"), ("a", "it is 'a'")]
)
def test_a_device_that_is_not_there_is_told(three, volume, monkeypatch, text, told):
    monkeypatch.setenv("SKIMAGE_GPU_DEVICES", text)
    with use_backends("gpu"), observe() as calls:
        ski.filters.sobel(volume)
    assert calls[0].backend is None
    assert told in calls[0].declined[0][1]
