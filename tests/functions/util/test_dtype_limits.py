"""The limits of a device array's dtype are scikit-image's, and nothing is launched."""

import numpy as np
import pytest
from skimage.util import dtype_limits

from tests.functions.images import DTYPES


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("clip_negative", [False, True, 1])
def test_limits_are_scikit_images(gpu, counting, dtype, clip_negative):
    import cupy as cp

    with counting() as counts:
        found = gpu(dtype_limits, cp.zeros((2, 3), dtype), clip_negative)
    assert counts.launches == counts.to_host == 0
    expected = dtype_limits(np.zeros((2, 3), dtype), clip_negative)
    assert found == expected
    assert [type(limit) for limit in found] == [type(limit) for limit in expected]
