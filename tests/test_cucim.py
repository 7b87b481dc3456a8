"""How a call is carried over to cuCIM, with a small module in its place."""

import sys
from types import ModuleType

import cupy as cp
import numpy as np
import pytest
from skimage import filters

from skimage_gpu_backend import cucim, functions, interface, trouble
from skimage_gpu_backend.catalog import CATALOG, Row
from skimage_gpu_backend.cucim import Difference, delegate


@pytest.fixture
def differences(monkeypatch):
    """Table of differences of `skimage.filters`, to be filled; there are no corrections."""
    table = {}
    monkeypatch.setattr(
        delegate,
        "about",
        lambda name, which, default=None: (
            table.get(name.partition(":")[2], default) if which == "DIFFERENCES" else default
        ),
    )
    return table


@pytest.fixture
def theirs(monkeypatch, differences):
    """A stand-in for ``cucim.skimage.filters``, to which functions are added."""
    for function in ("median", "sobel", "apply_hysteresis_threshold"):
        name = f"skimage.filters:{function}"
        row = Row("image", CATALOG[name].room)
        row.cucim = True
        monkeypatch.setitem(CATALOG, name, row)
    module = ModuleType("cucim.skimage.filters")
    for name in ("cucim", "cucim.skimage"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    monkeypatch.setitem(sys.modules, "cucim.skimage.filters", module)
    monkeypatch.setattr("skimage_gpu_backend.sources.no_cucim_because", lambda: None)
    monkeypatch.setenv("SKIMAGE_BACKENDS", "gpu,cucim")
    monkeypatch.setenv("SKIMAGE_GPU_MIN_SIZE", "0")
    cucim.implementation.cache_clear()
    yield module
    cucim.implementation.cache_clear()


def run(function, *args, backend=interface.cucim, **kwargs):
    decision = backend.decide(f"skimage.filters:{function}", args, kwargs)
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


def test_what_cucim_raises_is_a_reason_to_leave_the_call_to_scikit_image(theirs):
    def median(image):
        raise NotImplementedError("no such footprint")

    theirs.median = median
    with pytest.raises(trouble.Declined, match=r"NotImplementedError \(no such footprint\)"):
        run("median", np.ones((3, 3)))


def test_memory_that_runs_out_in_cucim_is_trouble_of_the_device(theirs):
    def median(image):
        raise cp.cuda.memory.OutOfMemoryError(10, 0, 0)

    theirs.median = median
    with pytest.raises(trouble.DeviceTrouble, match="not enough device memory"):
        run("median", np.ones((3, 3)))


def test_call_of_a_known_difference_is_declined_with_its_reason(theirs, differences):
    differences["median"] = (Difference("behavior is odd", lambda call: call.behavior == "odd"),)
    theirs.median = lambda image, behavior: image
    run("median", np.ones((3, 3)), behavior="even")
    decision = interface.cucim.decide(
        "skimage.filters:median", (np.ones((3, 3)),), {"behavior": "odd"}
    )
    assert decision.reason == "behavior='odd' is odd"
    assert not decision.invalid


def test_call_that_scikit_image_refuses_is_left_to_it(theirs, differences):
    refused = Difference("behavior is odd", lambda call: call.behavior == "odd", invalid=True)
    differences["median"] = (refused,)
    assert interface.cucim.decide(
        "skimage.filters:median", (np.ones((3, 3)),), {"behavior": "odd"}
    ).invalid
    assert interface.cucim.decide(
        "skimage.filters:median", (np.ones((3, 3)),), {"no": "such"}
    ).invalid


def test_arrays_beside_the_images_are_read_on_the_host(theirs):
    def apply_hysteresis_threshold(image, low, high):
        assert type(low) is np.ndarray
        return image

    theirs.apply_hysteresis_threshold = apply_hysteresis_threshold
    run("apply_hysteresis_threshold", cp.ones((3, 3)), cp.ones((3, 3)), 2)


def test_iterators_give_arrays_of_the_callers_kind(theirs):
    theirs.median = lambda image: (image * i for i in range(3))
    result = run("median", np.ones((3, 3)))
    assert [type(r) for r in result] == [np.ndarray] * 3


def test_function_that_this_cucim_lacks_is_a_reason(theirs):
    with pytest.raises(trouble.DeviceTrouble, match="cuCIM cannot be used"):
        run("median", np.ones((3, 3)))


def test_call_that_our_kernel_declines_goes_to_cucim(theirs, monkeypatch, request):
    def declines(*args, **kwargs):
        raise trouble.Declined("some reason")

    monkeypatch.setattr("skimage_gpu_backend.functions.filters.edges.sobel", declines)
    functions.find.cache_clear()
    request.addfinalizer(functions.find.cache_clear)
    theirs.sobel = lambda image: image * 2
    np.testing.assert_array_equal(
        run("sobel", np.ones((3, 3)), backend=interface.gpu), np.full((3, 3), 2)
    )
    monkeypatch.setenv("SKIMAGE_NO_DISPATCHING", "1")
    assert filters.sobel(np.ones((3, 3))).max() == 0


def test_arrays_of_any_layout_reach_cucim_contiguous_and_come_back_themselves(theirs):
    def median(image, out):
        assert image.flags.c_contiguous
        assert out.flags.c_contiguous
        out[...] = image
        return out

    theirs.median = median
    image = cp.asarray(np.arange(6.0).reshape(2, 3)).T
    out = cp.zeros((2, 3)).T
    assert run("median", image, out=out) is out
    np.testing.assert_array_equal(cp.asnumpy(out), np.arange(6.0).reshape(2, 3).T)
    theirs.median = lambda image: image
    cucim.implementation.cache_clear()
    assert run("median", image) is image


def test_arguments_that_nobody_foresaw_are_left_to_scikit_image(theirs, differences):
    differences["median"] = (Difference("too odd", lambda call: len(call.cval) > 3),)
    decision = interface.cucim.decide("skimage.filters:median", (np.ones((3, 3)),), {"cval": 7})
    assert decision.reason.startswith("arguments are odd for cuCIM (TypeError")
    assert not decision.invalid  # nobody knows


def test_channels_of_an_image_given_by_keyword_are_left_to_scikit_image():
    image = np.ones((3, 4, 5))
    given = {"image": image, "channel_axis": 0}
    assert "by position" in cucim.why_not("skimage.exposure:histogram", (), given).reason
    assert not cucim.why_not("skimage.exposure:histogram", (image,), {"channel_axis": 0})
