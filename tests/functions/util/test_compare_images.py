"""Comparison of two images on the device."""

import numpy as np
import pytest
from skimage import util

from tests.functions.images import DTYPES

from .agreement import whole_range

RNG = np.random.default_rng(8)


@pytest.mark.parametrize("dtype", [dtype for dtype in DTYPES if dtype != "float16"])
@pytest.mark.parametrize("method", ["diff", "blend"])
@pytest.mark.parametrize("shape", [(1, 1), (33, 47), (7, 8, 9), (0, 3)])
def test_images_are_compared_in_one_launch(gpu, counting, dtype, method, shape):
    import cupy as cp

    values = whole_range(RNG, dtype)
    pair = [RNG.choice(values, shape) for _ in range(2)]
    expected = util.compare_images(*pair, method=method)
    found = gpu(util.compare_images, *pair, method=method)
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(found, expected, rtol=0, atol=2e-7 if dtype == "float32" else 1e-15)
    on_device = [cp.asarray(image) for image in pair]
    with counting() as counts:
        gpu(util.compare_images, *on_device, method=method)
    assert counts.launches == bool(pair[0].size)
    assert counts.kernel_bytes_read == 2 * pair[0].nbytes


@pytest.mark.parametrize("n_tiles", [(8, 8), (1, 1), (5, 3), (50, 3), [4, 2, 9], (True, 2)])
@pytest.mark.parametrize("dtype", [dtype for dtype in DTYPES if dtype != "float16"])
def test_tiles_of_a_checkerboard_are_scikit_images(gpu_of_each_kind, dtype, n_tiles):
    values = whole_range(RNG, dtype)
    pair = [RNG.choice(values, (33, 47)) for _ in range(2)]
    options = {"method": "checkerboard", "n_tiles": n_tiles}
    expected = util.compare_images(*pair, **options)
    found = gpu_of_each_kind(util.compare_images, *pair, **options)
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(found, expected, rtol=0, atol=2e-7 if dtype == "float32" else 1e-15)


@pytest.mark.parametrize("n_tiles", [(0, 8), (2.0, 2), (-1, 2), 4, (2,)])
def test_odd_numbers_of_tiles_are_left_to_scikit_image(gpu, n_tiles):
    image = np.ones((9, 9))
    assert gpu.declined(util.compare_images, image, image, method="checkerboard", n_tiles=n_tiles)
