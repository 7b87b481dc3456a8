"""A failing device where more than one plain call is concerned."""

import contextlib
import gc

import cupy as cp
import numpy as np
import pytest
import skimage as ski

from cuda_simulator import faults
from skimage_gpu_backend import interface, profile, use_backends
from skimage_gpu_backend.adapt import managed
from skimage_gpu_backend.adapt.resident import block_of
from skimage_gpu_backend.tiles import start
from tests.tiles.device import MEGABYTE, pieces

from .failing import ERRORS, Device, lost, told

pytestmark = [
    pytest.mark.thorough,
    pytest.mark.filterwarnings("ignore::skimage.util._backends.DispatchNotification"),
]
IMAGE = ski.data.camera()[:200, :160] / 255


@pytest.fixture
def two_pieces():
    """Images of a megabyte are large; they cross the bus in two pieces and more."""
    with pieces(MEGABYTE // 2):
        yield


@pytest.fixture
def volume():
    return np.random.default_rng(0).random((40, 163, 163), dtype=np.float32)


def test_thrust_without_memory_is_the_pool_without_memory(volume, monkeypatch):
    """A call that can be cut is: it runs in tiles, on the device."""

    def whole(run, call):
        cp.sort(cp.ones(2))
        return call_on_device(run, call)

    call_on_device = start.call_on_device
    monkeypatch.setattr(start, "call_on_device", whole)
    expected = ski.filters.sobel(volume)
    device = Device(("sort",), 0, ERRORS["sort"][0])
    with use_backends("gpu"), told() as reasons, faults.observed(device):
        result = ski.filters.sobel(volume)
    assert device.has_failed
    assert reasons == []
    np.testing.assert_allclose(result, expected, atol=1e-6)


@pytest.mark.parametrize("kind", [np.asarray, cp.asarray], ids=["numpy", "cupy"])
@pytest.mark.parametrize("operation", ["allocation", "launch", "to_host", "to_device"])
def test_out_has_scikit_images_result(kind, operation):
    expected = ski.filters.gaussian(IMAGE, 2)
    image, out = kind(IMAGE), kind(np.full(IMAGE.shape, 7.0))
    device = Device((operation,), 0, ERRORS[operation][0])
    with use_backends("gpu"), told(), faults.observed(device):
        assert ski.filters.gaussian(image, 2, out=out) is out
    np.testing.assert_allclose(cp.asnumpy(out), expected, atol=1e-12)


def test_an_image_that_is_its_own_out_is_filtered_once():
    expected = ski.filters.gaussian(IMAGE, 2)
    healthy = Device()
    with use_backends("gpu"), faults.observed(healthy):
        ski.filters.gaussian(IMAGE.copy(), 2, out=IMAGE.copy())
        given = cp.asarray(IMAGE)
        ski.filters.gaussian(given, 2, out=given)
    for kind in (np.array, cp.array):
        for at in range(sum(met == "launch" for met in healthy.met)):
            image = kind(IMAGE)
            device = Device(("launch",), at, ERRORS["launch"][0])
            with use_backends("gpu"), told(), faults.observed(device):
                ski.filters.gaussian(image, 2, out=image)
            np.testing.assert_allclose(cp.asnumpy(image), expected, atol=1e-12)


@pytest.mark.parametrize("part", range(5))
def test_layers_of_a_pyramid_go_on_where_the_device_is_lost(part):
    expected = list(ski.transform.pyramid_gaussian(IMAGE, max_layer=4))
    healthy = Device()
    with use_backends("gpu"), told() as reasons, faults.observed(healthy):
        list(ski.transform.pyramid_gaussian(IMAGE, max_layer=4))
    assert reasons == []
    device = lost(part * len(healthy.met) // 5)
    with use_backends("gpu"), told() as reasons, faults.observed(device):
        layers = list(ski.transform.pyramid_gaussian(IMAGE, max_layer=4))
        gc.collect()
    assert "lost to this process" in reasons[0]
    for layer, theirs in zip(layers, expected, strict=True):
        np.testing.assert_allclose(layer, theirs, atol=1e-10)


@pytest.mark.parametrize("array", [np.array, cp.array], ids=["numpy", "cupy"])
@pytest.mark.parametrize("kept", range(1, 4))
def test_layers_of_a_pyramid_go_on_from_what_the_caller_has_made_of_the_last(array, kept):
    def changed(image, failing):
        layers, found = ski.transform.pyramid_gaussian(image, max_layer=4), []
        for _ in range(kept):
            layer = next(layers)
            layer *= 0.5
        with failing:
            found = [next(layers), *layers]
        return [cp.asnumpy(layer) for layer in (layer, *found)]

    expected = changed(IMAGE.copy(), contextlib.nullcontext())
    device = Device(("launch",), 0, ERRORS["launch"][0])
    with use_backends("gpu"), told() as reasons:
        found = changed(array(IMAGE), faults.observed(device))
    assert device.has_failed and reasons
    for layer, theirs in zip(found, expected, strict=True):
        np.testing.assert_allclose(layer, theirs, atol=1e-10)


@pytest.mark.parametrize("devices", ["", "0,1"], ids=["one", "two"])
@pytest.mark.parametrize("part", range(5))
def test_tiles_end_where_the_device_is_lost(two_pieces, volume, monkeypatch, devices, part):
    monkeypatch.setenv("CUDA_SIMULATOR_DEVICES", "2")
    monkeypatch.setenv("SKIMAGE_GPU_DEVICES", devices)
    expected = ski.filters.sobel(volume)
    last = 1 if devices else 0
    healthy = Device(device=last)
    with use_backends("gpu"), told() as reasons, faults.observed(healthy):
        ski.filters.sobel(volume)
    assert reasons == []
    assert {"stream", "event", "wait"} <= set(healthy.met)
    device = lost(part * len(healthy.met) // 5, device=last)
    with use_backends("gpu"), told() as reasons, faults.observed(device):
        result = ski.filters.sobel(volume)
        gc.collect()
    # which of two devices has how many tiles is open
    assert device.has_failed or (devices and part)
    assert ["lost to this process" in reason for reason in reasons] == [True] * device.has_failed
    np.testing.assert_allclose(result, expected, atol=1e-6)


@pytest.mark.parametrize("operation", ["pinned", "stream", "event", "wait", "launch", "to_host"])
def test_tiles_end_where_an_operation_fails(two_pieces, volume, operation):
    expected = ski.filters.sobel(volume)
    device = Device((operation,), 1, ERRORS[operation][0])
    with use_backends("gpu"), told() as reasons, faults.observed(device):
        result = ski.filters.sobel(volume)
    assert device.has_failed
    assert reasons or operation == "pinned"
    np.testing.assert_allclose(result, expected, atol=1e-6)


def test_a_device_that_is_lost_ends_no_profile(tmp_path):
    with use_backends("gpu"), told() as reasons, profile(trace=True) as watched:
        ski.filters.sobel(IMAGE)
        with faults.observed(lost(3)):
            ski.filters.sobel(IMAGE)
            watched.trace.save(tmp_path / "trace.json")
    assert len(reasons) == 1


@pytest.mark.parametrize("operation", ["managed", "prefetch"])
def test_one_refusal_is_no_end_of_resident_results(operation):
    managed.free_kept()
    expected = ski.filters.sobel(ski.filters.gaussian(IMAGE, 2))
    with use_backends("gpu", output="resident"):
        smooth = ski.filters.gaussian(IMAGE, 2)
        managed.free_kept()
        device = Device((operation,), 0, ERRORS[operation][0])
        with faults.observed(device), told() as reasons:
            edges = ski.filters.sobel(smooth)
    assert device.has_failed
    assert reasons == []
    np.testing.assert_allclose(edges, expected, atol=1e-10)


@pytest.mark.parametrize("at", [0, 4, 8])
def test_resident_images_are_filtered_on_the_cpu_where_the_device_is_lost(at):
    with use_backends("gpu", output="resident"):
        smooth = ski.filters.gaussian(IMAGE, 2)
        assert block_of(smooth)
        kept = smooth.copy()
        with told() as reasons, faults.observed(lost(at)):
            edges = ski.filters.sobel(smooth)
            del smooth
            gc.collect()
            managed.free_kept()
    assert "lost to this process" in reasons[0]
    np.testing.assert_allclose(edges, ski.filters.sobel(kept), atol=1e-10)


def test_trouble_while_a_dispatcher_asks_ends_on_scikit_image():
    """Two numbers on the device are read to decide."""
    gaussian = interface.gpu.get_implementation("skimage.filters:gaussian")
    device = Device(("to_host",), 0, ERRORS["to_host"][0])
    with use_backends("gpu"), told() as reasons, faults.observed(device):
        result = gaussian(cp.asarray(IMAGE), cp.array([1.0, 2]))
    assert "CUDARuntimeError: cudaErrorMemoryAllocation" in reasons[0]
    np.testing.assert_array_equal(result.get(), ski.filters.gaussian(IMAGE, (1, 2)))


FORKED = """
import os, signal
import skimage as ski
from cuda_simulator import faults
from tests.trouble.failing import lost, told

image = ski.data.camera()[:200, :160] / 255
smooth = ski.filters.gaussian(image, 2)
with faults.observed(lost()), told() as reasons:
    ski.filters.sobel(image)
    child = os.fork()
    if child == 0:
        found = ski.filters.sobel(image)
    else:
        assert os.waitpid(child, 0)[1] == 0
        found = ski.filters.sobel(image)
        if os.fork() == 0:
            os._exit(int(smooth[5, 5] == 0))
        read = os.WTERMSIG(os.wait()[1]) != signal.SIGSEGV  # what was there is lost
print("child" if child == 0 else "parent", len(reasons), found.sum(), flush=True)
if child == 0:
    os._exit(0)
print(read)
"""


def test_a_process_whose_device_is_lost_forks(python):
    done = python(
        "-c",
        FORKED,
        SKIMAGE_BACKENDS="gpu",
        SKIMAGE_BACKENDS_MIN_SIZE="0",
        SKIMAGE_GPU_SIMULATOR="1",
        SKIMAGE_BACKENDS_NOTIFY="all",
        SKIMAGE_GPU_RESIDENT="1",
    )
    (child, *theirs), (parent, *mine), (read,) = map(str.split, done.stdout.splitlines())
    assert (child, parent) == ("child", "parent")
    assert theirs == mine
    assert theirs[0] == "2"
    assert read == "False"
    assert "Traceback" not in done.stderr
