"""Features of several scales on the device are scikit-image's."""

import numpy as np
import pytest
from skimage.feature import multiscale_basic_features

from tests.functions.images import DTYPES

RNG = np.random.default_rng(16)


def same(run, image, **options):
    expected = multiscale_basic_features(image, **options)
    found = run(multiscale_basic_features, image, **options)
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
    # second differences of single precision
    np.testing.assert_allclose(found, expected, rtol=0, atol=3e-6 * np.abs(expected).max())


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_dtype(gpu_of_each_kind, dtype):
    image = (RNG.random((30, 41)) * (1 if np.dtype(dtype).kind == "f" else 100)).astype(dtype)
    for given in (image, image.T, image[::-1, ::2]):
        same(gpu_of_each_kind, given, sigma_max=4)


@pytest.mark.parametrize(
    "options",
    [
        {"intensity": False},
        {"edges": False},
        {"texture": False},
        {"sigma_min": 1, "sigma_max": 5},
        {"num_sigma": 3},
        {"workers": 2},
    ],
)
def test_every_option(gpu, options):
    for shape in ((33, 29), (17, 65), (2, 3)):
        same(gpu, RNG.random(shape), **options)


@pytest.mark.parametrize("channel_axis", [0, 1, 2, -1, -2])
def test_channels_come_one_after_the_other(gpu_of_each_kind, channel_axis):
    image = np.moveaxis(RNG.random((20, 23, 3)), -1, channel_axis)
    same(gpu_of_each_kind, image, sigma_max=2, channel_axis=channel_axis)


def test_one_launch_behind_the_smoothing(gpu, counting):
    import cupy as cp

    image = cp.asarray(RNG.random((70, 133), dtype="float32"))
    with counting() as counts:
        result = gpu(multiscale_basic_features, image, sigma_max=4)
    assert counts.launches == 4 + 1
    assert counts.kernel_bytes_written == 4 * image.nbytes + result.nbytes


def test_volumes(gpu):
    same(gpu, RNG.random((9, 10, 11)), sigma_max=2)


@pytest.mark.filterwarnings("ignore:divide by zero")
def test_what_scikit_image_refuses(gpu):
    image = RNG.random((8, 9))
    for options in (
        dict.fromkeys(("intensity", "edges", "texture"), False),
        {"channel_axis": 2},
        {"num_sigma": 0},
        {"sigma_max": 0.1},
        {"sigma_min": 0},
        {"workers": 0},
    ):
        with pytest.raises((ValueError, OverflowError)):
            multiscale_basic_features(image, **options)
        assert gpu.invalid(multiscale_basic_features, image, **options)
    assert gpu.declined(multiscale_basic_features, image[0])
