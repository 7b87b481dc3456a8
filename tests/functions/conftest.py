"""Watches which kernels rooms launch while their tests run."""

import fcntl
import functools

import pytest

import cuda_simulator


@functools.cache
def _known():
    # the device is chosen after this file is read
    from skimage_gpu_backend import functions

    return set(functions.kernels())


@pytest.fixture(scope="module", autouse=True)
def only_enumerated_specializations():
    """No room asks for a kernel that neither its samples nor `specializations()` name.

    What they name is compiled by the real CUDA compiler (tests/kernels); a kernel beyond
    that would be compiled for the first time on a user's GPU.
    """
    from skimage_gpu_backend.device.loading import loaded

    before = set(loaded)
    yield
    new = {(source, expression) for source, expression, _ in set(loaded) - before}
    assert new <= _known(), f"not enumerated: {sorted(new - _known())}"


@pytest.fixture
def strict(monkeypatch):
    """The simulator runs blocks of their real size, in the order that the test chooses."""
    if not cuda_simulator.active():
        pytest.skip("a GPU chooses the order of its threads itself")
    monkeypatch.setenv("CUDA_SIMULATOR_MODE", "strict")


@pytest.fixture
def one_at_a_time(tmp_path_factory, monkeypatch):
    """Other processes of the same run wait: the memory is enough for one large image."""
    monkeypatch.setenv("CUDA_SIMULATOR_OPTIMIZE", "1")
    monkeypatch.setenv("CUDA_SIMULATOR_POISON", "0")  # memory that nobody touches takes no room
    with open(tmp_path_factory.getbasetemp().parent / "large-image", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@pytest.fixture
def contracted(monkeypatch):
    """Kernels in which the compiler fuses what the source leaves it to fuse."""
    if not cuda_simulator.active():
        pytest.skip("on a GPU kernels are compiled in one way")
    monkeypatch.setenv("CUDA_SIMULATOR_ROUNDING", "contract")
