"""Devices, streams and memory of the stand-in, with their errors."""

import gc
from concurrent.futures import ThreadPoolExecutor

import cupy as cp
import numpy as np
import pytest

import skimage_gpu_backend


@pytest.fixture
def nothing_kept():
    """What the backend keeps of arrays of other tests in this process is given back."""
    gc.collect()
    skimage_gpu_backend.free_memory()


def test_the_device_has_properties_to_size_grids_by(mode):
    properties = cp.cuda.runtime.getDeviceProperties(0)
    assert properties["multiProcessorCount"] >= 1
    assert properties["maxThreadsPerMultiProcessor"] >= 256
    assert cp.cuda.Device(0).compute_capability == "90"
    assert cp.is_available()


def test_without_a_device_everything_says_so(monkeypatch):
    monkeypatch.setenv("CUDA_SIMULATOR_DEVICES", "0")
    assert not cp.is_available()
    for call in (cp.cuda.runtime.getDevice, cp.cuda.runtime.getDeviceCount, lambda: cp.empty(3)):
        with pytest.raises(cp.cuda.runtime.CUDARuntimeError, match="cudaErrorNoDevice"):
            call()


def test_one_of_several_devices_is_current_in_a_with_block(monkeypatch):
    monkeypatch.setenv("CUDA_SIMULATOR_DEVICES", "2")
    assert cp.cuda.runtime.getDevice() == 0
    with cp.cuda.Device(1) as device:
        assert device.id == cp.cuda.runtime.getDevice() == 1
        array = cp.zeros(3)
        assert array.device.id == 1
    assert array.device == cp.cuda.Device(1)
    assert cp.cuda.runtime.getDevice() == 0
    with pytest.raises(cp.cuda.runtime.CUDARuntimeError, match="cudaErrorInvalidDevice"):
        cp.cuda.Device(2).use()


def test_streams_are_current_in_a_with_block():
    stream = cp.cuda.Stream(non_blocking=True)
    assert cp.cuda.get_current_stream() is cp.cuda.Stream.null
    with stream:
        assert cp.cuda.get_current_stream() is stream
    assert cp.cuda.get_current_stream() is cp.cuda.Stream.null
    stream.synchronize()
    start, end = cp.cuda.Event(), cp.cuda.Event()
    start.record()
    end.record(stream)
    end.synchronize()
    assert cp.cuda.get_elapsed_time(start, end) >= 0


def test_memory_has_a_limit_and_is_given_back(nothing_kept, monkeypatch):
    pool = cp.get_default_memory_pool()
    before = pool.used_bytes()
    monkeypatch.setenv("CUDA_SIMULATOR_MEMORY", str(before + 1000))
    held = cp.empty(900, np.uint8)
    assert pool.used_bytes() == before + 900
    assert cp.cuda.runtime.memGetInfo() == (100, before + 1000)
    with pytest.raises(cp.cuda.memory.OutOfMemoryError, match="Out of memory allocating 200 bytes"):
        cp.empty(200, np.uint8)
    view = held[10:]
    del held
    assert pool.used_bytes() == before + 900  # the view holds it
    del view
    assert pool.used_bytes() == before
    cp.empty(900, np.uint8)
    pool.free_all_blocks()


def test_memory_that_was_not_set_is_nan_in_strict_mode(strict):
    assert np.isnan(cp.empty(100, np.float32).get()).all()
    assert np.isnan(cp.empty(100, np.float16).get()).all()
    assert (cp.empty((3, 4), np.int32).get() != 0).all()


def test_arrays_are_aligned_as_cupy_aligns_them():
    assert all(cp.empty(n, np.uint8).data.ptr % 256 == 0 for n in (1, 3, 1000, 100_000))
    assert cp.empty(0).data.ptr == 0


def test_each_device_has_a_memory_and_a_bound_of_its_own(monkeypatch):
    monkeypatch.setenv("CUDA_SIMULATOR_DEVICES", "2")
    pool = cp.get_default_memory_pool()
    with cp.cuda.Device(1):
        pool.free_all_blocks()
        pool.set_limit(size=pool.used_bytes() + 1000)
        held = cp.empty(900, np.uint8)
        with pytest.raises(cp.cuda.memory.OutOfMemoryError):
            cp.empty(200, np.uint8)
    elsewhere = cp.empty(200, np.uint8)
    assert (held.device.id, elsewhere.device.id) == (1, 0)
    with cp.cuda.Device(1):
        before = pool.free_bytes()
        del held
        assert pool.free_bytes() == before + 900
        pool.set_limit(size=0)
        assert pool.get_limit() == 0


def test_each_thread_has_a_current_device_of_its_own(monkeypatch):
    monkeypatch.setenv("CUDA_SIMULATOR_DEVICES", "2")
    with cp.cuda.Device(1), ThreadPoolExecutor(1) as other:
        assert other.submit(cp.cuda.runtime.getDevice).result() == 0
        assert cp.cuda.runtime.getDevice() == 1


@pytest.mark.thorough
def test_blocks_that_are_kept_make_room_for_others_before_there_is_no_memory(
    nothing_kept, monkeypatch
):
    pool = cp.get_default_memory_pool()
    pool.free_all_blocks()
    monkeypatch.setenv("CUDA_SIMULATOR_MEMORY", str(pool.used_bytes() + 1000))
    cp.empty(900, np.uint8)
    cp.empty(800, np.uint8)
    assert pool.free_bytes() == 800
    assert cp.cuda.runtime.memGetInfo()[0] == 200  # as CUDA sees it


def test_pinned_memory_is_a_buffer():
    memory = cp.cuda.alloc_pinned_memory(100)
    host = np.frombuffer(memory, np.float32, 10)
    host[...] = 3
    device = cp.empty(10, np.float32)
    device.set(host, stream=cp.cuda.Stream(non_blocking=True))
    host[...] = 0
    device.get(out=host, blocking=False)
    assert (host == 3).all()
