"""estimate_sigma on the device is scikit-image's to the last bit."""

import sys
import warnings

import numpy as np
import pytest
from skimage import data
from skimage.restoration import estimate_sigma

from skimage_gpu_backend.functions.restoration import estimate_sigma as room
from tests.functions.images import DTYPES, noise

RNG = np.random.default_rng(59)
HINT = "ignore:image is size"


def same(run, image, *args, **options):
    expected = estimate_sigma(image, *args, **options)
    found = run(estimate_sigma, image, *args, **options)
    assert type(found) is type(expected)
    assert np.asarray(found).dtype == np.asarray(expected).dtype
    np.testing.assert_array_equal(found, expected)
    return found


@pytest.mark.parametrize("dtype", DTYPES)
def test_any_dtype_and_layout(gpu_of_each_kind, dtype):
    image = noise(RNG, (41, 34), dtype)
    for given in (image, image.T, image[::-1, ::2]):
        assert same(gpu_of_each_kind, given) > 0
    assert same(gpu_of_each_kind, noise(RNG, (9, 8, 7), dtype)) > 0
    same(gpu_of_each_kind, image[:33].reshape(11, 3, 34), channel_axis=1)


@pytest.mark.parametrize("dtype", ["int16", "uint64", "float64"])
def test_the_other_byte_order(gpu, dtype):
    image = noise(RNG, (41, 34), dtype)
    same(gpu, image.astype(image.dtype.newbyteorder()))
    same(gpu, image[:33].reshape(11, 3, 34).astype(image.dtype.newbyteorder()), channel_axis=1)


@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_pywavelets_knows_single_precision_in_its_own_byte_order_only(gpu, dtype):
    image = noise(RNG, (41, 34), dtype)
    assert "byte order" in gpu.declined(estimate_sigma, image.astype(image.dtype.newbyteorder()))


@pytest.mark.filterwarnings(HINT)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_any_shape(gpu, dtype):
    """Also axes that are shorter than the filter, which the image then covers more than once."""
    lengths = (1, 2, 3, 4, 5, 6, 9)
    for rows in lengths:
        same(gpu, noise(RNG, (rows,), dtype))
        for columns in lengths:
            same(gpu, noise(RNG, (rows, columns), dtype))
    for shape in ((7, 1, 5), (2, 3, 9), (5, 1, 4, 6), (1, 1, 1), (3, 2, 4, 5, 6), (70000,)):
        same(gpu, noise(RNG, shape, dtype))


@pytest.mark.filterwarnings(HINT)
@pytest.mark.parametrize("average_sigmas", [False, True, 1])
@pytest.mark.parametrize("shape", [(7, 9), (13, 11, 3), (5, 6, 7, 8), (3, 4, 5, 2, 6)])
def test_channels_along_any_axis(gpu, gpu_of_each_kind, shape, average_sigmas):
    image = noise(RNG, shape)
    for axis in (*range(-len(shape), len(shape)), len(shape) + 1, -9, True, np.int8(1), 10**400):
        found = same(gpu_of_each_kind, image, average_sigmas, channel_axis=axis)
        assert average_sigmas or len(found) == shape[axis % len(shape)]
    for axis in (1.0, "a", [1], np.ones(2)):
        with pytest.raises(TypeError):
            estimate_sigma(image, average_sigmas, channel_axis=axis)
        assert "integer" in gpu.declined(estimate_sigma, image, channel_axis=axis)


def test_details_that_are_zero_do_not_count(gpu):
    """Flat parts of images of few values leave details that only rounding keeps from 0."""
    for image in (data.horse(), data.page(), data.horse()[::3, ::3].astype("float32")):
        same(gpu, image)
    image = np.zeros((64, 80))
    for filled in (1, 2, 7, 40):
        image[:filled, :filled] = RNG.normal(size=(filled, filled))
        assert same(gpu, image) > 0
        same(gpu, np.stack([image, image[::-1], np.roll(image, 9)]), channel_axis=0)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_many_details_are_selected_by_their_bits(gpu, dtype, monkeypatch):
    from skimage_gpu_backend.primitives import select

    image = RNG.normal(size=(120, 90)).astype(dtype)
    for few in (0, 50, 1 << 16):
        monkeypatch.setattr(select, "_FEW", few)
        for given in (image, image[:-1], image > 1, np.round(image)):
            same(gpu, given)


def test_values_beyond_all_bounds(gpu):
    for dtype, value in (("float64", 1e308), ("float32", 3e38), ("float16", 6e4)):
        for each in (np.nan, np.inf, -np.inf, value, 1e-40):
            image = noise(RNG, (12, 15), dtype)
            image[4:7, 5] = each
            same(gpu, image)
            same(gpu, np.stack([image, np.ones_like(image)]), channel_axis=0)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", RuntimeWarning)
                same(gpu, np.full((9, 12), each, dtype))


def heard(function, *args, **options):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        value = function(*args, **options)
    return value, [(each.category, str(each.message)) for each in found]


@pytest.mark.parametrize("shape", [(9, 4), (3,), (6, 7, 3), (3, 9, 4)])
def test_what_looks_like_colour_is_warned_of(gpu, shape):
    image = noise(RNG, shape)
    axes = (None, 0, -1) if image.ndim > 1 else (None,)
    for axis in axes:
        expected = heard(estimate_sigma, image, channel_axis=axis)
        assert heard(gpu, estimate_sigma, image, channel_axis=axis) == expected
    assert heard(estimate_sigma, image)[1]


def test_an_image_without_details_is_warned_of(gpu):
    for image in (np.zeros((9, 12)), np.zeros((9, 12), np.uint8)):
        expected, found = heard(estimate_sigma, image), heard(gpu, estimate_sigma, image)
        assert len(found[1]) == 2
        assert found[1] == expected[1]
        assert np.isnan(found[0])


def test_images_that_scikit_image_refuses(gpu):
    assert gpu.invalid(estimate_sigma, np.ones(()))
    assert gpu.invalid(estimate_sigma, np.ones(5), channel_axis=0)
    assert "empty" in gpu.declined(estimate_sigma, np.ones((0, 7)))
    assert "neither" in gpu.declined(estimate_sigma, np.ones((6, 7, 8)), np.ones(2))


def test_without_pywavelets_scikit_image_says_what_to_install(gpu, monkeypatch):
    monkeypatch.setitem(sys.modules, "pywt", None)
    room._taps.cache_clear()
    assert gpu.invalid(estimate_sigma, np.ones((9, 9)))
    with pytest.raises(ImportError, match="PyWavelets is not installed"):
        estimate_sigma(np.ones((9, 9)))


@pytest.mark.parametrize(
    ("shape", "axis", "launches", "read"),
    [
        ((400, 600), None, 3, 1.51),
        ((800, 600), None, 4, 1.8),
        ((80, 70, 60), None, 4, 1.8),
        ((200, 300, 3), -1, 7, 1.6),
        ((30, 40, 50, 2), -1, 7, 3),
    ],
)
def test_launches_and_bytes(counting, shape, axis, launches, read):
    import cupy as cp

    image = cp.asarray(RNG.normal(size=shape))
    plan = room.estimate_sigma(image, channel_axis=axis)
    with counting() as counts:
        plan.run(image=image)
    assert counts.launches == launches <= plan.cost.launches
    assert counts.kernel_bytes_read <= plan.cost.read
    assert counts.kernel_bytes_written <= plan.cost.written
    assert counts.kernel_bytes_read <= read * image.nbytes + 4096
