"""Managed memory: host and device see the same values, and crossings are counted."""

import ctypes
import os
import threading

import cupy as cp
import numpy as np
import pytest

from cuda_simulator import counters

TWICE = """
__global__ void twice(double* values, long long n) {
    for (long long i = threadIdx.x; i < n; i += blockDim.x) values[i] *= 2;
}
"""


def managed(values):
    """A device array in managed memory, and the host's array over the same memory."""
    with cp.cuda.using_allocator(cp.cuda.malloc_managed):
        device = cp.empty(values.shape, values.dtype)
    device[...] = cp.asarray(values)
    return device, over(device)


def over(device):
    buffer = (ctypes.c_ubyte * device.nbytes).from_address(device.data.ptr)
    buffer.memory = device.data.mem
    return np.ndarray(device.shape, device.dtype, buffer)


def crossings(c):
    return c.to_host, c.bytes_to_host, c.to_device, c.bytes_to_device


def test_both_sides_see_what_the_other_one_wrote():
    device, host = managed(np.arange(5000.0))
    host[7] = -1
    device += 1
    assert (host[7], host[8]) == (0, 9)
    assert float(device[7]) == 0


def test_only_the_first_access_after_the_other_sides_crosses():
    device, host = managed(np.arange(5000.0))
    with counters.counting() as c:
        assert host.sum() == np.arange(5000).sum()
        host[3] = 8
    assert crossings(c) == (1, 40000, 0, 0)
    with counters.counting() as c:
        device *= 2
        device += 1
        host.max()
        host.min()
    assert crossings(c) == (1, 40000, 1, 40000)
    assert (host[3], host[4]) == (17, 9)


def test_a_kernel_fetches_what_the_host_has(kernel, mode):
    twice = kernel(TWICE, "twice")
    device, host = managed(np.ones(3000))
    with counters.counting() as c:
        host += 1
        twice((1,), (32,), (device, 3000))
        assert (host == 4).all()
    assert crossings(c) == (2, 48000, 1, 24000)


def test_a_view_of_managed_memory_that_the_host_made_is_the_same_memory():
    device, host = managed(np.arange(6000.0))
    part = host[10:4000:3]
    offset = part.ctypes.data - device.data.ptr
    memory = cp.cuda.UnownedMemory(device.data.ptr, device.nbytes, device)
    again = cp.ndarray(part.shape, part.dtype, cp.cuda.MemoryPointer(memory, offset), part.strides)
    assert again.data.ptr == part.ctypes.data
    with counters.counting() as c:
        again[...] = 5
    assert crossings(c) == (0, 0, 0, 0), "the device had it"
    np.testing.assert_array_equal(host[8:15], [8, 9, 5, 11, 12, 5, 14])


def test_prefetching_brings_memory_to_the_device():
    device, host = managed(np.ones(3000))
    with counters.counting() as c:
        host[0] = 2
        cp.cuda.runtime.memPrefetchAsync(device.data.ptr, device.nbytes, 0, 0)
    assert crossings(c) == (1, 24000, 1, 24000)
    with counters.counting() as c:
        assert float(device.sum()) == 3001
    assert c.to_device == 0
    with pytest.raises(cp.cuda.runtime.CUDARuntimeError):
        cp.cuda.runtime.memPrefetchAsync(cp.ones(9).data.ptr, 72, 0, 0)


def test_system_calls_reach_it_where_nothing_counts(tmp_path):
    device, host = managed(np.arange(9000.0))
    device += 1
    host.tofile(tmp_path / "file")
    np.testing.assert_array_equal(np.fromfile(tmp_path / "file"), np.arange(9000) + 1)
    with open(tmp_path / "file", "rb", buffering=0) as file:
        host[...] = 0
        file.readinto(host)
    assert float(device.sum()) == (np.arange(9000) + 1).sum()


def test_memory_comes_back_when_nothing_holds_it(monkeypatch):
    monkeypatch.setenv("CUDA_SIMULATOR_MEMORY", str(1 << 40))

    def taken():
        cp.get_default_memory_pool().free_all_blocks()
        return before - cp.cuda.runtime.memGetInfo()[0]

    before = 0
    before = -taken()
    device, host = managed(np.ones(1 << 20))
    assert taken() == 8 << 20
    del device
    assert host.sum() == 1 << 20, "an array of the host's holds it too"
    assert taken() == 8 << 20
    del host
    assert taken() == 0


def test_managed_memory_leaves_less_for_other_arrays(monkeypatch):
    cp.get_default_memory_pool().free_all_blocks()
    monkeypatch.setenv("CUDA_SIMULATOR_MEMORY", str(1 << 40))
    free, total = cp.cuda.runtime.memGetInfo()
    monkeypatch.setenv("CUDA_SIMULATOR_MEMORY", str(total - free + 1_000_000))
    pair = managed(np.ones(1000))
    with cp.cuda.using_allocator(cp.cuda.malloc_managed):
        more = cp.empty(5000000, np.uint8)  # the device's size does not bound it
    with pytest.raises(cp.cuda.memory.OutOfMemoryError):
        cp.empty(9000, np.uint8)
    del pair, more
    assert cp.empty(9000, np.uint8).size == 9000


def test_an_allocator_is_one_threads_until_its_block_ends():
    found = []
    with cp.cuda.using_allocator(cp.cuda.malloc_managed):
        thread = threading.Thread(target=lambda: found.append(cp.ones(3).data.mem))
        thread.start()
        thread.join()
        found += [cp.ones(3).data.mem, (cp.ones(3) + 1).data.mem, cp.asarray([1]).data.mem]
        with pytest.raises(ZeroDivisionError), cp.cuda.using_allocator(None):
            found.append(cp.ones(3).data.mem)
            raise ZeroDivisionError
        found.append(cp.ones(3).data.mem)
    found.append(cp.ones(3).data.mem)
    is_managed = [isinstance(memory, cp.cuda.ManagedMemory) for memory in found]
    assert is_managed == [False, True, True, True, False, True, False]


def test_copies_between_pointers_go_where_the_device_finds_it():
    device, host = managed(np.arange(3000.0))
    other = cp.empty(3000)
    back = np.empty(3000)
    with counters.counting() as c:
        other.data.copy_from_device(device.data, device.nbytes)
        device.data.copy_to_host(back.ctypes.data, back.nbytes)
        device.data.memset(0, 800)
    assert crossings(c)[::2] == (0, 0), "no page moves"
    np.testing.assert_array_equal(other.get(), np.arange(3000))
    np.testing.assert_array_equal(back, other.get())
    assert host[99] == 0 and host[100] == 100


def test_threads_on_both_sides_lose_nothing():
    arrays = [managed(np.zeros(2000)) for _ in range(4)]

    def count(device, host):
        for _ in range(50):
            device += 1
            host += 1

    with counters.counting() as c:
        threads = [threading.Thread(target=count, args=pair) for pair in arrays]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert all((host == 100).all() for _, host in arrays)
    assert c.to_host == 4 * 50


@pytest.mark.thorough
def test_a_fault_elsewhere_ends_the_program_as_ever(python):
    """While crossings are counted, with and without Python's own handler of faults."""
    code = (
        "import ctypes, cupy as cp\n"
        "from cuda_simulator import counters\n"
        "cp.cuda.malloc_managed(99)\n"
        "with counters.counting():\n"
        "    ctypes.string_at(0)\n"
    )
    for options, told in (((), ""), (("-X", "faulthandler"), "Segmentation fault")):
        done = python(*options, "-c", code, check=False, SKIMAGE_GPU_SIMULATOR="1")
        assert done.returncode == -11
        assert told in done.stderr


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_forked_child_does_not_have_it():
    _, host = managed(np.ones(3000))
    child = os.fork()
    if child == 0:
        import faulthandler

        faulthandler.disable()
        host.sum()
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -11


def test_records_keep_their_fields():
    pair = np.dtype([("row", np.int16), ("column", np.int16)])
    with cp.cuda.using_allocator(cp.cuda.malloc_managed):
        made = cp.zeros((30, 20), np.dtype([("row", np.int16), ("column", np.int16)]))
    assert made.dtype == pair


@pytest.mark.usefixtures("strict")
def test_new_memory_is_no_zeros_in_strict_mode():
    with cp.cuda.using_allocator(cp.cuda.malloc_managed):
        assert np.isnan(cp.empty(3000).get()).all()
