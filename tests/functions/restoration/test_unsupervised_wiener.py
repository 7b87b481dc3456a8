"""Chains of Gibbs samples on the device are scikit-image's, and draw what it draws."""

import numpy as np
import pytest
from skimage import data
from skimage.restoration import uft, unsupervised_wiener

from skimage_gpu_backend.trouble import Declined
from tests.functions.images import DTYPES
from tests.functions.images import noise as noise_of

RNG = np.random.default_rng(53)
COINS = data.coins()[::4, ::4] / 255
PSF = np.outer([1, 2, 4, 2, 1], [1, 3, 5, 3, 1]) / 10 / 13
FEW = {"max_num_iter": 20, "burnin": 3}


def close(run, image, *args, **options):
    rngs = np.random.default_rng(5), np.random.default_rng(5)
    expected, theirs = unsupervised_wiener(image, *args, **options, rng=rngs[0])
    found, ours = run(unsupervised_wiener, image, *args, **options, rng=rngs[1])
    assert rngs[0].random() == rngs[1].random()
    assert found.dtype == expected.dtype
    bound = 1e-4 if expected.dtype.char in "fF" else 1e-10
    np.testing.assert_allclose(found, expected, rtol=0, atol=np.abs(expected).max() * bound)
    for key in ("noise", "prior"):
        assert [type(value) for value in ours[key]] == [type(value) for value in theirs[key]]
        np.testing.assert_allclose(ours[key], theirs[key], rtol=bound)
    return len(theirs["noise"]) - 1


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_dtype(gpu_of_each_kind, dtype):
    image = noise_of(RNG, (41, 34), dtype)
    for given in (image, image.T, image[::-1, ::2]):
        close(gpu_of_each_kind, given, PSF, user_params=FEW, clip=False)


@pytest.mark.parametrize("shape", [(9, 9), (40, 52), (53, 31), (12, 22), (8, 14), (130, 300)])
@pytest.mark.parametrize("real", [True, False])
def test_any_shape(gpu, shape, real):
    """Also one whose spectrum is square, which is taken for a whole one."""
    image = RNG.random(shape)
    close(gpu, image, PSF[:, :4], user_params=FEW, is_real=real)
    close(gpu, image, PSF[:, :4], user_params=FEW, is_real=real, clip=False)


def test_any_regularisation(gpu):
    transfer, response = uft.laplacian(2, COINS.shape)
    for reg in (transfer, response, np.ones((2, 3))):
        close(gpu, COINS, PSF, reg, FEW)
    close(gpu, COINS, 1 / (1 + np.abs(transfer)), None, FEW)


def test_it_ends_where_scikit_image_ends(gpu):
    blurred = COINS + RNG.normal(0, 0.02, COINS.shape)
    assert close(gpu, blurred, PSF) < 200
    for threshold in (1, 1e-2, 1e-3):
        for least in (0, 12):
            chosen = {"threshold": threshold, "min_num_iter": least, "burnin": 2}
            close(gpu, blurred, PSF, user_params=chosen | {"nothing": 7})


@pytest.mark.parametrize("seed", [3, np.int64(3), [1, 2], np.random.SeedSequence(4)], ids=str)
def test_any_seed(gpu, seed):
    expected, theirs = unsupervised_wiener(COINS, PSF, user_params=FEW, rng=seed)
    found, ours = gpu(unsupervised_wiener, COINS, PSF, user_params=FEW, rng=seed)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-10)
    np.testing.assert_allclose(ours["prior"], theirs["prior"], rtol=1e-10)
    gpu(unsupervised_wiener, COINS, PSF, user_params=FEW)


def test_a_chain_that_breaks_off_leaves_the_generator_as_it_was(gpu):
    image, rng = COINS.copy(), np.random.default_rng(5)
    image[3, 4] = np.nan
    with pytest.raises(Declined, match="NaN"):
        gpu(unsupervised_wiener, image, PSF, rng=rng)
    assert rng.random() == np.random.default_rng(5).random()


def test_what_is_left_to_scikit_image(gpu):
    for words, image, options in (
        ("plane", np.ones((5, 6, 7)), {}),
        ("callback", COINS, {"user_params": {"callback": print}}),
        ("burnin", COINS, {"user_params": {"burnin": 2.5}}),
        ("averaged", COINS, {"user_params": {"max_num_iter": 16}}),
        ("threshold", COINS, {"user_params": {"threshold": "1"}}),
        ("dictionary", COINS, {"user_params": [("burnin", 3)]}),
    ):
        assert words in gpu.declined(unsupervised_wiener, image, PSF, **options)
    for options in ({"rng": "seed"}, {"rng": -1}):
        with pytest.raises((TypeError, ValueError)):
            unsupervised_wiener(COINS, PSF, **options)
        assert gpu.invalid(unsupervised_wiener, COINS, PSF, **options)


def test_one_launch_a_sample(gpu, counting):
    with counting() as counts:
        gpu(unsupervised_wiener, COINS, PSF, user_params=FEW, rng=1)
    assert counts.launches <= 20 + 8
