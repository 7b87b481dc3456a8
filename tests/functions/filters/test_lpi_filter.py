"""LPIFilter2D filters images on the device; its response is made on the host, once."""

import cupy as cp
import numpy as np
import pytest
from skimage.filters import LPIFilter2D, filter_inverse

from skimage_gpu_backend import disable, use_backends
from skimage_gpu_backend.dispatch.observe import observe
from tests.functions.images import DTYPES, noise

RNG = np.random.default_rng(8)
NAME = "skimage.filters:LPIFilter2D.__call__"


def _bell(r, c, width=2):
    return np.exp(-(r**2 + c**2) / width)


def _slope(r, c):
    return (r > 0) * 3 - c.astype(int)


def filtered(make, image, move=np.asarray):
    """scikit-image's result and ours, and both filters."""
    disable()
    theirs, ours = make(), make()
    expected = theirs(image)
    with use_backends("gpu"), observe() as calls:
        found = ours(move(image))
    assert [(call.name, call.source) for call in calls] == [(NAME, "kernel")]
    assert type(found) is type(move(image))
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
    single = 1e-5 if expected.dtype == np.float32 else 1e-12
    size = np.abs(expected).max(initial=0)
    np.testing.assert_allclose(cp.asnumpy(found), expected, rtol=0, atol=single * size)
    return theirs, ours


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("move", [np.asarray, cp.asarray], ids=["NumPy", "CuPy"])
def test_any_dtype(however_small, dtype, move):
    filtered(lambda: LPIFilter2D(_bell, width=5), noise(RNG, (30, 41), dtype), move)


def test_a_response_in_long_double_is_scikit_images(however_small):
    image = RNG.random((20, 21))
    disable()
    expected = LPIFilter2D(_bell, width=np.longdouble(2))(image)
    with use_backends("gpu"):
        found = LPIFilter2D(_bell, width=np.longdouble(2))(image)
    np.testing.assert_array_equal(found, expected, strict=True)


@pytest.mark.parametrize("shape", [(1, 1), (1, 8), (2, 2), (2, 3), (9, 9), (16, 7)], ids=str)
@pytest.mark.parametrize("response", [_bell, _slope])
def test_any_shape_and_response(however_small, shape, response):
    for image in (RNG.random(shape), np.asfortranarray(RNG.random(shape))):
        filtered(lambda: LPIFilter2D(response), image)


def test_the_filter_keeps_what_scikit_image_keeps(however_small):
    image, calls = RNG.random((20, 31)), []

    def response(r, c):
        calls.append(r.dtype)
        return _bell(r, c)

    theirs, ours = filtered(lambda: LPIFilter2D(response), image)
    np.testing.assert_array_equal(ours._cache, theirs._cache, strict=True)
    expected = filter_inverse(image, predefined_filter=theirs)
    np.testing.assert_array_equal(filter_inverse(image, predefined_filter=ours), expected)
    with use_backends("gpu"):
        ours(image[::-1])
        assert len(calls) == 2  # one for each filter
        ours(image[:-1])
    assert len(calls) == 3


def test_what_is_refused_is_refused_by_scikit_image(however_small):
    for wrong in (RNG.random(5), RNG.random((3, 4, 5)), np.zeros((0, 4))):
        with use_backends("gpu"), pytest.raises(ValueError) as ours:
            LPIFilter2D(_bell)(wrong)
        disable()
        with pytest.raises(ValueError) as theirs:
            LPIFilter2D(_bell)(wrong)
        assert str(ours.value) == str(theirs.value)


class OwnResponse(LPIFilter2D):
    """A user's filter."""

    def _prepare(self, data):
        response, spectrum = super()._prepare(data)
        return 2 * response, spectrum


def test_a_filter_of_the_user_s_own_runs_in_scikit_image(however_small):
    image = RNG.random((9, 8))
    with use_backends("gpu"):
        found = OwnResponse(_bell)(image)
    disable()
    np.testing.assert_array_equal(found, OwnResponse(_bell)(image))
