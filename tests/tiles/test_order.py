"""On a GPU everything goes on at the same time: what must wait for what does."""

import gc
import threading
import time

import cupy as cp
import numpy as np
import pytest
import skimage as ski

from skimage_gpu_backend import use_backends
from skimage_gpu_backend.adapt import host_copy, pinned
from skimage_gpu_backend.tiles import arrivals, sources

from .device import MEGABYTE, on_the_device, on_the_simulator, pieces

pytestmark = on_the_simulator
IMAGE = np.random.default_rng(0).random((1501, 300), dtype=np.float32)


@pytest.fixture
def order(monkeypatch):
    """Follows who waits for whom; images of a megabyte are large, pieces are of 64 kB."""
    from .happens_before import Order

    with pieces(64 << 10):
        yield Order(monkeypatch)


CALLS = {
    "halo": lambda: on_the_device(ski.filters.gaussian, IMAGE, 1),
    "several launches": lambda: on_the_device(ski.filters.gaussian, IMAGE, 5),
    "sums": lambda: on_the_device(ski.filters.threshold_otsu, IMAGE),
    "two passes": lambda: on_the_device(ski.exposure.equalize_hist, IMAGE),
    "whole": lambda: on_the_device(ski.transform.integral_image, IMAGE),
    "one after the other": lambda: [on_the_device(ski.filters.sobel, IMAGE + k) for k in (0, 1)],
}


@pytest.mark.parametrize("call", CALLS)
def test_nothing_is_touched_before_it_is_ready_where_the_image_fits(order, call):
    CALLS[call]()
    assert order.accesses > 50
    assert order.races == []


@pytest.mark.parametrize("call", [name for name in CALLS if name != "whole"])
def test_nothing_is_touched_before_it_is_ready_where_it_does_not(order, memory, call):
    with memory(MEGABYTE):
        CALLS[call]()
    assert order.accesses > 50
    assert order.races == []


def test_nothing_is_touched_before_it_is_ready_on_several_devices(order, monkeypatch):
    monkeypatch.setenv("CUDA_SIMULATOR_DEVICES", "2")
    monkeypatch.setenv("SKIMAGE_GPU_DEVICES", "0,1")
    on_the_device(ski.filters.gaussian, IMAGE, 1)
    assert order.races == []


def test_memory_of_kernels_that_still_run_is_not_written_to(order):
    given = cp.asarray(IMAGE)
    on_the_device(ski.filters.gaussian, given, 1)  # nobody waits, and the result is dropped
    on_the_device(ski.filters.gaussian, IMAGE, 1)
    assert order.races == []


@pytest.mark.thorough
def test_after_an_error_nothing_is_on_its_way(order, memory):
    wrong = IMAGE - 1
    with memory(MEGABYTE), use_backends("gpu"):
        with pytest.raises(ValueError, match="non-negative"):
            ski.exposure.adjust_gamma(wrong, 2)
        gc.collect()  # what the error has held
        with pinned.buffers(), pinned.buffers():  # others, for whom nobody has to wait
            on_the_device(ski.exposure.adjust_gamma, IMAGE, 2)
    assert order.races == []


class Careless:
    """A source whose slots are written to at once, whatever still reads them."""

    def __init__(self, image, tiles, depth):
        self._slots = sources.Slots(image, tiles, 1)

    def fetch(self, tile, slot, stream):
        return self._slots.fetch(tile, slot, stream)


def test_a_slot_that_is_written_too_early_is_noticed(order, memory, monkeypatch):
    """The test's test."""
    monkeypatch.setattr(arrivals, "source_of", lambda i, t, d, whole: Careless(i, t, d))
    with memory(MEGABYTE):
        on_the_device(ski.filters.gaussian, IMAGE, 1)
    assert "copy in on stream does not wait for kernel on stream" in order.races


@pytest.mark.parametrize("direction", ["in", "out"])
def test_after_ctrl_c_nobody_gets_a_buffer_that_the_device_still_uses(
    order, monkeypatch, direction
):
    """Where it comes when a copy has begun, and nothing says yet when it is over."""

    def interrupted(*args):
        raise KeyboardInterrupt

    device, stream = cp.asarray(IMAGE), cp.cuda.Stream(non_blocking=True)
    copied = np.empty_like(IMAGE)
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(pinned.Buffers, "busy_until", interrupted)
        if direction == "in":
            pinned.copy_in(IMAGE, device, stream)
        else:
            pinned.copy_out(device, copied, stream)
    pinned.copy_in(IMAGE + 1, cp.empty_like(device), cp.cuda.Stream(non_blocking=True))
    assert order.races == []


def test_after_ctrl_c_no_thread_of_a_copy_still_writes(monkeypatch):
    done, copyto = [], np.copyto

    def slow(target, source):
        if threading.current_thread() is threading.main_thread():
            raise KeyboardInterrupt
        time.sleep(0.1)
        copyto(target, source)
        done.append(len(target))

    monkeypatch.setattr(host_copy, "LEAST", 1)
    monkeypatch.setattr(host_copy, "THREADS", 2)
    target = np.empty_like(IMAGE)
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(np, "copyto", slow)
        host_copy.copy(target, IMAGE)
    assert len(done) == 1


@pytest.mark.parametrize("size", [100, 1501])
def test_an_image_in_pinned_memory_may_be_overwritten_after_the_call(order, size):
    """Small ones, which CuPy copies, and large ones, which cross in pieces."""
    memory = cp.cuda.alloc_pinned_memory(IMAGE.nbytes)
    image = np.frombuffer(memory, IMAGE.dtype, IMAGE.size).reshape(IMAGE.shape)[:size]
    image[...] = IMAGE[:size]
    with use_backends("gpu", output="cupy"):
        ski.filters.sobel(image)
    host_copy.copy(image, IMAGE[:size] + 1)
    assert order.races == []
