"""Points moved by a matrix on the device are scikit-image's."""

import numpy as np
import pytest
from skimage.transform import matrix_transform

from tests.functions.images import DTYPES

RNG = np.random.default_rng(10)
TILT = np.array([[0.9, -0.2, 3], [0.1, 1.1, -5], [1e-3, 2e-3, 1]])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("matrix", [TILT, TILT.tolist(), np.eye(3, dtype=int), None])
def test_every_dtype(gpu_of_each_kind, dtype, matrix):
    coords = (RNG.random((30, 2)) * 50).astype(dtype)
    for given in (coords, coords[::-2], coords[:1], coords[3]):
        expected = matrix_transform(given, matrix)
        found = gpu_of_each_kind(matrix_transform, given, matrix)
        assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
        np.testing.assert_allclose(found, expected, rtol=1e-13, atol=1e-12)


def test_volumes_and_points_at_infinity(gpu_of_each_kind):
    coords = RNG.random((9, 3))
    for matrix in (np.diag([1.0, 2, 3, 1]), np.diag([1.0, 2, 3, 0])):
        expected = matrix_transform(coords, matrix)
        found = gpu_of_each_kind(matrix_transform, coords, matrix)
        np.testing.assert_allclose(found, expected, rtol=1e-13)


@pytest.mark.parametrize("matrix", [np.eye(2), np.eye(4), np.ones((3, 4)), np.ones(3)])
def test_what_scikit_image_refuses(gpu, matrix):
    assert gpu.invalid(matrix_transform, np.ones((5, 2)), matrix)


def test_extended_precision_is_left_to_scikit_image(gpu):
    told = gpu.declined(matrix_transform, np.ones((4, 2)), np.eye(3, dtype=np.longdouble))
    assert "real numbers in double" in told
