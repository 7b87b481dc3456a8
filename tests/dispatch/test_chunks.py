"""`util.apply_parallel`: what it is given runs for each chunk where a call of the user's would."""

import warnings

import cupy as cp
import numpy as np
import pytest
from skimage import filters, util

from skimage_gpu_backend import disable, use_backends
from skimage_gpu_backend.dispatch.observe import observe

pytest.importorskip("dask.array")
IMAGE = np.random.default_rng(0).random((60, 90))
SOBEL = "skimage.filters:sobel"
BY_CHUNKS = {"chunks": (30, 30), "depth": 1}


def places(calls):
    return [(call.name, call.source) for call in calls]


@pytest.mark.parametrize("dtype", [None, float])
@pytest.mark.parametrize("compute", [True, False])
@pytest.mark.parametrize("function", [filters.sobel, lambda chunk: filters.sobel(chunk)])
def test_a_public_function_runs_on_the_device_for_each_chunk(
    however_small, function, compute, dtype
):
    """In Dask's threads, which do not know the selection, and after its end."""
    with observe() as calls:
        with use_backends("gpu"):
            result = util.apply_parallel(function, IMAGE, **BY_CHUNKS, compute=compute, dtype=dtype)
        result = result if compute else result.compute()
    found = places(calls)
    disable()
    expected = util.apply_parallel(filters.sobel, IMAGE, **BY_CHUNKS)
    assert type(result) is np.ndarray
    np.testing.assert_allclose(result, expected, atol=1e-12)
    assert found.count((SOBEL, "kernel")) >= 6


@pytest.mark.parametrize("scheduler", ["threads", "synchronous"])
def test_a_variable_selects_for_chunks_too(however_small, monkeypatch, scheduler):
    import dask

    monkeypatch.setenv("SKIMAGE_BACKENDS", "gpu")
    with observe() as calls, dask.config.set(scheduler=scheduler):
        util.apply_parallel(filters.sobel, IMAGE, **BY_CHUNKS)
    assert places(calls) == [(SOBEL, "kernel")] * 6  # not Dask's question about the dtype


def test_results_are_numpy_arrays_whatever_is_to_come_of_other_calls(however_small):
    with use_backends("gpu", output="cupy"):
        assert type(util.apply_parallel(filters.sobel, IMAGE, **BY_CHUNKS)) is np.ndarray


def test_nothing_is_told_of_the_call_around_the_chunks(enabled, monkeypatch):
    monkeypatch.setenv("SKIMAGE_BACKENDS_MIN_SIZE", "0")
    monkeypatch.setenv("SKIMAGE_BACKENDS", "gpu")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("error", "Call to")
        util.apply_parallel(filters.sobel, IMAGE, **BY_CHUNKS)


def test_a_device_array_comes_back_as_one(however_small):
    result = util.apply_parallel(filters.sobel, cp.asarray(IMAGE), **BY_CHUNKS)
    assert type(result) is cp.ndarray
    disable()
    expected = util.apply_parallel(filters.sobel, IMAGE, **BY_CHUNKS)
    np.testing.assert_allclose(result.get(), expected, atol=1e-12)


def test_with_nothing_selected_scikit_image_runs_and_errors_are_its_own(enabled):
    with observe() as calls:
        util.apply_parallel(filters.sobel, IMAGE, **BY_CHUNKS)
    assert {call.source for call in calls} == {None}
    with use_backends("gpu"), pytest.raises(TypeError, match="missing 2 required"):
        util.apply_parallel()
