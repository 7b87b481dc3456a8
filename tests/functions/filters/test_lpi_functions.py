"""filter_forward, filter_inverse and wiener on the device are scikit-image's.

None is of an image above 2**31 elements: its transforms would take 128 GB in single precision.
"""

import warnings

import cupy as cp
import numpy as np
import pytest
from skimage import data
from skimage.filters import LPIFilter2D, filter_forward, filter_inverse, wiener
from skimage.util._backends import DispatchNotification

from skimage_gpu_backend import disable, use_backends
from skimage_gpu_backend.dispatch.observe import observe
from tests.functions.images import DTYPES, noise

RNG = np.random.default_rng(23)
PHOTO = data.camera()[100:180, 150:247]
TOLD = "ignore::skimage.util._backends.DispatchNotification"
FUNCTIONS = (filter_forward, filter_inverse, wiener)
DIVIDE = FUNCTIONS[1:]


class Bell:
    """A response that counts how often it is asked, and for what."""

    def __init__(self, width=5.0, height=1):
        self.width, self.height, self.asked = width, height, []

    def __call__(self, r, c, power=2):
        self.asked.append((r.dtype, r.copy(), c.copy()))
        size = abs(r) ** power + abs(c) ** power
        return self.height * np.exp(-size / r.dtype.type(self.width))


def _slope(r, c):
    return (r > 0) * 3 - c.astype(int) + 0.5


def _waves(r, c):
    return np.exp(1j * (r - 2 * c)) / (1 + r**2 + c**2)


def same(gpu, function, image, response, *args, **kwargs):
    """As scikit-image, on the device; the response is asked as often and for the same."""
    expected = function(image, response, *args, **kwargs)
    theirs = list(getattr(response, "asked", ()))
    getattr(response, "asked", theirs).clear()
    found = gpu(function, image, response, *args, **kwargs)
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
    share = 1e-4 if expected.dtype == np.float32 else 1e-10
    np.testing.assert_allclose(found, expected, rtol=0, atol=share * np.abs(expected).max())
    for (dtype, *places), (dtype_too, *places_too) in zip(
        theirs, getattr(response, "asked", ()), strict=True
    ):
        assert dtype == dtype_too
        np.testing.assert_array_equal(places_too, places)
    getattr(response, "asked", theirs).clear()


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_every_dtype(gpu_of_each_kind, function, dtype):
    image = noise(RNG, (30, 41), dtype)
    for given in (image, image.T, image[::-1, ::2]):
        same(gpu_of_each_kind, function, given, Bell())


@pytest.mark.filterwarnings("ignore:.*encountered in divide:RuntimeWarning", TOLD)
@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize(
    "shape", [(1, 1), (1, 8), (7, 1), (2, 2), (2, 3), (9, 9), (16, 7)], ids=str
)
def test_every_parity_of_lengths(gpu, function, shape):
    for response in (Bell(), Bell(0.5), _slope, _waves):
        same(gpu, function, RNG.random(shape), response)


def test_every_argument(gpu_of_each_kind):
    run, image = gpu_of_each_kind, RNG.random((20, 31))
    for function in FUNCTIONS:
        same(run, function, image, Bell(), {"power": 1})
        same(run, function, image, Bell(), {})
    for most in (0, -1.5, 1, 7, True, np.float32(3), np.int8(4), np.inf, np.nan, 1e300):
        same(run, filter_inverse, image, Bell(), max_gain=most)
    faint = Bell(height=1e-18)  # below what is divided by
    same(run, filter_inverse, image, faint, max_gain=np.inf)
    same(run, wiener, image, faint, K=0.0)
    whole = RNG.random((39, 61))
    for ratio in (
        0.0,
        1e-9,
        0.25,
        3.0,
        np.float64(0.5),
        np.inf,
        whole,
        whole[:1],
        [[1]],
        whole > 1,
    ):
        same(run, wiener, image, Bell(), K=ratio)
    single = image.astype(np.float32)
    for ratio in (0.01, whole.astype(np.float32), whole[:, :1].astype(np.float16)):
        same(run, wiener, single, Bell(), K=ratio)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_an_image_of_zeros(gpu, function):
    same(gpu, function, np.zeros((9, 8)), Bell())


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("width", [5, 60], ids=["well above 0", "below the rounding error"])
def test_a_filter_is_left_as_scikit_image_leaves_it(however_small, function, width):
    image = PHOTO / 255

    def passes():
        """What is in the filter after each of a few calls, with images of two shapes."""
        response = Bell(width)
        lpi = LPIFilter2D(response, power=2)
        for call in (function, wiener, filter_inverse, lpi, function):
            for given in (image, image, image[1:]):
                result = call(given) if call is lpi else call(given, predefined_filter=lpi)
                yield result, lpi._cache.copy(), len(response.asked)

    disable()
    expected = list(passes())
    with use_backends("gpu"), observe() as calls:
        found = list(passes())
    assert {call.source for call in calls} == {"kernel"}
    for (ours, kept, asked), (theirs, kept_too, asked_too) in zip(found, expected, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-10 * theirs.max())
        np.testing.assert_array_equal(kept, kept_too, strict=True)
        assert asked == asked_too


def _in_part(function, image, *args, **kwargs):
    """Result of a call that the device begins, and scikit-image ends."""
    with use_backends("gpu"), pytest.warns(DispatchNotification, match="in scikit-image in part"):
        return function(image, *args, **kwargs)


SMOOTH = np.multiply.outer(*(np.exp(-(np.linspace(-4, 4, n) ** 2)) for n in (61, 74)))


@pytest.mark.parametrize(
    ("function", "image", "response", "options"),
    [
        (filter_inverse, SMOOTH, Bell(20), {"max_gain": 1e9}),
        (filter_inverse, SMOOTH.astype(np.float32), Bell(20), {"max_gain": 100}),
        (filter_inverse, PHOTO, Bell(height=0), {}),
        (filter_inverse, PHOTO.astype(np.float32), Bell(), {"max_gain": 1e300}),
        (wiener, SMOOTH, Bell(20), {"K": 0.0}),
        (wiener, PHOTO, Bell(height=0), {}),
        (wiener, PHOTO, Bell(height=1e200), {}),
        (wiener, PHOTO, Bell(), {"K": np.nan}),
        (wiener, np.where(PHOTO > 200, np.nan, 1.0), Bell(), {}),
        (filter_forward, PHOTO.astype(np.float32), _waves, {}),
        (wiener, PHOTO.astype(np.float32), lambda r, c: _slope(r, c).astype(float), {}),
    ],
)
def test_where_rounding_decides_scikit_image_goes_on_from_the_same_response(
    enabled, monkeypatch, function, image, response, options
):
    monkeypatch.setenv("SKIMAGE_BACKENDS_MIN_SIZE", "0")
    monkeypatch.setenv("SKIMAGE_BACKENDS_NOTIFY", "all")
    if response is _waves:
        response = lambda r, c: _waves(r.astype(float), c)  # noqa: E731
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        expected = function(image, response, **options)
        getattr(response, "asked", []).clear()
        found = _in_part(function, image, response, **options)
    np.testing.assert_array_equal(found, expected, strict=True)
    assert len(getattr(response, "asked", [0])) == 1


def test_scikit_image_s_own_warnings_are_heard(however_small):
    for function in DIVIDE:
        heard = []
        for backends in ((), ("gpu",)):
            with use_backends(*backends), warnings.catch_warnings(record=True) as told:
                warnings.simplefilter("always")
                function(PHOTO, Bell(height=0))
            heard.append([(each.category, str(each.message), each.filename) for each in told])
        assert heard[0] == heard[1] != []


def test_what_scikit_image_refuses(gpu):
    image = PHOTO / 255
    for function in FUNCTIONS:
        assert gpu.invalid(function, image)
        assert gpu.invalid(function, image, "no function")
        assert gpu.invalid(function, image, Bell(), ["power"])
        assert gpu.invalid(function, image, Bell(), {"self": 3})
        for wrong in (image[0], image[None], image[:0]):
            assert gpu.invalid(function, wrong, Bell())
    for ratio in (1, None, np.float32(1), True, RNG.random(9), RNG.random((0, 3))):
        assert gpu.invalid(wiener, image, Bell(), K=ratio)


def test_what_is_declined(gpu):
    image, single = PHOTO / 255, PHOTO.astype(np.float32)
    declined = gpu.declined
    for most in (1j, "2", 10**400, [2], None, np.array([2.0])):
        assert "is not a number" in declined(filter_inverse, image, Bell(), None, most)
    for ratio in (-0.5, np.full((1, 1), -0.5)):
        assert "is negative, so" in declined(wiener, image, Bell(), K=ratio)
    for ratio in (np.float64(0.5), np.ones((1, 1)), np.ones((1, 1), int)):
        assert "makes the result wider" in declined(wiener, single, Bell(), K=ratio)
    assert "another shape" in declined(wiener, image, Bell(), K=np.ones(image.shape))
    for function in FUNCTIONS:
        assert "another _" in declined(function, image, predefined_filter=OwnResponse(Bell()))
        assert "another _" in declined(function, image, predefined_filter=lambda image: image)


class OwnResponse(LPIFilter2D):
    """A user's filter."""

    def _prepare(self, data):
        response, spectrum = super()._prepare(data)
        return 2 * response, spectrum


@pytest.mark.parametrize("function", FUNCTIONS)
def test_what_the_response_raises_is_the_user_s(however_small, function):
    def fails(r, c):
        raise RuntimeError("no such response")

    with use_backends("gpu"), pytest.raises(RuntimeError, match="no such response"):
        function(PHOTO, fails)
    for wrong in (lambda r, c: r[1:], lambda r, c: [1, 2]):
        with pytest.raises((ValueError, AttributeError)) as theirs:
            function(PHOTO, wrong)
        with use_backends("gpu"), pytest.raises(type(theirs.value)) as ours:
            function(PHOTO, wrong)
        assert str(ours.value) == str(theirs.value)


@pytest.mark.parametrize("function", DIVIDE)
def test_budget(gpu, counting, function):
    image = cp.asarray(PHOTO / 255)
    lpi = LPIFilter2D(Bell())
    gpu(function, image, predefined_filter=lpi)
    with counting() as counts:
        gpu(function, image, predefined_filter=lpi)
    assert counts.launches <= 4  # beside the transforms
    assert counts.to_host == 1
    assert counts.bytes_to_host == 40
    assert counts.bytes_to_device <= lpi._cache.nbytes + 16
    spectrum = lpi._cache.nbytes
    assert counts.kernel_bytes_read < 5 * spectrum
    assert counts.kernel_bytes_written < 4 * spectrum
