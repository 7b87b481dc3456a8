"""The measure of blur of an image on the device is scikit-image's."""

import numpy as np
import pytest
from skimage import data
from skimage.measure import blur_effect

from tests.functions.images import DTYPES, noise

RNG = np.random.default_rng(3)


def same(run, image, *args, **kwargs):
    expected, result = blur_effect(image, *args, **kwargs), run(blur_effect, image, *args, **kwargs)
    assert type(result) is type(expected)
    digits = 1e-6 if image.dtype.char in "ef" else 1e-10
    np.testing.assert_allclose(result, expected, rtol=0, atol=digits)
    return expected


@pytest.mark.thorough
@pytest.mark.parametrize("dtype", [dtype for dtype in DTYPES if dtype != "float16"])
def test_any_dtype_number_of_axes_and_size(gpu_of_each_kind, dtype):
    for shape in ((41,), (31, 44), (4, 4), (9, 10, 8), (5, 4, 6, 5)):
        image = noise(RNG, shape, dtype)
        for size in (11, 2, 3, 40):
            same(gpu_of_each_kind, image, size, reduce_func=None)


def test_large_integers_have_no_edges_that_count(gpu):
    """scikit-image divides by the largest integer, and knows no smaller edges than 2.2e-16."""
    for dtype in ("int64", "uint64"):
        assert same(gpu, RNG.integers(0, 100, (30, 40)).astype(dtype)) == 1
        same(gpu, RNG.integers(0, 2**63, (30, 40), dtype, endpoint=False))


def test_images_without_edges_and_with_small_ones(gpu):
    assert same(gpu, np.full((20, 30), 0.7)) == 1
    for scale in (1e-16, 1e-14, 1e5):
        for dtype in ("float32", "float64"):
            same(gpu, (RNG.random((40, 50)) * scale).astype(dtype), reduce_func=None)


@pytest.mark.thorough
def test_photographs_in_grey_and_colour(gpu_of_each_kind):
    image = data.astronaut()[100:180, 120:210]
    for colour in (image, image.astype("float32"), image / np.float16(256), image > 90):
        for axis in range(3):
            same(gpu_of_each_kind, np.moveaxis(colour, 2, axis), channel_axis=axis)
            same(gpu_of_each_kind, np.moveaxis(colour, 2, axis), channel_axis=axis - 3)
    same(gpu_of_each_kind, image[..., 1], 7)
    same(gpu_of_each_kind, np.dstack([image, image]))  # of three axes


def test_functions_that_reduce_get_a_list_of_numbers(gpu_of_each_kind):
    image = noise(RNG, (20, 30, 9))
    for function in (np.max, np.mean, max, min, sum, len, list, sorted, lambda found: found[1]):
        same(gpu_of_each_kind, image, reduce_func=function)
    with pytest.raises(ZeroDivisionError):
        gpu_of_each_kind(blur_effect, image, reduce_func=lambda found: 1 / 0)


def test_values_that_are_not_finite_reach_what_they_reach_in_scikit_image(gpu):
    for value in (np.nan, np.inf):
        for place in ((0, 9), (1, 0), (15, 20), (29, 39), (12, 0), (29, 5)):
            for size in (2, 3, 11):
                image = noise(RNG, (30, 40), "float32")
                image[place] = value
                with np.errstate(all="ignore"):
                    same(gpu, image, size, reduce_func=None)


def test_what_is_refused_is_left_to_scikit_image(gpu):
    image = noise(RNG, (20, 30))
    assert gpu.invalid(blur_effect, image, 0)
    assert gpu.invalid(blur_effect, image.astype("float16"))
    assert gpu.invalid(blur_effect, image, channel_axis=-1)
    assert gpu.invalid(blur_effect, data.astronaut(), channel_axis=3)
    assert gpu.invalid(blur_effect, image, reduce_func=3)
    assert "inside" in gpu.declined(blur_effect, image[:3])
    assert "channel_axis" in gpu.declined(blur_effect, data.astronaut(), channel_axis=(2,))
    assert "h_size" in gpu.declined(blur_effect, image, 1e9)


def test_two_launches_for_each_axis(gpu, counting):
    import cupy as cp

    for image in (noise(RNG, (64, 80), "float32"), noise(RNG, (20, 24, 16))):
        on_device = cp.asarray(image)
        with counting() as counts:
            gpu(blur_effect, on_device)
        assert counts.launches == 2 * image.ndim
        assert counts.kernel_bytes_read < 3.2 * image.ndim * image.nbytes
        assert counts.kernel_bytes_written < 1.2 * image.ndim * image.nbytes
