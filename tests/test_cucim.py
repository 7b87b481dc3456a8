"""How a call is carried over to cuCIM, with a small module in its place."""

import sys
from types import ModuleType

import cupy as cp
import numpy as np
import pytest
from skimage import filters

from skimage_gpu_backend import availability, cucim
from skimage_gpu_backend.decide import decide


@pytest.fixture
def theirs(monkeypatch):
    """A stand-in for ``cucim.skimage.filters``, to which functions are added."""
    module = ModuleType("cucim.skimage.filters")
    for name in ("cucim", "cucim.skimage"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    monkeypatch.setitem(sys.modules, "cucim.skimage.filters", module)
    monkeypatch.setattr("skimage_gpu_backend.decide.no_cucim_because", lambda: None)
    monkeypatch.setenv("SKIMAGE_BACKENDS", "gpu")
    monkeypatch.setenv("SKIMAGE_GPU_MIN_SIZE", "0")
    cucim.implementation.cache_clear()
    yield module
    cucim.implementation.cache_clear()


def run(function, *args, **kwargs):
    decision = decide("gpu", f"skimage.filters:{function}", args, kwargs)
    assert decision, decision.reason
    assert decision.source == "cucim"
    return decision.run()


def test_arguments_are_matched_by_name(theirs):
    # another order and another default than scikit-image's
    def median(image, mode="nearest", behavior="ndimage", footprint=None):
        assert type(image) is cp.ndarray
        assert type(footprint) is cp.ndarray
        return image + footprint.sum() + len(mode)

    theirs.median = median
    result = run("median", np.ones((3, 3)), np.ones((2, 2)), mode="wrap")
    assert type(result) is np.ndarray
    np.testing.assert_array_equal(result, np.full((3, 3), 1 + 4 + 4))


def test_parameter_that_cucim_lacks_is_a_reason_and_nothing_runs(theirs):
    theirs.median = lambda image: pytest.fail("ran")
    with pytest.raises(availability.DeviceTrouble, match="no parameter mode"):
        run("median", np.ones((3, 3)), mode="wrap")


def test_function_that_this_cucim_lacks_is_a_reason(theirs):
    with pytest.raises(availability.DeviceTrouble, match="cuCIM cannot be used"):
        run("median", np.ones((3, 3)))


def test_call_that_our_kernel_declines_goes_to_cucim(theirs, monkeypatch):
    monkeypatch.setattr(
        "skimage_gpu_backend.accept.filters.sobel", lambda *args, **kwargs: "some reason"
    )
    theirs.sobel = lambda image: image * 2
    np.testing.assert_array_equal(run("sobel", np.ones((3, 3))), np.full((3, 3), 2))
    assert filters.sobel(np.ones((3, 3))).max() == 0
