"""Gabor filters on the device are scikit-image's to the last bit."""

import numpy as np
import pytest
from skimage.filters import gabor

import cuda_simulator
from tests.functions.filter_agreement import MODES, quietly
from tests.functions.images import DTYPES, low_contrast, wild

RNG = np.random.default_rng(12)
PLANE = RNG.integers(0, 127, (31, 47))
NOISE = RNG.normal(size=PLANE.shape)
SINGLE = {
    "few digits": PLANE // 16 / 4,
    "grey": PLANE / 255,
    "noise": NOISE,
    **wild(NOISE),
    **low_contrast(),
}


def same(run, image, *args, **kwargs):
    for found, expected in zip(
        run(gabor, image, *args, **kwargs), gabor(image, *args, **kwargs), strict=True
    ):
        assert found.dtype == expected.dtype
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_dtype_is_cut_as_scipy_does(gpu_of_each_kind, dtype):
    """Responses of both signs, in unsigned integers too."""
    image = PLANE.astype(dtype)
    for given in (image, image.T, image[::-1, ::2]):
        same(gpu_of_each_kind, given, 0.3)
        same(gpu_of_each_kind, given, 0.25, 0.7, offset=1)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("shape", [(31, 47), (2, 3), (1, 1), (1, 40)])
def test_borders(gpu, mode, shape):
    image = RNG.random(shape)
    same(gpu, image, 0.5, mode=mode, cval=0.3)
    same(gpu, (image * 200).astype(np.uint8), 0.4, 1, mode=mode, cval=9)


@pytest.mark.parametrize(
    "options",
    [
        {"theta": 0.5},
        {"bandwidth": 3},
        {"sigma_x": 1, "sigma_y": 4, "theta": 0.3},
        {"n_stds": 1.5},
        {"n_stds": 0},
        {"sigma_x": 11, "theta": 0.3},
        {"sigma_x": 0.01, "sigma_y": 0.02},
    ],
)
@pytest.mark.parametrize("dtype", [np.uint8, np.float32, float])
def test_shapes_of_kernels(gpu_of_each_kind, options, dtype):
    """Those that are larger than a tile, too, and of large weights."""
    same(gpu_of_each_kind, PLANE.astype(dtype), 0.3, **options)


def test_sums_of_bytes_near_to_whole_numbers(gpu_of_each_kind):
    noise = RNG.integers(0, 256, (150, 210), np.uint8)
    for image in (noise, noise // 128 * 255, noise > 50, np.full((40, 50), 200, np.uint8)):
        for options in ({"frequency": 0.6}, {"frequency": 0.2, "bandwidth": 2, "theta": 0.4}):
            same(gpu_of_each_kind, image, **options)


def test_flat_and_black_regions_of_floats(gpu_of_each_kind):
    image = np.zeros((60, 150), np.float32)
    image[:, 50:100] = 0.7
    image[20:40, 30:120] += NOISE[:20, :1] * 1e-3
    same(gpu_of_each_kind, image, 0.6)
    same(gpu_of_each_kind, image * np.float32(1e-42), 0.3, 0.4)


@pytest.mark.parametrize("image", SINGLE.values(), ids=SINGLE)
def test_single_precision_where_cards_are_slow_in_double(gpu, strict, image):
    """Sums in floats, rounded as those in double are."""
    image = quietly(image.astype, np.float32)
    for options in ({"frequency": 0.6}, {"frequency": 0.2, "theta": 0.5}):
        for cval in (0.5, 0.3):
            ours = quietly(gpu, gabor, image, mode="constant", cval=cval, **options)
            theirs = quietly(gabor, image, mode="constant", cval=cval, **options)
            np.testing.assert_array_equal(np.array(ours), np.array(theirs))


def test_what_is_left_to_others(gpu):
    image = PLANE.astype(float)
    for options in ({"frequency": 0}, {"frequency": 1, "mode": "no such"}, {"frequency": np.nan}):
        assert gpu.invalid(gabor, image, **options)
    assert gpu.invalid(gabor, np.zeros((3, 4, 5)), 0.3)
    assert "larger frequency" in gpu.declined(gabor, image, 1e-4)
    assert "is not a number" in gpu.declined(gabor, image, 0.6, cval=())


def test_one_launch(gpu, counting):
    import cupy as cp

    image = cp.asarray(PLANE.astype(np.float32))
    with counting() as counts:
        gpu(gabor, image, 0.3)
    assert counts.launches == 1
    assert counts.kernel_bytes_written == 2 * image.nbytes


@pytest.mark.parametrize("order", ["forward", "backward", "shuffled"])
def test_no_result_depends_on_the_order_of_threads(gpu, strict, order):
    with cuda_simulator.thread_order(order):
        same(gpu, PLANE.astype(np.uint8), 0.4)
