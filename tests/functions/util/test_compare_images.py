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
