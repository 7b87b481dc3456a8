"""Deprecated operations for boolean images: scikit-image's pixels, and its warning."""

import itertools
import warnings

import cupy as cp
import numpy as np
import pytest
from skimage.morphology import (
    binary_closing,
    binary_dilation,
    binary_erosion,
    binary_opening,
    cube,
    disk,
    rectangle,
    square,
)
from skimage.util import PendingSkimage2Change

from skimage_gpu_backend import use_backends
from skimage_gpu_backend.dispatch.observe import observe

FUNCTIONS = [binary_erosion, binary_dilation, binary_opening, binary_closing]
RNG = np.random.default_rng(0)
FOOTPRINTS = {
    "default": None,
    "disk": disk(2),
    "large": disk(14),
    "lopsided": np.array([[1, 1, 0], [1, 0, 0], [0, 0, 1]], bool),
    "even": np.array([[0, 1, 1, 0], [1, 1, 0, 0]]),
    "line": np.ones((1, 30)),
    "sequence": disk(3, decomposition="sequence"),
    "pairs": [(np.ones((3, 1)), 2), (np.array([[1, 1]]), 1)],
}


@pytest.fixture(autouse=True)
def _taken(however_small):
    """Calls are dispatched."""


def _told(call, *args, **kwargs):
    """Result of a call, or its exception, and its warnings with their lines."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        try:
            result = call(*args, **kwargs)
        except Exception as error:
            result = type(error), str(error)
    return result, [(w.category, str(w.message), w.filename, w.lineno) for w in seen]


def _same(function, image, *args, **kwargs):
    """The call has scikit-image's result and warnings, and runs on the device."""
    expected, told = _told(function, image, *args, **kwargs)
    for array in (np.array, cp.array):
        with use_backends("gpu"), observe() as calls:
            result, ours = _told(function, array(image), *args, **kwargs)
        assert ours == told and told[0][0] is FutureWarning
        if isinstance(expected, tuple):
            assert result == expected
            continue
        assert calls[0].source == "kernel", calls[0].declined
        assert result.dtype == expected.dtype
        np.testing.assert_array_equal(cp.asnumpy(result), expected)


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("footprint", FOOTPRINTS)
@pytest.mark.parametrize("mode", ["ignore", "max", "min"])
def test_every_footprint_and_mode(function, footprint, mode):
    for shape in ((41, 53), (3, 70), (1, 1)):
        _same(function, RNG.random(shape) > 0.4, FOOTPRINTS[footprint], mode=mode)


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("dtype", ["uint8", "int64", "float32", "float64"])
def test_every_dtype_and_layout(function, dtype):
    image = (RNG.integers(0, 3, (19, 40)) * 0.5).astype(dtype)
    image[0, 0] = np.nan if np.dtype(dtype).kind == "f" else 1
    for each in (image, np.asfortranarray(image), image[::-2, ::3]):
        _same(function, each, FOOTPRINTS["even"])


@pytest.mark.parametrize("function", FUNCTIONS)
def test_lines_and_volumes(function):
    _same(function, RNG.random(50) > 0.3, np.array([1, 0, 1, 1]))
    _same(function, RNG.random((9, 10, 11)) > 0.3)
    _same(function, RNG.random((9, 10, 11)) > 0.3, RNG.random((2, 3, 4)) > 0.5)


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("dtype", ["bool", "uint8", "float32"])
def test_out_has_the_result(function, dtype):
    image = RNG.random((19, 40)) > 0.4
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        expected = function(image)
        for array in (np.array, cp.array):
            out, own = array(np.full(image.shape, 7, dtype)), array(image)
            with use_backends("gpu"):
                assert function(array(image), out=out) is out
                assert function(own, out=own) is own
            for each in (out, own):
                np.testing.assert_array_equal(cp.asnumpy(each), expected)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_what_scikit_image_refuses(function):
    image = RNG.random((9, 9)) > 0.4
    for footprint, mode in itertools.product((None, np.ones(3), [], "x"), ("ignore", "reflect")):
        if footprint is not None or mode == "reflect":
            _same(function, image, footprint, mode=mode)
    _same(function, image.astype("float16"))


@pytest.mark.parametrize(("function", "args"), [(cube, [3]), (square, [3]), (rectangle, [3, 4])])
def test_deprecated_footprints_warn_at_the_users_line(function, args):
    expected, told = _told(function, *args)
    with use_backends("gpu"):
        result, ours = _told(function, *args)
    assert ours == told and told[0][0] in (FutureWarning, PendingSkimage2Change)  # from 0.27 on
    np.testing.assert_array_equal(result, expected)
