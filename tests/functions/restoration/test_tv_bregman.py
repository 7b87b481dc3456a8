"""Split Bregman's total variation denoising is scikit-image's to the last bit."""

import numpy as np
import pytest
from skimage import data
from skimage.restoration import denoise_tv_bregman

import cuda_simulator
from skimage_gpu_backend.trouble import Declined
from tests.functions.equality import same_as
from tests.functions.images import DTYPES
from tests.functions.images import noise as noise_of

RNG = np.random.default_rng(83)
SHAPES = [
    (2, 2),
    (2, 9),
    (9, 2),
    (3, 3),
    (5, 4),
    (30, 71),
    (71, 30),
    (6, 7, 3),
    (8, 5, 1),
    (2, 2, 9),
]
FLOATS = ["float32", "float64"]
same = same_as(denoise_tv_bregman)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("isotropic", [True, False])
def test_any_shape(gpu_of_each_kind, shape, dtype, isotropic):
    image = RNG.random(shape).astype(dtype)
    same(gpu_of_each_kind, image, isotropic=isotropic)
    same(gpu_of_each_kind, image - 0.5, 0.3, 21, 0, isotropic)


@pytest.mark.parametrize("dtype", [dtype for dtype in DTYPES if dtype != "float16"])
def test_every_dtype(gpu_of_each_kind, dtype):
    image = noise_of(RNG, (20, 33), dtype)
    for given in (image, image.T, image[::-1], image[::2, 1::3]):
        same(gpu_of_each_kind, given)


@pytest.mark.parametrize("most", [1, 2, 15, 16, 17, 31, 32, 33, 100])
def test_any_number_of_iterations(gpu, most):
    image = RNG.random((12, 19))
    same(gpu, image, 0.2, most, 0)
    same(gpu, image, 0.2, most, -1)
    same(gpu, image, 0.2, most, 1e-4)


def test_it_stops_where_scikit_image_stops(gpu):
    image = data.camera()[::8, ::8] / 255
    for eps in (0.1, 0.03, 1e-2, 3e-3, 1e-3, 3e-4, 1e-4, 3e-5, 1e-5):
        for weight in (0.1, 5, 50):
            same(gpu, image, weight, 60, eps)


@pytest.mark.parametrize("axis", [0, 1, 2, -1, -2, -3])
@pytest.mark.parametrize("dtype", ["uint8", *FLOATS])
def test_a_channel_begins_with_the_one_before_it(gpu_of_each_kind, axis, dtype):
    """scikit-image's fields of a channel are what the last one has become."""
    same(gpu_of_each_kind, noise_of(RNG, (7, 9, 4), dtype), 2.0, channel_axis=axis)
    same(gpu_of_each_kind, noise_of(RNG, (7, 9, 4), dtype), 2.0, 20, 0, False, channel_axis=axis)


def test_planes_have_an_axis_of_channels_too(gpu):
    image = RNG.random((7, 11))
    for axis in (0, 1, -1, -2):
        same(gpu, image, channel_axis=axis)
    same(gpu, image[..., None], channel_axis=-1)
    assert same(gpu, image[None], channel_axis=0).shape == (11, 7)
    assert gpu.invalid(denoise_tv_bregman, image[..., None], channel_axis=2)


@pytest.mark.parametrize("weight", [0, -1, -0.3, 1e-30, 1e30, True, np.float32(0.7), np.int8(3)])
@pytest.mark.parametrize("dtype", FLOATS)
def test_any_weight(gpu, weight, dtype):
    image = RNG.normal(0, 1, (9, 14)).astype(dtype)
    for isotropic in (True, False):
        same(gpu, image, weight, 20, isotropic=isotropic)


@pytest.mark.parametrize("dtype", FLOATS)
def test_values_that_are_not_finite_or_large(gpu, dtype):
    for odd in (np.nan, np.inf, -np.inf, np.finfo(dtype).max, np.finfo(dtype).tiny):
        image = RNG.random((9, 14)).astype(dtype)
        image[4, 5] = odd
        for isotropic in (1, 0):
            same(gpu, image, isotropic=isotropic)
    for value in (0, 1, -0.0):
        same(gpu, np.full((9, 14), value, dtype), eps=0)


def test_images_are_of_more_than_a_block(gpu):
    same(gpu, RNG.random((520, 300)), 1.0, 4)
    same(gpu, RNG.random((2, 600)), 1.0, 18, 0)


def test_arguments_that_are_left_to_others(gpu):
    image = RNG.random((6, 7))
    assert gpu.invalid(denoise_tv_bregman, image.astype("float16"))
    assert gpu.invalid(denoise_tv_bregman, image.reshape(3, 2, 7, 1))
    assert "elements" in gpu.declined(denoise_tv_bregman, image[..., None][..., :0])
    assert gpu.invalid(denoise_tv_bregman, image, channel_axis=2)
    assert gpu.invalid(denoise_tv_bregman, image, max_num_iter=2**31)
    for thin in (image[:1], image[:, :1], image[0], image[:0], image[:, :0], np.float64(3)):
        assert "behind the image" in gpu.declined(denoise_tv_bregman, np.asarray(thin))
    for most in (0, -1):
        assert "max_num_iter" in gpu.declined(denoise_tv_bregman, image, max_num_iter=most)
    for eps in (np.inf, np.nan, np.finfo(float).max, "1"):
        assert "eps" in gpu.declined(denoise_tv_bregman, image, eps=eps)
    for weight in (np.inf, np.nan, None, "2", 1j):
        assert "weight" in gpu.declined(denoise_tv_bregman, image, weight)
    assert "weight" in gpu.declined(denoise_tv_bregman, image.astype("float32"), 1e38)
    for isotropic in (None, 300, "a", np.ones(2)):
        assert "isotropic" in gpu.declined(denoise_tv_bregman, image, isotropic=isotropic)


@pytest.mark.parametrize("number", [1, 5, 18])
def test_what_rounding_of_a_sum_decides_is_left_to_others(gpu, number):
    image = RNG.random((20, 25))
    last, before = (denoise_tv_bregman(image, 0.3, n, 0) for n in (number, number - 1))
    change = np.sqrt(np.mean((last - before) ** 2))
    with pytest.raises(Declined, match="but for rounding"):
        gpu(denoise_tv_bregman, image, 0.3, 40, change)
    for near in (change * (1 - 1e-9), change * (1 + 1e-9)):
        same(gpu, image, 0.3, 40, near)


@pytest.mark.parametrize(
    ("options", "launches", "iterations"),
    [({}, 161, 16), ({"max_num_iter": 3}, 135, 3), ({"max_num_iter": 40, "eps": 0}, 463, 40)],
    ids=["usual", "three", "forty"],
)
def test_launches_and_bytes(gpu, counting, options, launches, iterations):
    """A launch for each of 129 diagonals, two for each iteration more, and two."""
    image = data.camera()[::8, ::8] / 255
    gpu(denoise_tv_bregman, image, **options)
    with counting() as counts:
        gpu(denoise_tv_bregman, image, **options)
    assert counts.launches <= launches
    moved = counts.kernel_bytes_read + counts.kernel_bytes_written
    each = 311 * 66 * image.itemsize  # numbers of 16 iterations, however many are under way
    assert moved <= launches * each + 100 * image.nbytes
    assert counts.bytes_to_host <= image.nbytes + 8 * iterations


@pytest.mark.usefixtures("strict")
def test_no_result_depends_on_the_order_of_threads(gpu):
    image = RNG.random((18, 23)), RNG.random((5, 6, 3))
    for order in ("forward", "backward", "shuffled"):
        with cuda_simulator.thread_order(order):
            same(gpu, image[0], 1.0, 5)
            same(gpu, image[1], 1.0, 5, channel_axis=-1)
