"""What the user is told of memory, what is given back, and the bound that is kept."""

import cupy as cp
import numpy as np
import pytest
import skimage as ski

import skimage_gpu_backend as backend
from skimage_gpu_backend import use_backends
from skimage_gpu_backend.adapt import pinned
from skimage_gpu_backend.dispatch.observe import observe
from skimage_gpu_backend.environ import parsed
from skimage_gpu_backend.tiles import memory as module

from .device import MEGABYTE, on_the_device, on_the_simulator

pytestmark = on_the_simulator


def first():
    return backend.memory()["devices"][0]


def test_memory_tells_what_is_used_kept_and_free(memory):
    backend.free_memory()  # what earlier tests have left
    with memory(10 * MEGABYTE):
        before = first()
        assert before["total"] == before["used"] + 10 * MEGABYTE
        assert before["cached"] == 0
        held = cp.zeros(3 * MEGABYTE, np.uint8)
        during = first()
        assert during["used"] == before["used"] + held.nbytes
        assert during["free"] == before["free"] - held.nbytes
        del held
        after = first()
        assert (after["used"], after["cached"]) == (before["used"], 3 * MEGABYTE)
        assert after["free"] == during["free"], "what is kept is not free for others"
        backend.free_memory()
        assert first() == before


def test_each_device_is_told_of(monkeypatch):
    monkeypatch.setenv("CUDA_SIMULATOR_DEVICES", "3")
    assert list(backend.memory()["devices"]) == [0]  # to ask for others takes their memory
    monkeypatch.setenv("SKIMAGE_GPU_DEVICES", "1")
    backend.free_memory()
    before = [device["used"] for device in backend.memory()["devices"].values()]
    with cp.cuda.Device(1):
        held = cp.zeros(1000, np.uint8)
    after = [device["used"] for device in backend.memory()["devices"].values()]
    assert after == [before[0], before[1] + held.nbytes]


def test_pinned_buffers_are_kept_until_they_are_given_back(monkeypatch, memory, volume):
    backend.free_memory()
    assert backend.memory()["pinned"] == 0
    with memory(2 * MEGABYTE):
        on_the_device(ski.filters.sobel, volume)
    # one pair in; one pair out, or the same again where that was late
    assert backend.memory()["pinned"] in (2 * pinned.PIECE, 2 * 2 * pinned.PIECE)
    backend.free_memory()
    assert backend.memory()["pinned"] == 0


def test_pinned_memory_includes_what_cupy_keeps_of_uploads():
    """Of images that cross in one piece."""
    backend.free_memory()
    before = backend.memory()["pinned"]
    cp.asarray(np.ones(3 * MEGABYTE, np.uint8))
    assert backend.memory()["pinned"] == before + 4 * MEGABYTE, "blocks are powers of two"
    held = cp.cuda.alloc_pinned_memory(5 * MEGABYTE)
    assert backend.memory()["pinned"] == before + (4 + 8) * MEGABYTE
    del held
    backend.free_memory()
    assert backend.memory()["pinned"] == before


@pytest.fixture
def limit(monkeypatch):
    """Sets SKIMAGE_GPU_MEMORY_LIMIT; nothing is bounded afterwards."""
    backend.free_memory()
    yield lambda text: monkeypatch.setenv("SKIMAGE_GPU_MEMORY_LIMIT", text)
    monkeypatch.delenv("SKIMAGE_GPU_MEMORY_LIMIT", raising=False)
    module.apply_limit()
    assert first()["limit"] is None


@pytest.mark.parametrize(
    ("text", "nbytes"),
    [("3000000", 3_000_000), ("2M", 2 << 20), ("1.5 GB", 3 << 29), ("64KiB", 64 << 10)],
)
def test_a_limit_has_a_suffix(limit, text, nbytes):
    limit(text)
    assert first()["limit"] == nbytes


def test_a_limit_is_a_share_of_the_device(limit, memory):
    with memory(10 * MEGABYTE):
        limit("50%")
        assert first()["limit"] == first()["total"] // 2


@pytest.mark.parametrize("text", ["much", "150%", "-3"])
def test_a_limit_that_is_no_number_is_told_once_and_bounds_nothing(limit, text):
    parsed.cache_clear()
    limit(text)
    with pytest.warns(UserWarning, match=f"as 6G, or a share, as 80%, not '{text}'; ") as told:
        on_the_device(ski.filters.sobel, np.zeros((50, 50)))
        assert first()["limit"] is None
    assert len([w for w in told if w.category is UserWarning]) == 1


def test_without_a_device_memory_says_why(python):
    for call in ("memory", "free_memory"):
        done = python(
            "-c",
            f"import skimage_gpu_backend as backend; backend.{call}()",
            SKIMAGE_GPU_SIMULATOR="1",
            CUDA_SIMULATOR_DEVICES="0",
            check=False,
        )
        assert "RuntimeError: no CUDA device" in done.stderr


def test_calls_stay_below_the_limit_and_run_on_the_device(limit, volume, monkeypatch):
    expected = on_the_device(ski.filters.gaussian, volume, 2)
    backend.free_memory()
    taken = []
    empty = cp.empty
    used = cp.get_default_memory_pool().used_bytes

    def watched(*args, **kwargs):
        made = empty(*args, **kwargs)
        taken.append(used())
        return made

    monkeypatch.setattr(cp, "empty", watched)
    limit(str(used() + 2 * MEGABYTE))
    result = on_the_device(ski.filters.gaussian, volume, 2)
    np.testing.assert_array_equal(result, expected)
    assert max(taken) <= used() + 2 * MEGABYTE


def test_a_limit_that_is_taken_away_while_a_program_runs_is_gone(limit, volume, monkeypatch):
    limit("1000")
    with use_backends("gpu"), observe() as calls:
        ski.transform.integral_image(volume[0])
        monkeypatch.delenv("SKIMAGE_GPU_MEMORY_LIMIT")
        ski.transform.integral_image(volume[0])
    assert [call.backend for call in calls] == [None, "gpu"]
