"""Backgrounds by a rolling ball on the device are scikit-image's to the last bit."""

import warnings
from functools import partial

import numpy as np
import pytest
from skimage import data
from skimage.restoration import ball_kernel, ellipsoid_kernel, rolling_ball

from skimage_gpu_backend.trouble import Declined
from tests.functions.equality import same_as
from tests.functions.images import DTYPES
from tests.functions.images import noise as noise_of

RNG = np.random.default_rng(41)
COINS = data.coins()[::5, ::5]
SHAPES = [(1,), (300,), (1, 1), (1, 50), (50, 1), (17, 130), (70, 40), (5, 9, 40), (3, 4, 5, 6)]


noise = partial(noise_of, RNG)
same = same_as(rolling_ball)


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_dtype(gpu_of_each_kind, dtype):
    for shape in ((20, 33), (5, 6, 7)):
        image = noise(shape, dtype)
        for given in (image, image.T, image[::-1, ::2]):
            same(gpu_of_each_kind, given, radius=3)
        same(gpu_of_each_kind, image, kernel=ellipsoid_kernel((3, 5, 7)[: image.ndim], 20))


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_any_shape_and_radius(gpu, shape):
    for dtype in ("uint8", "float32", "float64"):
        image = noise(shape, dtype)
        for radius in (0, 1, 2.5, np.float32(3.7), np.int16(4), 11):
            if radius < 5 or len(shape) < 4:
                same(gpu, image, radius=radius)


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "int16", "float32", "float64"])
def test_a_ball_wider_than_the_strip_of_the_image_in_shared_memory(gpu, dtype):
    image = noise((3, 700), dtype)
    kernel = RNG.random((3, 601)) * 99
    kernel[1, 300] = 100
    same(gpu, image, kernel=kernel)
    same(gpu, noise((900,), dtype), radius=400)


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int8", "uint16", "float16", "float32"])
def test_any_kernel(gpu, dtype):
    image = noise((23, 31), dtype)
    for extent in ((1, 1), (2, 2), (4, 6), (5, 1), (50, 3), (1, 80)):
        kernel = RNG.random(extent) * 30
        kernel[RNG.random(extent) < 0.2] = np.inf
        kernel[RNG.random(extent) < 0.1] = -np.inf
        kernel[extent[0] // 2, extent[1] // 2] = 30
        kernel[kernel == np.inf] = 30
        for given in (kernel, kernel.astype("f4"), np.asfortranarray(kernel), kernel[::-1]):
            if given[extent[0] // 2, extent[1] // 2] == 30:
                same(gpu, image, kernel=given)
    same(gpu, image, kernel=np.ones((3, 3), bool))
    same(gpu, image, kernel=np.uint8([[1, 1, 0], [2, 9, 3], [0, 0, 7]]))


def test_heights_that_rounding_brings_to_an_integer(gpu):
    """So small a distance from one is not seen in a sum of doubles."""
    image = noise((20, 20), "uint16")
    kernel = np.zeros((3, 3))
    kernel[0, 0] = -np.nextafter(8, 0)
    kernel[1, 1] = 0
    same(gpu, image, kernel=kernel)
    image[...] = 60_000
    image[5, 5] = 7
    same(gpu, image, kernel=np.where(np.eye(3), 0, -np.nextafter(8, 0)))
    same(gpu, image, kernel=np.where(np.eye(3), 0, -1e12))


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("nansafe", [False, True])
def test_values_that_are_not_finite(gpu, dtype, nansafe):
    for shape in ((40, 50), (9, 10, 11)):
        image = noise(shape, dtype)
        for value in (np.nan, np.inf, -np.inf):
            image[RNG.random(shape) < 0.01] = value
            for radius in (1, 3, 5.5):
                same(gpu, image, radius=radius, nansafe=nansafe)


def test_a_kernel_that_rises_above_its_centre(gpu):
    """Integers that hold the background, cut as NumPy cuts them; others are left to NumPy."""
    kernel = RNG.random((5, 4)) * 20
    for dtype in DTYPES:
        same(gpu, (RNG.random((20, 20)) * 60 + 60).astype(dtype), kernel=kernel)
    for image, level in ((np.zeros((4, 4), "u1"), 50), (np.zeros((4, 4), "f2"), 1e5)):
        with pytest.raises(Declined, match="range"):
            gpu(rolling_ball, image, kernel=np.full((3, 3), level) - level * CENTRE)


CENTRE = np.array([[0, 0, 0], [0, 1, 0], [0, 0, 0]])


@pytest.mark.parametrize("dtype", ["int64", "uint64"])
def test_integers_of_64_bits_beyond_those_of_a_double(gpu, dtype):
    image = np.full((5, 6), 2**53 + 1, dtype)
    image[0] = np.iinfo(dtype).min
    same(gpu, image, radius=2)
    image[...] = np.iinfo(dtype).max
    with pytest.raises(Declined, match="range"):
        gpu(rolling_ball, image, radius=2)


def test_what_scikit_image_refuses_it_refuses_itself(gpu):
    image = np.ones((5, 5))
    for options in (
        {"radius": np.nan},
        {"radius": np.inf},
        {"radius": -1},
        {"radius": True},
        {"kernel": np.ones((3, 3, 3))},
        {"kernel": np.ones((0, 3))},
        {"kernel": [[1.0]]},
        {"workers": 2.5},
        {"workers": 10**400},
    ):
        with pytest.raises((ValueError, TypeError, IndexError, AttributeError, OverflowError)):
            rolling_ball(image, **options)
        assert gpu.invalid(rolling_ball, image, **options)


def test_what_is_left_to_scikit_image(gpu):
    image = np.ones((5, 5))
    for words, options in (
        ("elements", {"radius": 10_000}),
        ("number", {"radius": "100"}),
        ("number", {"radius": np.ones(2)}),
        ("real", {"kernel": np.ones((3, 3), complex)}),
        ("NaN", {"kernel": np.full((3, 3), np.nan)}),
        ("infinite", {"kernel": np.full((3, 3), np.inf)}),
        ("axes", {"kernel": np.ones(1)}),
        ("-0", {"kernel": np.full((1, 1), -0.0)}),
        ("workers", {"workers": -1}),
        ("num_threads", {"num_threads": 2}),
    ):
        assert words in gpu.declined(rolling_ball, image, **options)
    assert "elements" in gpu.declined(rolling_ball, np.ones((0, 5)))
    assert "wider" in gpu.declined(rolling_ball, image.astype("f4"), kernel=np.full((1, 1), 1e300))
    assert "overflows" in gpu.declined(rolling_ball, image, radius=np.int8(100))


def test_one_launch(gpu, counting):
    import cupy as cp

    for image in (COINS, COINS / 255, noise((20, 30, 40), "float32")):
        image = cp.asarray(image)
        with counting() as counts:
            gpu(rolling_ball, image, radius=5)
        assert counts.launches == 1
        assert counts.kernel_bytes_written == image.nbytes
        assert counts.kernel_bytes_read < image.nbytes + 40_000


def test_work_that_takes_long_is_several_launches(gpu, counting, monkeypatch):
    from skimage_gpu_backend.functions.restoration import rolling_ball as room

    monkeypatch.setattr(room, "_MOST_SUMS", 1 << 20)
    room._planned.cache_clear()
    try:
        with counting() as counts:
            same(gpu, noise((70, 200), "uint8"), radius=9)
        assert counts.launches > 4
        with counting() as of_doubles:
            same(gpu, noise((70, 200), "float64"), radius=9)
        assert of_doubles.launches > 2 * counts.launches, "which many GPUs are slow in"
        same(gpu, noise((70, 200), "int64"), radius=9)
    finally:
        room._planned.cache_clear()


def test_a_ball_that_is_given_is_the_default(gpu):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        same(gpu, COINS, kernel=ball_kernel(20, 2), workers=2)
        same(gpu, COINS, radius=20)
