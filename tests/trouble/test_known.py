"""What a GPU was found to do otherwise than was thought."""

import threading

import numpy as np
import pytest
import skimage as ski

from cuda_simulator import faults
from skimage_gpu_backend import use_backends
from skimage_gpu_backend.adapt import managed
from skimage_gpu_backend.adapt.resident import block_of

from .failing import ERRORS, UNSUPPORTED, Device, _of_cuda, told

pytestmark = pytest.mark.filterwarnings("ignore::skimage.util._backends.DispatchNotification")
IMAGE = ski.data.camera()[:200, :160] / 255


@pytest.mark.parametrize("make", ERRORS["sort"], ids=["MemoryError", "RuntimeError"])
def test_what_thrust_raises_ends_on_scikit_image(make):
    expected = ski.filters.threshold_li(IMAGE)
    device = Device(("sort",), 0, make)
    with use_backends("gpu"), told() as reasons, faults.observed(device):
        assert ski.filters.threshold_li(IMAGE) == pytest.approx(expected, rel=1e-12)
    assert device.has_failed
    assert str(make()) in reasons[0]


def test_managed_memory_that_the_driver_refuses_is_ordinary_memory(monkeypatch):
    """As on some virtual GPUs and parts of GPUs, which say that they have it."""
    managed.free_kept()
    expected = ski.filters.sobel(ski.filters.gaussian(IMAGE, 2))
    refused = Device(("managed",), 0, _of_cuda(UNSUPPORTED), for_good=True)
    monkeypatch.setenv("SKIMAGE_BACKENDS_NOTIFY", "fallback")
    monkeypatch.setattr("skimage_gpu_backend.notify._told", set())
    text = "driver gives no managed memory: cudaErrorNotSupported"
    with (
        use_backends("gpu", output="resident"),
        faults.observed(refused),
        pytest.warns(match=text) as seen,
    ):
        smooth = ski.filters.gaussian(IMAGE, 2)
        edges = ski.filters.sobel(smooth)
    assert [each.category for each in seen].count(ski.util.PendingSkimage2Change) == len(seen) - 1
    assert refused.has_failed
    assert block_of(edges) is None
    np.testing.assert_allclose(edges, expected, atol=1e-10)


def test_threads_with_streams_of_their_own_do_not_share_blocks(monkeypatch):
    """One thread's kernels may still run on what the other one gets to write to."""
    monkeypatch.setenv("CUPY_CUDA_PER_THREAD_DEFAULT_STREAM", "1")
    places, done, held = {}, threading.Event(), threading.Event()

    def run(name):
        with use_backends("gpu", output="resident"):
            places[name] = ski.filters.sobel(IMAGE).ctypes.data
            places[name, "again"] = ski.filters.sobel(IMAGE).ctypes.data
        done.set()
        if name == "first":
            held.wait(60)  # its stream ends with it

    managed.free_kept()
    first = threading.Thread(target=run, args=("first",))
    second = threading.Thread(target=run, args=("second",))
    first.start()
    done.wait(60)
    second.start()
    second.join()
    held.set()
    first.join()
    assert places["first"] == places["first", "again"]
    assert places["first"] != places["second"]
    with use_backends("gpu", output="resident"):
        third = ski.filters.sobel(IMAGE)  # of this thread
    assert all(key[1]() is not None for key in managed._kept), "kept for a thread that is no more"
    del third
