"""Eigenvalues on the device are scikit-image's: of 2 x 2 matrices to the last bit."""

import numpy as np
import pytest
from skimage.feature import hessian_matrix_eigvals, structure_tensor_eigenvalues

RNG = np.random.default_rng(15)
FUNCTIONS = [hessian_matrix_eigvals, structure_tensor_eigenvalues]


def on_the_device(gpu, function, elements):
    import cupy as cp

    return gpu(function, list(map(cp.asarray, elements))).get()


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("shape", [(30, 41), (7,), (3, 4, 5)])
def test_three_elements_are_a_matrix_of_the_plane(gpu, function, dtype, shape):
    elements = [(RNG.random(shape) * 20 - 10).astype(dtype) for _ in range(3)]
    elements[0].flat[:3] = elements[2].flat[:3]
    for given in (elements, [e.T for e in elements], [e[::-1] for e in elements]):
        expected = function(given)
        for found in (gpu(function, given), on_the_device(gpu, function, given)):
            assert found.dtype == expected.dtype
            np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("dtype", ["float32", "float64", "int16", "uint8"])
@pytest.mark.parametrize("ndim", [3, 4])
def test_matrices_of_more_axes(gpu, function, dtype, ndim):
    shape, count = (4, 5, 6, 3)[:ndim], ndim * (ndim + 1) // 2
    elements = [(RNG.random(shape) * 20).astype(dtype) for _ in range(count)]
    expected = function(elements)
    bits = 1e-5 if dtype == "float32" else 1e-12
    for found in (gpu(function, elements), on_the_device(gpu, function, elements)):
        assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
        np.testing.assert_allclose(found, expected, rtol=0, atol=bits * np.abs(expected).max())


def test_nearly_equal_eigenvalues_keep_their_digits(gpu):
    elements = [np.ones((2, 2, 2)) * value for value in (1, 1e-9, 1e-9, 1, 1e-9, 1)]
    expected = hessian_matrix_eigvals(elements)
    np.testing.assert_allclose(gpu(hessian_matrix_eigvals, elements), expected, rtol=1e-15)


def test_what_scikit_image_refuses(gpu):
    plane, volume = np.ones((3, 4)), np.ones((3, 4, 5))
    for elements in (
        [plane.astype(int)] * 3,
        [plane] * 2,
        [volume] * 5,
        [volume.astype(np.float16)] * 6,
    ):
        assert gpu.invalid(hessian_matrix_eigvals, elements)


def test_one_launch_reads_each_element_once(gpu, counting):
    import cupy as cp

    for count, shape in ((3, (40, 50)), (6, (8, 9, 10))):
        elements = [cp.asarray(RNG.random(shape)) for _ in range(count)]
        with counting() as counts:
            found = gpu(hessian_matrix_eigvals, elements)
        assert counts.launches == 1
        assert counts.kernel_bytes_read == count * elements[0].nbytes
        assert counts.kernel_bytes_written == found.nbytes
