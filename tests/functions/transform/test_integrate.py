"""Sums over windows of an integral image on the device are scikit-image's to the last bit."""

import numpy as np
import pytest
from skimage.transform import integrate

from tests.functions.images import DTYPES

RNG = np.random.default_rng(9)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(20,), (20, 30), (9, 10, 11)])
def test_every_dtype_and_number_of_axes(gpu_of_each_kind, dtype, shape):
    table = (RNG.random(shape) * 100).astype(dtype)
    corners = RNG.integers(0, shape, (40, len(shape)))
    start, end = corners[::2], corners[1::2]
    start, end = np.minimum(start, end), np.maximum(start, end)
    for given in (table, table.T if len(set(shape)) == 1 else np.asfortranarray(table)):
        for corner in ((start, end), (start[0], end[0]), (start.tolist(), end - shape)):
            expected = integrate(given, *corner)
            found = gpu_of_each_kind(integrate, given, *corner)
            assert found.dtype == expected.dtype
            np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(
    ("start", "end"),
    [((2, 3), (1, 8)), ((0, 0), (25, 29)), ((0, 0), (1.5, 2)), ("a", "b")],
)
def test_what_scikit_image_refuses(gpu, start, end):
    table = np.zeros((20, 30))
    with pytest.raises((IndexError, TypeError)):
        integrate(table, start, end)
    assert gpu.invalid(integrate, table, start, end)


def test_one_launch_however_many_windows(gpu, counting):
    import cupy as cp

    table = cp.asarray(RNG.random((40, 50)))
    start = RNG.integers(0, 20, (100, 2))
    with counting() as counts:
        gpu(integrate, table, start, start + 10)
    assert (counts.launches, counts.to_host) == (1, 1)
