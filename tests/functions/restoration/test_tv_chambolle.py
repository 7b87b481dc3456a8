"""Images of less total variation are scikit-image's to the last bit."""

import numpy as np
import pytest
from skimage import data
from skimage.restoration import denoise_tv_chambolle

from tests.functions.equality import same_as
from tests.functions.images import DTYPES
from tests.functions.images import noise as noise_of

RNG = np.random.default_rng(43)
COINS = data.coins()[::6, ::6]
SHAPES = [(1,), (7,), (300,), (1, 1), (1, 9), (9, 1), (31, 7), (130, 257), (5, 6, 7), (2, 9, 1, 4)]
same = same_as(denoise_tv_chambolle)


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_dtype(gpu_of_each_kind, dtype):
    image = noise_of(RNG, (20, 33), dtype)
    turned = image if dtype == "float16" else image.astype(image.dtype.newbyteorder())
    for given in (image, image.T, image[::-1, ::2], turned):
        same(gpu_of_each_kind, given, max_num_iter=9)
    same(gpu_of_each_kind, noise_of(RNG, (5, 6, 7), dtype), 3, channel_axis=1)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_any_shape(gpu, shape, dtype):
    """With sums in NumPy's order, whatever the number of elements."""
    image = (RNG.random(shape) * 10.0 ** RNG.integers(-2, 3, shape)).astype(dtype)
    for weight in (0.1, 5):
        for iterations in (2, 3, 20):
            same(gpu, image, weight, 1e-4, iterations)


def test_it_stops_where_scikit_image_stops(gpu):
    for image in (COINS / 255, (COINS / 255).astype("f4"), COINS, np.float16(COINS) / 255):
        for weight in (0.02, 0.1, 1):
            for eps in (1e-2, 1e-3, 2e-4, 3e-5):
                same(gpu, image, weight, eps)
    same(gpu, COINS, eps=1e-3, max_num_iter=np.inf)
    same(gpu, RNG.random((301, 700)), eps=1e-2)


@pytest.mark.parametrize("iterations", [2, 15, 16, 17, 18, 49, 50, 51, 112, 113, 114, 115, 12.5])
def test_any_number_of_iterations(gpu, iterations):
    """Whether or not the host asks in between."""
    same(gpu, COINS / 255, 0.3, 0, iterations)


@pytest.mark.parametrize("axis", [0, 1, 2, -1, -2, 5, np.int8(0)])
def test_channels_stop_each_by_itself(gpu_of_each_kind, axis):
    image = np.stack([COINS[:40, :40] / 255, RNG.random((40, 40)), np.ones((40, 40))], axis % 3)
    same(gpu_of_each_kind, image, channel_axis=axis)
    same(gpu_of_each_kind, image.astype("f4").T, 0.5, 1e-3, channel_axis=axis)


@pytest.mark.parametrize(
    "options",
    [
        {"weight": -0.1},
        {"weight": 1},
        {"weight": True},
        {"weight": np.float32(0.3)},
        {"weight": np.float16(0.3)},
        {"eps": -1},
        {"eps": np.float32(1e-3)},
        {"eps": 1},
    ],
    ids=str,
)
def test_any_option(gpu, options):
    for dtype in ("float32", "float64", "uint8"):
        same(gpu, COINS.astype(dtype), max_num_iter=30, **options)


def test_numbers_of_double_precision(gpu):
    same(gpu, COINS / 255, np.float64(0.3), np.float64(1e-3), np.int64(30))
    same(gpu, COINS / 255, np.int64(3), 1e-3)
    single = (COINS / 255).astype("f4")
    for options in ({"weight": np.float64(1)}, {"weight": np.int64(1)}, {"eps": np.float64(1)}):
        assert "wider" in gpu.declined(denoise_tv_chambolle, single, **options)
    assert "quotient" in gpu.declined(denoise_tv_chambolle, single, np.int16(1))


def test_values_that_are_not_finite(gpu):
    for value in (np.nan, np.inf, -np.inf):
        image = RNG.random((40, 70))
        image[12, 20] = value
        same(gpu, image, max_num_iter=40)
    same(gpu, np.full((20, 30), 7.0))
    same(gpu, np.zeros((20, 30)))
    same(gpu, RNG.random((20, 30)) * 1e300)


def test_what_scikit_image_refuses_it_refuses_itself(gpu):
    for options in ({"max_num_iter": 0}, {"max_num_iter": np.nan}, {"weight": 10**400}):
        with pytest.raises((UnboundLocalError, OverflowError)):
            denoise_tv_chambolle(COINS, **options)
        assert gpu.invalid(denoise_tv_chambolle, COINS, **options)


def test_what_is_left_to_scikit_image(gpu):
    for words, image, options in (
        ("as it is", COINS, {"max_num_iter": 1}),
        ("divided", COINS, {"weight": 0}),
        ("finite", COINS, {"weight": np.inf}),
        ("finite", COINS, {"eps": np.nan}),
        ("number", COINS, {"eps": "1"}),
        ("axes", np.ones((2,) * 5), {}),
        ("axes", np.ones(5), {"channel_axis": 0}),
        ("elements", np.ones((0, 5)), {}),
        ("channels", np.ones((70_000, 1)), {"channel_axis": 0}),
    ):
        assert words in gpu.declined(denoise_tv_chambolle, image, **options)


def test_one_launch_an_iteration(gpu, counting):
    import cupy as cp

    for shape, axis in (((64, 80), None), ((3, 64, 80), 0), ((20, 30, 40), None)):
        image = cp.asarray(RNG.random(shape))
        with counting() as counts:
            gpu(denoise_tv_chambolle, image, eps=0, max_num_iter=30, channel_axis=axis)
        axes = len(shape) - (axis is not None)
        assert counts.launches == 30
        assert counts.kernel_bytes_written < 1.05 * 29 * axes * image.nbytes + image.nbytes
        assert counts.kernel_bytes_read < 1.05 * 31 * (1 + axes) * image.nbytes
