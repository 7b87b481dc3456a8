"""Calls that come again are launched without being decided anew, and are what they were."""

import threading
import warnings

import cupy as cp
import numpy as np
import pytest
import skimage as ski
from skimage.util._backends import DispatchNotification

import cuda_simulator
import skimage_gpu_backend as backend
from cuda_simulator import counters
from skimage_gpu_backend import again, interface, use_backends
from tests.differential.check import inside

RNG = np.random.default_rng(0)
IMAGE = RNG.random((40, 50)).astype("float32")


@pytest.fixture
def whole(however_small, monkeypatch):
    """Calls that go the whole way."""
    real, seen = interface.decide, []

    def decide(name, *call):
        seen.append(name)
        return real(name, *call)

    monkeypatch.setattr(interface, "decide", decide)
    monkeypatch.setattr(again, "_known", {})
    with use_backends("gpu"):
        yield seen


def sobel(image, *args, **kwargs):
    result = ski.filters.sobel(image, *args, **kwargs)
    assert type(result) is cp.ndarray
    return result.get()


def test_from_the_second_call_on_only_kernels_are_launched(whole):
    for turn in range(4):
        image = (IMAGE * (turn + 1)).astype("float32")
        with counters.counting() as seen:
            result = sobel(cp.asarray(image))
        with use_backends():
            np.testing.assert_allclose(result, ski.filters.sobel(image), atol=1e-6)
        assert seen.launches == 1 or not cuda_simulator.active()  # which counts
    assert len(whole) == 1


def test_rotations_of_floats_are_prepared(whole):
    """Whether an image has a number, which clipping depends on, is found out on the device."""
    for values in (IMAGE, np.full_like(IMAGE, np.nan), IMAGE):
        result = ski.transform.rotate(cp.asarray(values), 20, resize=True)
        with use_backends(), warnings.catch_warnings(action="ignore"):
            expected = ski.transform.rotate(values, 20, resize=True)
        np.testing.assert_allclose(result.get(), expected, atol=1e-6)
    assert len(whole) == 1


def test_results_do_not_share_memory(whole):
    image = cp.asarray(IMAGE)
    results = [ski.filters.sobel(image) for _ in range(3)]
    assert len({result.data.ptr for result in results}) == 3


@pytest.mark.parametrize(
    "other",
    [
        lambda: sobel(cp.asarray(IMAGE[:20])),
        lambda: sobel(cp.asarray(IMAGE.astype(float))),
        lambda: sobel(cp.asarray(IMAGE)[:, ::2]),
        lambda: sobel(cp.asarray(IMAGE), axis=0),
        lambda: sobel(cp.asarray(IMAGE), mask=cp.asarray(IMAGE > 0.5)),
        lambda: ski.filters.prewitt(cp.asarray(IMAGE)),
    ],
)
def test_other_calls_are_decided_anew(whole, other):
    for _ in range(2):
        sobel(cp.asarray(IMAGE))
    begun = len(whole)
    other()
    assert len(whole) == begun + 1


def test_numbers_that_are_equal_are_not_the_same(whole):
    """Of another type, or zeros of another sign."""
    image = cp.asarray(IMAGE)
    for value in (1, 1.0, True, 0.0, -0.0, 0):
        for _ in range(2):
            ski.filters.gaussian(image, 1, mode="constant", cval=value)
    assert len(whole) == 6


def test_where_a_result_goes_is_no_part_of_it(whole):
    image = cp.asarray(IMAGE)
    for _ in range(3):
        out = cp.zeros_like(image)
        assert ski.filters.gaussian(image, 1, out=out) is out
        np.testing.assert_array_equal(out.get(), ski.filters.gaussian(image, 1).get())


def test_small_arrays_whose_values_decide_are_read_each_time(whole):
    image = cp.asarray(IMAGE)
    for size in (3, 5):
        footprint = cp.zeros((5, 5), "uint8")
        footprint[:size, :size] = 1
        for _ in range(2):
            found = ski.morphology.erosion(image, footprint).get()
        expected = ski.morphology.erosion(IMAGE, footprint.get())
        np.testing.assert_array_equal(found, expected)


def test_small_arrays_that_stay_on_the_device_may_change(whole):
    image = (IMAGE * 255).astype("uint8")
    footprint = cp.zeros((5, 5), "uint8")
    for size in (3, 5):
        footprint[:size, :size] = 1  # the same array
        for _ in range(2):
            found = ski.filters.rank.mean(cp.asarray(image), footprint).get()
        with use_backends():
            expected = ski.filters.rank.mean(image, footprint.get())
        np.testing.assert_array_equal(found, expected)
    assert len(whole) == 1


def test_small_arrays_on_the_host_are_a_part_of_a_call(whole):
    image = cp.asarray(IMAGE)
    for size in (3, 5):
        footprint = np.zeros((5, 5), "uint8")
        footprint[:size, :size] = 1
        for _ in range(3):
            found = ski.morphology.erosion(image, footprint).get()
            footprint = footprint.copy()
        np.testing.assert_array_equal(found, ski.morphology.erosion(IMAGE, footprint))
    assert whole.count("skimage.morphology:erosion") == 4  # two of them of IMAGE, on the host


def test_a_profile_sees_them(whole):
    image = cp.asarray(IMAGE)
    for _ in range(3):
        sobel(image)
    with backend.profile() as seen:
        sobel(image)
    assert "filters.sobel" in str(seen) and "100 % of the" in str(seen)


def test_an_error_is_met_on_the_whole_way(whole, monkeypatch):
    """Where the device has no room the call runs in tiles, as ever."""
    image = cp.asarray(IMAGE)
    expected = sobel(image)
    sobel(image)
    begun = len(whole)

    def no_room(self, *arrays):
        raise MemoryError

    monkeypatch.setattr("skimage_gpu_backend.device.prepared.Prepared.__call__", no_room)
    np.testing.assert_array_equal(sobel(image), expected)
    assert len(whole) == begun + 1


def test_a_call_of_several_launches_and_numbers_beside_them(whole):
    """Results in parts, arrays between, tables that go to the device once."""
    image = cp.asarray(IMAGE)
    for function, arguments in (
        (ski.feature.structure_tensor, {}),
        (ski.filters.unsharp_mask, {"radius": 2}),
        (ski.transform.resize, {"output_shape": (20, 20)}),
        (ski.color.rgb2lab, {}),
        (ski.feature.daisy, {"radius": 5}),
    ):
        given = cp.asarray(RNG.random((40, 50, 3))) if "rgb" in function.__name__ else image
        first, *others = (function(given, **arguments) for _ in range(3))
        for other in others:
            for one, two in zip(*(inside(r, cp.ndarray) for r in (first, other)), strict=True):
                np.testing.assert_array_equal(one.get(), two.get())


def test_other_threads_are_let_in_one_after_the_other_and_it_is_quick(whole):
    image = cp.asarray(IMAGE)
    for _ in range(2):
        sobel(image)
    begun, ended = threading.Event(), threading.Event()
    other = threading.Thread(target=lambda: (begun.set(), ended.wait()))
    other.start()
    begun.wait()
    try:
        sobel(image)
    finally:
        ended.set()
        other.join()
    assert len(whole) == 1


def test_a_device_that_fails_is_told_as_on_the_whole_way(whole, monkeypatch):
    """The call is not tried again on the device: scikit-image runs it."""
    image = cp.asarray(IMAGE)
    for _ in range(2):
        expected = sobel(image)
    begun = len(whole)

    def fails(self, *arrays):
        raise cp.cuda.runtime.CUDARuntimeError(719)

    monkeypatch.setattr("skimage_gpu_backend.device.prepared.Prepared.__call__", fails)
    monkeypatch.setenv("SKIMAGE_BACKENDS_NOTIFY", "fallback")
    with pytest.warns(DispatchNotification, match="was not dispatched"):
        result = ski.filters.sobel(image)
    np.testing.assert_allclose(result.get(), expected, atol=1e-6)
    assert len(whole) == begun
