"""Deconvolutions on the device give scikit-image's numbers."""

import numpy as np
import pytest
from skimage import data
from skimage.restoration import richardson_lucy, uft, wiener

import cuda_simulator
from skimage_gpu_backend.trouble import Declined
from tests.functions.images import DTYPES
from tests.functions.images import noise as noise_of

RNG = np.random.default_rng(47)
COINS = data.coins()[::4, ::4] / 255
PSF = np.outer([1, 2, 4, 2, 1], [1, 3, 5, 3, 1]) / 10 / 13


def close(run, function, image, *args, single=1e-5, **options):
    expected, found = function(image, *args, **options), run(function, image, *args, **options)
    assert found.dtype == expected.dtype
    assert found.shape == expected.shape
    bound = single if expected.dtype.char in "fF" else 1e-10
    np.testing.assert_allclose(found, expected, rtol=0, atol=bound * np.abs(expected).max())


def blur(shape):
    psf = RNG.random(shape) + 0.1
    return psf / psf.sum()


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_dtype(gpu_of_each_kind, dtype):
    image = noise_of(RNG, (41, 34), dtype)
    if dtype not in ("bool", "uint8", "uint64"):
        image = (image / 128).astype(dtype) if image.dtype.kind == "f" else image
    for given in (image, image.T, image[::-1, ::2]):
        close(gpu_of_each_kind, wiener, given, PSF, 0.1, clip=False)
        close(gpu_of_each_kind, richardson_lucy, np.abs(given), PSF, 4, clip=False)
    for psf in (PSF.astype("f4"), (PSF > 0.1), np.arange(1, 7, dtype="u1").reshape(2, 3)):
        close(gpu_of_each_kind, wiener, image, psf, 0.5)
        close(gpu_of_each_kind, richardson_lucy, np.abs(image), psf, 3)


@pytest.mark.parametrize(
    ("shape", "extent"),
    [
        ((53,), (5,)),
        ((300,), (4,)),
        ((64, 64), (8, 8)),
        ((41, 53), (41, 53)),
        ((40, 27), (1, 6)),
        ((150, 130), (31, 30)),
        ((50, 70), (11, 11)),
        ((140, 33), (121, 1)),
        ((3, 140), (1, 121)),
        ((31, 65), (2, 7)),
        ((9, 20, 30), (3, 4, 5)),
        ((5, 6, 7, 8), (3, 2, 3, 4)),
    ],
)
def test_any_shape(gpu_of_each_kind, shape, extent):
    image, psf = RNG.random(shape), blur(extent)
    for real in (True, False):
        close(gpu_of_each_kind, wiener, image, psf, 0.1, is_real=real)
        close(gpu_of_each_kind, wiener, image, psf, 0.1, is_real=real, clip=False)
    close(gpu_of_each_kind, richardson_lucy, image, psf, 6)
    close(gpu_of_each_kind, richardson_lucy, image.astype("f4"), psf, 6, clip=False)


def test_any_regularisation(gpu):
    for image in (COINS, COINS.astype("f4")):
        laplacian, response = uft.laplacian(2, image.shape)
        whole, _ = uft.laplacian(2, image.shape, is_real=False)
        for reg in (laplacian, response, np.ones((2, 3)), np.uint8([[1, 2], [3, 4]])):
            # without a balance small responses divide what cuFFT rounds otherwise than SciPy
            single = 1e-5 if cuda_simulator.active() else 2e-5
            close(gpu, wiener, image, PSF, 0, reg, single=single)
            for balance in (1e-3, 1, 1000, np.float32(0.1), True):
                close(gpu, wiener, image, PSF, balance, reg)
        close(gpu, wiener, image, PSF, 0.1, whole, is_real=False)
        transfer = 1 / (1 + np.abs(laplacian))
        for psf in (transfer, transfer.real, transfer.astype("c8")):
            close(gpu, wiener, image, psf, 0.1)
            close(gpu, wiener, image, psf, 0.1, laplacian.astype("c8"))


@pytest.mark.parametrize("iterations", [0, 1, 2, 30, -3, True])
def test_any_number_of_iterations(gpu, iterations):
    for clip in (True, False):
        close(gpu, richardson_lucy, COINS, PSF, iterations, clip)


def test_elements_that_are_too_small_to_divide_by(gpu):
    image = COINS.copy()
    image[20:40, 20:40] = 0
    for least in (None, 0, False, 1e-3, 0.3, np.float32(0.1), 7):
        close(gpu, richardson_lucy, image, PSF, 8, filter_epsilon=least)
    close(gpu, richardson_lucy, np.zeros((30, 40)), PSF, 8)
    close(gpu, richardson_lucy, np.zeros((30, 40)), np.ones((1, 1)), 8)


def test_convolutions_that_scipy_makes_product_by_product(gpu, counting):
    for shape, extent in (
        ((9, 8), (3, 1)),
        ((20, 30), (2, 1)),
        ((40,), (9,)),
        ((3, 4, 5), (1, 1, 2)),
    ):
        image = RNG.random(shape)
        with counting() as counts:
            gpu(richardson_lucy, image, blur(extent), 5)
        assert counts.launches < 4 * 5 + 3
        close(gpu, richardson_lucy, image, blur(extent), 9)


def test_what_scikit_image_refuses_it_refuses_itself(gpu):
    for function, args in (
        (wiener, (np.ones((1, 9)), np.ones((1, 3)), 1)),
        (wiener, (COINS, [[1.0]], 1)),
        (wiener, (COINS, np.ones((3, 3, 3)), 1)),
        (wiener, (COINS, np.ones((3, 900)), 1)),
        (wiener, (COINS, PSF, 1, np.ones((3, 900)))),
        (wiener, (COINS, PSF, 10**400)),
        (richardson_lucy, (COINS, np.ones((3, 3, 3)))),
        (richardson_lucy, (COINS, [[1.0]])),
        (richardson_lucy, (COINS, PSF, 2.5)),
    ):
        with pytest.raises((ValueError, TypeError, IndexError, AttributeError, OverflowError)):
            function(*args)
        assert gpu.invalid(function, *args)


def test_what_is_left_to_scikit_image(gpu):
    for words, function, args in (
        ("elements", wiener, (np.ones((0, 5)), PSF, 1)),
        ("elements", wiener, (COINS, np.ones((0, 5)), 1)),
        ("fewer", wiener, (COINS, np.ones(3), 1)),
        ("another shape", wiener, (COINS, PSF, 1, np.ones((3, 3), complex))),
        ("single", wiener, (COINS, PSF, 1, np.ones((3, 3), "f4"))),
        ("wider", wiener, (COINS.astype("f4"), PSF, np.float64(1))),
        ("number", wiener, (COINS, PSF, "1")),
        ("a dtype that kernels", richardson_lucy, (COINS, PSF.astype(complex))),
        ("axes", richardson_lucy, (COINS, np.ones(3), 0)),
        ("infinities", richardson_lucy, (COINS, PSF * np.inf)),
        ("infinities", richardson_lucy, (COINS, PSF * 1e200)),
        ("filter_epsilon", richardson_lucy, (COINS, PSF, 3, True, "1")),
    ):
        assert words in gpu.declined(function, *args)
    image = COINS.copy()
    image[3, 4] = np.nan
    with pytest.raises(Declined, match="NaN"):
        gpu(richardson_lucy, image, PSF, 3)


def test_launches(gpu, counting):
    import cupy as cp

    image = cp.asarray(COINS)
    for call, most in (
        ((wiener, image, PSF, 0.1), 8),
        ((richardson_lucy, image, PSF, 10), 2 * 10 + 2),
        ((richardson_lucy, image, blur((11, 12)), 10), 8 * 10 + 6),
    ):
        with counting() as counts:
            gpu(*call)
        assert counts.launches <= most
