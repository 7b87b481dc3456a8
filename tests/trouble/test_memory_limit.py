"""Calls that work in rounds, where a limit leaves them too little memory: scikit-image runs."""

import cupy as cp
import pytest

import skimage_gpu_backend as backend
from tests.differential.sweeps import SWEEPS

from .failing import Device
from .test_every_function import Call
from .test_interrupts import ROUNDS


@pytest.fixture
def limit(monkeypatch):
    """Sets SKIMAGE_GPU_MEMORY_LIMIT; nothing is bounded afterwards."""
    backend.free_memory()
    yield lambda nbytes: monkeypatch.setenv("SKIMAGE_GPU_MEMORY_LIMIT", str(nbytes))
    monkeypatch.delenv("SKIMAGE_GPU_MEMORY_LIMIT")
    backend.memory()  # which reads it


@pytest.mark.parametrize("name", ROUNDS)
def test_a_limit_that_is_too_small(name, limit):
    (sweep,) = (sweep for sweep in SWEEPS if sweep.name == f"skimage.{name}")
    call, pool = Call(sweep, "numpy"), cp.get_default_memory_pool()
    assert call.on(Device()) == []
    backend.free_memory()
    before = pool.total_bytes()
    assert call.on(Device()) == []
    needed = pool.total_bytes() - before
    backend.free_memory()
    limit(before + needed // 2)
    half = call.on(Device())  # compared with scikit-image's result
    limit(1)
    (reason,) = call.on(Device())
    assert "memory" in reason
    assert half == [] or "memory" in half[0]
