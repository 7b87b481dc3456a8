"""The ``cucim`` backend: what it takes, with a small module in cuCIM's place, and five of its
functions."""

import sys
import warnings
from types import ModuleType

import cupy as cp
import numpy as np
import pytest
import skimage as ski
from skimage.util._backends import DispatchNotification

from skimage_gpu_backend import cucim, interface, use_backends
from skimage_gpu_backend.dispatch.observe import observe
from skimage_gpu_backend.scikit_image import own_function
from tests.upstream import need_cucim

IMAGE = np.arange(12.0).reshape(3, 4)
PHOTO = ski.data.camera()[::4, ::4]


@pytest.fixture
def theirs(monkeypatch, enabled):
    """A module in the place of ``cucim.skimage.filters``, to which functions are added."""
    module = ModuleType("cucim.skimage.filters")
    for name in ("cucim", "cucim.skimage"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    monkeypatch.setitem(sys.modules, "cucim.skimage.filters", module)
    monkeypatch.setattr("skimage_gpu_backend.availability.no_cucim_because", lambda: None)
    monkeypatch.setenv("SKIMAGE_BACKENDS_MIN_SIZE", "0")
    cucim._function.cache_clear()
    yield module
    cucim._function.cache_clear()


def decide(function, *args, **kwargs):
    with use_backends("cucim"):
        return interface.cucim.decide(f"skimage.filters:{function}", args, kwargs)


def run(function, *args, backends=("cucim",), **kwargs):
    """Result of a call that cuCIM runs."""
    with use_backends(*backends), observe() as calls:
        result = getattr(ski.filters, function)(*args, **kwargs)
    assert [call.backend for call in calls] == ["cucim"]
    return result


def test_numpy_arrays_are_copied_both_ways(theirs):
    # another order and another default than scikit-image's
    def median(image, mode="nearest", behavior="ndimage", footprint=None):
        assert type(image) is type(footprint) is cp.ndarray
        assert behavior == "ndimage"
        return image + footprint.sum() + len(mode)

    theirs.median = median
    result = run("median", IMAGE, np.ones((2, 2)), mode="wrap")
    assert type(result) is np.ndarray
    np.testing.assert_array_equal(result, IMAGE + 4 + 4)


def test_cupy_arrays_are_passed_through(theirs):
    theirs.median = lambda image, footprint: image
    image = cp.asarray(IMAGE)
    assert run("median", image, np.ones((2, 2))) is image


def test_other_arrays_are_read_on_the_host(theirs):
    def gaussian(image, sigma):
        assert type(sigma) is np.ndarray
        return image

    theirs.gaussian = gaussian
    run("gaussian", cp.asarray(IMAGE), np.array([1.0, 2]))


def test_out_receives_the_result(theirs):
    def median(image, out):
        out[...] = image * 2
        return out

    theirs.median = median
    out = np.zeros_like(IMAGE)
    assert run("median", IMAGE, out=out) is out
    np.testing.assert_array_equal(out, IMAGE * 2)


def test_images_in_fortran_order_reach_cucim_in_c_order(theirs):
    def median(image):
        assert image.flags.c_contiguous
        return image

    theirs.median = median
    np.testing.assert_array_equal(run("median", IMAGE.T), IMAGE.T)


def test_iterators_give_arrays_of_the_callers_kind(theirs):
    theirs.median = lambda image: (image * i for i in range(3))
    assert [type(r) for r in run("median", IMAGE)] == [np.ndarray] * 3


def test_results_stay_on_the_device_where_the_user_wants_it(theirs):
    theirs.median = lambda image: image * 2
    with use_backends("cucim", output="cupy"):
        assert type(ski.filters.median(IMAGE)) is cp.ndarray


def test_cucims_errors_are_the_users(theirs):
    def median(image):
        raise RuntimeError("as cuCIM says it")

    theirs.median = median
    for image in (IMAGE, cp.asarray(IMAGE)):
        with use_backends("cucim"), pytest.raises(RuntimeError, match="as cuCIM says it"):
            ski.filters.median(image)


def test_errors_of_generators_are_the_users(theirs):
    def median(image):
        yield image
        raise RuntimeError("as cuCIM says it")

    theirs.median = median
    with use_backends("cucim"), pytest.raises(RuntimeError, match="as cuCIM says it"):
        list(ski.filters.median(IMAGE))


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (NotImplementedError("no such footprint"), r"does not implement this call \(no such"),
        (cp.cuda.memory.OutOfMemoryError(10, 0, 0), "not enough device memory"),
    ],
)
def test_calls_that_cucim_cannot_run_end_on_scikit_image(theirs, error, reason):
    def median(image):
        raise error

    theirs.median = median
    with use_backends("cucim"), pytest.warns(DispatchNotification, match=reason):
        result = ski.filters.median(IMAGE)
    np.testing.assert_array_equal(result, ski.filters.median(IMAGE))


def test_keywords_that_cucim_lacks_decline(theirs):
    theirs.median = lambda image, footprint=None: image
    assert decide("median", IMAGE, behavior="rank").reason == (
        "cuCIM has no behavior here; leave it out, which changes the result"
    )
    assert decide("median", IMAGE, None)


def test_arguments_that_scikit_image_refuses_are_left_to_it(theirs):
    theirs.median = lambda image: image
    assert decide("median", IMAGE, no="such").invalid
    with use_backends("cucim"), pytest.raises(TypeError, match="no"):
        ski.filters.median(IMAGE, no="such")


def test_a_function_that_this_cucim_lacks_declines(theirs):
    assert "cuCIM cannot be used" in decide("median", IMAGE).reason


@pytest.mark.parametrize(
    "image", [np.ma.array(IMAGE), IMAGE.astype(object), IMAGE.astype(np.longdouble), [[1, 2]]]
)
def test_other_kinds_of_arrays_decline(theirs, image):
    theirs.median = lambda image: image
    assert "give" in decide("median", image).reason


def test_arrays_on_another_device_are_computed_there(theirs, monkeypatch):
    monkeypatch.setenv("CUDA_SIMULATOR_DEVICES", "2")
    theirs.median = lambda image: cp.ones(2) * cp.cuda.runtime.getDevice()
    with cp.cuda.Device(1):
        image = cp.asarray(IMAGE)
    assert run("median", image).tolist() == [1, 1]
    assert cp.cuda.runtime.getDevice() == 0


def test_it_takes_calls_only_where_it_is_named(theirs):
    theirs.median = lambda image: image
    for backends in ((), ("gpu",)):
        with use_backends(*backends):
            reason = interface.cucim.decide("skimage.filters:median", (IMAGE,), {}).reason
            assert "only where it is named" in reason


def test_small_numpy_images_stay_on_the_cpu(theirs, monkeypatch):
    monkeypatch.setenv("SKIMAGE_BACKENDS_MIN_SIZE", "1000")
    theirs.median = lambda image: image
    assert "SKIMAGE_BACKENDS_MIN_SIZE" in decide("median", IMAGE).reason
    assert decide("median", cp.asarray(IMAGE))


def test_a_call_that_our_planner_declines_runs_on_cucim(theirs):
    theirs.frangi = lambda image, mode="reflect", cval=0: image + cval
    call = {"mode": "constant", "cval": 0.5}
    with use_backends("gpu"), observe() as calls, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ski.filters.frangi(PHOTO, **call)
    assert calls[0].backend is None
    result = run("frangi", PHOTO / 1, backends=("gpu", "cucim"), **call)
    np.testing.assert_array_equal(result, PHOTO + 0.5)


def test_a_call_that_our_planner_takes_does_not_run_on_cucim(theirs):
    with use_backends("gpu", "cucim"), observe() as calls:
        ski.filters.sobel(PHOTO)
    assert [call.backend for call in calls] == ["gpu"]


def test_every_name_is_one_of_scikit_image():
    assert len(cucim.NAMES) == 236
    assert all(callable(own_function(name)) for name in cucim.NAMES)


REAL = [
    (ski.filters.gaussian, (PHOTO / 255,), {"sigma": 2}),
    (ski.filters.sobel, (PHOTO / 255,), {}),
    (ski.color.rgb2gray, (np.dstack([PHOTO, PHOTO.T, PHOTO]),), {}),
    (ski.transform.resize, (PHOTO / 255, (40, 50)), {"order": 1}),
    (ski.measure.label, (PHOTO > 128,), {}),
]


@pytest.mark.parametrize(("function", "args", "kwargs"), REAL)
def test_functions_of_cucim_run(enabled, monkeypatch, function, args, kwargs):
    need_cucim()
    monkeypatch.setenv("SKIMAGE_BACKENDS_MIN_SIZE", "0")
    expected = function(*args, **kwargs)
    with use_backends("cucim"), observe() as calls:
        result = function(*args, **kwargs)
    assert [call.source for call in calls] == ["cucim"]
    assert type(result) is np.ndarray
    np.testing.assert_allclose(result, expected, atol=1e-5)
