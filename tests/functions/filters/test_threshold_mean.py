"""The mean of an image on the device is NumPy's."""

import numpy as np
import pytest
from skimage.filters import threshold_mean

from tests.functions.images import DTYPES

RNG = np.random.default_rng(4)


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_mean_is_scikit_images(gpu_of_each_kind, dtype):
    for shape in [(45, 71), (1,), (5, 6, 7), (2, 1, 3, 4)]:
        image = (RNG.random(shape) * 100 - 10 * (np.dtype(dtype).kind != "u")).astype(dtype)
        for given in (image, image.T, image[::-1, ...]):
            expected, found = threshold_mean(given), gpu_of_each_kind(threshold_mean, given)
            assert type(found) is type(expected)
            bits = 1e-15 if given.dtype.kind != "f" else 2 * np.finfo(dtype).eps
            np.testing.assert_allclose(found, expected, rtol=bits)


def test_half_precision_is_added_up_in_single(gpu_of_each_kind):
    image = np.full((200, 300), 60000, np.float16)
    assert gpu_of_each_kind(threshold_mean, image) == threshold_mean(image)


@pytest.mark.filterwarnings("ignore:overflow")
def test_sums_beyond_the_dtype_are_infinite(gpu_of_each_kind):
    image = np.full((20, 30), 3e38, np.float32)
    assert np.isinf(threshold_mean(image))
    assert gpu_of_each_kind(threshold_mean, image) == threshold_mean(image)


def test_one_launch_reads_the_image_once(gpu, counting):
    import cupy as cp

    image = cp.asarray(RNG.random((128, 128)).astype(np.float32))
    with counting() as counts:
        gpu(threshold_mean, image)
    assert (counts.launches, counts.to_host) == (1, 1)
    assert counts.kernel_bytes_read == image.nbytes


def test_an_image_without_elements_is_left_to_scikit_image(gpu):
    assert "nothing to change" in gpu.declined(threshold_mean, np.zeros((0, 3)))
