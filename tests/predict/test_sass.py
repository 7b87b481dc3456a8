"""Machine code is followed as the hardware would: results, and counts that were made by hand."""

import struct
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import numpy as np
import pytest

from benchmarks.predict import images
from benchmarks.sass.counts import class_of
from benchmarks.sass.follow import Pointer, follow
from skimage_gpu_backend.device import compile
from tests.kernels import cubin, nvrtc

SOURCE = (Path(__file__).parent / "counted.cu").read_text()
THREADS, WARPS = 128, 4
BLOCKS = 6


def is_installed(name):
    try:
        return bool(distribution(name))
    except PackageNotFoundError:
        return False


pytestmark = pytest.mark.skipif(
    not all(map(is_installed, (nvrtc.DISTRIBUTION, *cubin.TOOLS))),
    reason="the wheels of the CUDA compiler and of its tools are not installed",
)
FURTHER = [pytest.param(each, marks=pytest.mark.exhaustive) for each in ("8.0", "8.6", "8.9")]


@pytest.fixture(scope="module", params=["7.5", "9.0", *FURTHER])
def run(request):
    """Follow a kernel of `counted.cu`; gives counts by class, `Counts` and memory."""
    capability = request.param
    options = (*compile.OPTIONS, f"-arch=sm_{capability.replace('.', '')}")
    code, _ = images._compiled(SOURCE, "saxpy", options)

    def followed(name, *given, blocks=BLOCKS, shared=0, threads=BLOCKS * THREADS):
        memory, arguments = {}, []
        for k, each in enumerate(given):
            if isinstance(each, np.ndarray):
                memory[k] = each.view(np.uint8)
                each = Pointer(k)
            arguments.append(each)
        grid, block = (blocks, 1, 1), (THREADS, 1, 1)
        seen = follow(code, name, capability, grid, block, arguments, memory, shared, threads)
        counted = {}
        for ins, times in zip(seen.kernel.instructions, seen.counts.issued.tolist(), strict=True):
            for key in (class_of(ins), ins.name):
                counted[key] = counted.get(key, 0) + times
        return counted, seen

    return followed


def _of(seen, place, dtype):
    return seen.arena.contents(place).view(dtype)


def _word(value):
    return struct.pack("<i", value)


def _requests(seen, name):
    """Sectors of the instructions of a name."""
    chosen = [ins.name == name for ins in seen.kernel.instructions]
    return seen.counts.sectors[chosen].sum()


def test_an_address_tells_which_memory_it_is_in(run):
    x, y = np.arange(BLOCKS * THREADS, dtype="i4"), np.zeros(BLOCKS * THREADS, "i4")
    counted, seen = run("either", x, y)
    neighbours = x.reshape(BLOCKS, -1, 2)[..., ::-1].reshape(BLOCKS, -1)
    neighbours[1::2] *= 2  # these blocks read shared memory
    np.testing.assert_array_equal(_of(seen, 1, "i4"), neighbours.ravel())
    assert counted["LD"] == BLOCKS * WARPS


def test_each_load_product_and_store_is_counted(run):
    n = BLOCKS * THREADS
    x, y = np.arange(n, dtype="f4"), np.ones(n, "f4")
    counted, seen = run("saxpy", x, y, struct.pack("<f", 2), _word(n))
    assert np.array_equal(_of(seen, 1, "f4"), 2 * x + y)
    warps = BLOCKS * WARPS
    assert (counted["LDG"], counted["STG"]) == (2 * warps, warps)
    assert (counted["FMUL"], counted["FADD"]) == (warps, warps)  # not fused: one each
    assert (_requests(seen, "LDG"), _requests(seen, "STG")) == (8 * warps, 4 * warps)
    assert seen.arena.touched(0) == (n * 4 // 32, 0)


def test_threads_beyond_the_end_ask_for_nothing(run):
    x, y = np.ones(512, "f4"), np.ones(512, "f4")
    counted, seen = run("saxpy", x, y, struct.pack("<f", 2), _word(40))
    assert counted["LDG"] == 2 * 2  # the second warp has 8 threads left
    assert _requests(seen, "STG") == 5
    assert np.array_equal(_of(seen, 1, "f4"), np.where(np.arange(512) < 40, 3, 1))


@pytest.mark.parametrize(
    ("stride", "shift", "sectors"), [(1, 0, 4), (1, 3, 5), (2, 0, 8), (8, 0, 32)]
)
def test_a_request_takes_the_sectors_that_it_touches(run, stride, shift, sectors):
    n = BLOCKS * THREADS
    x, y = np.arange(8 * n + 8, dtype="f4"), np.zeros(n, "f4")
    _, seen = run("strided", x, y, _word(stride), _word(shift))
    assert np.array_equal(_of(seen, 1, "f4"), x[shift : shift + stride * n : stride])
    assert _requests(seen, "LDG") == sectors * BLOCKS * WARPS


def test_sums_in_a_loop_are_counted_each_time(run):
    n = BLOCKS * THREADS
    x = np.random.default_rng(0).random(n)
    for count in (3, 50):
        counted, seen = run("sums", x, np.zeros(n), _word(count))
        assert counted["double"] == count * BLOCKS * WARPS
        assert np.allclose(_of(seen, 1, "f8"), count * x, rtol=1e-14)


def test_lanes_that_part_are_issued_twice_and_meet_again(run):
    n = BLOCKS * THREADS
    x = np.linspace(0, 1, n, dtype="f4")
    counted, seen = run("parted", x, np.zeros(n, "f4"))
    expected = x.copy()
    for _ in range(10):
        expected[1::2] = expected[1::2] * np.float32(0.5) + np.float32(1)
    for _ in range(20):
        expected[::2] = expected[::2] * np.float32(0.25) - np.float32(1)
    assert np.array_equal(_of(seen, 1, "f4"), expected + np.float32(3))
    warps = BLOCKS * WARPS
    assert counted["FMUL"] == (10 + 20) * warps
    assert counted["STG"] == warps  # together again


@pytest.mark.parametrize(("pitch", "turns"), [(33, 1), (32, 32), (34, 2)])
def test_banks_of_shared_memory_that_meet_take_turns(run, pitch, turns):
    x = np.arange(1024, dtype="f4")
    _, seen = run("turned", x, np.zeros(1024, "f4"), _word(pitch), blocks=1, shared=32 * 4 * pitch)
    assert np.array_equal(_of(seen, 1, "f4").reshape(32, 32), x.reshape(32, 32).T)
    loads = [ins.name == "LDS" for ins in seen.kernel.instructions]
    assert seen.counts.wavefronts[loads].sum() == 32 * turns
    assert seen.counts.barriers == 1


def test_atomics_on_one_address_and_exchanges(run):
    n = BLOCKS * THREADS
    x = np.random.default_rng(0).integers(0, 1000, n, dtype="i4")
    counted, seen = run("gathered", x, np.zeros(1, "u8"), np.zeros(n // 32, "i4"))
    assert _of(seen, 1, "u8")[0] == x.sum()
    assert np.array_equal(_of(seen, 2, "i4"), x.reshape(-1, 32).max(1))
    assert counted["SHFL"] >= 5 * BLOCKS * WARPS  # and those of the compiler's own sum
    assert max(seen.counts.hot.values()) in (BLOCKS * WARPS, n)  # a warp's at once, or each


def test_some_blocks_stand_for_all(run):
    n = 100 * THREADS
    x, y = np.arange(n, dtype="f4"), np.ones(n, "f4")
    arguments = "saxpy", x, y, struct.pack("<f", 2), _word(n)
    counted, seen = run(*arguments, blocks=100, threads=5 * THREADS)
    assert len(seen.blocks) == 5 and counted["STG"] == 5 * WARPS
    changed = _of(seen, 1, "f4").reshape(100, -1) != 1
    assert np.flatnonzero(changed.any(1)).tolist() == list(seen.blocks)


def test_what_the_compiler_makes_of_functions_is_followed(run):
    n = BLOCKS * THREADS
    x, i, d = np.random.default_rng(0).random(n), np.arange(n), 7
    _, seen = run("functions", x, np.zeros(10 * n), struct.pack("<q", n), _word(d))
    found = _of(seen, 1, "f8").reshape(10, n)
    single = x.astype("f4")
    zeros = np.array([32 - int(k + 1).bit_length() for k in i])
    expected = [
        np.sqrt(x) / d,
        np.fmax(x, 0.5) + np.fmin(x, 0.25),
        np.exp(x) * np.log(x + 1),
        np.arctan2(x, 0.5 - x),
        x ** (1 / 3),
        np.sin(20 * x) + np.floor(9 * x),
        (i * 12345678901 // d) + i % d,
        single.astype("f8") + (single / np.float32(3)) + np.floor(x * 255),
        np.array([3, 1, 4, 1])[i & 3] + np.array([100, 200])[i & 1],
        np.bitwise_count(i * 77) + zeros + (i * 999).astype("i2"),
    ]
    for got, wanted in zip(found, expected, strict=True):
        assert np.allclose(got, wanted, rtol=1e-13, atol=1e-15)
