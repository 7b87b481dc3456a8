"""inverse_gaussian_gradient on the device is scikit-image's to the last bit."""

import numpy as np
import pytest
from skimage import data, util
from skimage.segmentation import inverse_gaussian_gradient

from tests.functions.images import low_contrast, wild

RNG = np.random.default_rng(21)
PHOTO = data.camera()[100:150, 90:170]
NOISE = RNG.normal(size=PHOTO.shape)
SHAPES = [(1,), (300,), (1, 90), (33, 65), (150, 7), (9, 17, 35), (3, 4, 5, 6), (2, 3, 2, 3, 2)]


def same(run, image, *args, **options):
    expected = inverse_gaussian_gradient(image, *args, **options)
    result = run(inverse_gaussian_gradient, image, *args, **options)
    assert result.dtype == expected.dtype
    np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_any_shape_and_dtype(gpu_of_each_kind, shape, dtype):
    image = RNG.random(shape).astype(dtype)
    same(gpu_of_each_kind, image)
    for sigma in (0.1, 0.7, np.float32(1.3), 2):
        same(gpu_of_each_kind, image, 10, sigma)
    same(gpu_of_each_kind, image, sigma=[1 + axis / 2 for axis in range(len(shape))])


def test_layouts_of_a_photograph_and_any_alpha(gpu):
    photo = util.img_as_float(data.camera()[::4, ::4])
    for image in (photo, np.asfortranarray(photo), photo[::-2, ::3]):
        same(gpu, image, 1000.0, 3)
    for alpha in (0, 1, True, np.float64(2.5)):
        same(gpu, photo, alpha, sigma=np.array([1.0, 2.0]))
    same(gpu, photo, sigma=30)


def test_values_that_are_not_finite(gpu):
    for value in (np.nan, np.inf):
        image = RNG.random((40, 50))
        image[12, 20] = value
        with np.errstate(invalid="ignore"):
            same(gpu, image, sigma=1)


SINGLE = {
    "photograph": PHOTO / 255,
    "eighths": PHOTO // 32 / 8,
    "noise": NOISE,
    "brief": RNG.integers(0, 3, NOISE.shape) / 2,
    **wild(NOISE),
    **low_contrast(),
}


@pytest.mark.parametrize("image", SINGLE.values(), ids=SINGLE)
def test_single_precision_where_cards_are_slow_in_double(gpu, strict, image):
    """Sums in floats, rounded as those in double are."""
    with np.errstate(all="ignore"):
        image = image.astype(np.float32)
        for sigma in (0.5, (1, 5)):
            same(gpu, image, sigma=sigma)


def test_lines_and_volumes_of_single_precision_where_cards_are_slow_in_double(gpu, strict):
    same(gpu, RNG.random(600).astype(np.float32), sigma=30)
    same(gpu, RNG.random((12, 9, 20)).astype(np.float32), sigma=(2, 0.1, 1))


def test_what_scikit_image_refuses_it_refuses_itself(gpu):
    image = np.ones((5, 5))
    with pytest.raises(RuntimeError):
        inverse_gaussian_gradient(image, sigma=(1, 2, 3))
    assert gpu.invalid(inverse_gaussian_gradient, image, sigma=(1, 2, 3))


def test_what_is_left_to_scikit_image(gpu):
    image = np.ones((5, 5), np.float32)
    assert "float16" in gpu.declined(inverse_gaussian_gradient, image.astype("float16"), sigma=0)
    assert "img_as_float" in gpu.declined(inverse_gaussian_gradient, image.astype(np.uint8))
    assert "alpha" in gpu.declined(inverse_gaussian_gradient, image, np.float64(1))
    for sigma in (0, (1, 0), -1, 31, np.nan):
        assert "sigma" in gpu.declined(inverse_gaussian_gradient, image, sigma=sigma)


@pytest.mark.parametrize("shape", [(256, 320), (32, 48, 40)], ids=str)
def test_a_launch_an_axis(gpu, counting, shape):
    image, axes = RNG.random(shape), len(shape)
    with counting() as counts:
        gpu(inverse_gaussian_gradient, image, sigma=1)
    between = {2: 2, 3: 5}[axes]
    assert counts.launches == axes
    # halos are read again, from cache
    assert counts.kernel_bytes_read <= 1.8 * (1 + between) * image.nbytes
    assert counts.kernel_bytes_written == (1 + between) * image.nbytes
