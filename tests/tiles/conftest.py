"""A device with little memory, and what does not fit there."""

import contextlib
import gc

import numpy as np
import pytest

from skimage_gpu_backend import free_memory


@pytest.fixture(autouse=True)
def every_call(however_small):
    """Each test's calls are dispatched."""


@pytest.fixture
def memory(monkeypatch):
    """Context manager that leaves the device so many bytes beside those in use."""
    import cupy as cp  # not before the device is chosen

    from skimage_gpu_backend.adapt import managed

    @contextlib.contextmanager
    def only(nbytes):
        pool = cp.get_default_memory_pool()
        gc.collect()  # what earlier tests left is not to be given back meanwhile
        gc.freeze()  # and what is still there not to be looked through again
        free_memory()  # more may be kept than there is to be
        used = pool.used_bytes() + managed.nbytes()
        with monkeypatch.context() as patch:
            patch.setenv("CUDA_SIMULATOR_MEMORY", str(used + nbytes))
            yield

    return only


@pytest.fixture(scope="module")
def volume():
    """8 MB, in lengths that nothing divides."""
    return np.random.default_rng(0).random((79, 163, 163), dtype=np.float32)
