"""Correlations with few weights on the device are scikit-image's to the last bit."""

import numpy as np
import pytest
from skimage.filters import correlate_sparse

from tests.functions.images import DTYPES

RNG = np.random.default_rng(13)
KERNEL = np.array([[0, -1.5, 0, 2, 0], [0.1, 0, 0, 0, 0], [0, 0, 3, 0, 1]])


def same(run, image, *args):
    expected, found = correlate_sparse(image, *args), run(correlate_sparse, image, *args)
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("kernel", [KERNEL, KERNEL.T, np.eye(3, dtype=bool), np.zeros((3, 1))])
def test_every_dtype(gpu_of_each_kind, dtype, kernel):
    image = (RNG.random((30, 41)) * 100).astype(dtype)
    for given in (image, image.T, image[::-1, ::2]):
        same(gpu_of_each_kind, given, kernel)
        same(gpu_of_each_kind, given, kernel, "valid")


@pytest.mark.parametrize("mode", ["reflect", "constant", "nearest", "mirror", "wrap", "edge"])
@pytest.mark.parametrize("shape", [(30, 41), (2, 3), (1, 1), (1, 9)])
def test_borders(gpu, mode, shape):
    same(gpu, RNG.random(shape), KERNEL, mode)
    same(gpu, RNG.random(shape).astype(np.float32), RNG.random((7, 9)), mode)


@pytest.mark.parametrize("ndim", [1, 3, 4, 5])
def test_any_number_of_axes(gpu_of_each_kind, ndim):
    shape, kernel = (9, 8, 7, 6, 5)[:ndim], np.zeros((3, 1, 5, 1, 3)[:ndim])
    kernel.flat[::4] = np.arange(1, kernel.flat[::4].size + 1)
    for mode in ("mirror", "valid"):
        same(gpu_of_each_kind, RNG.random(shape), kernel, mode)


@pytest.mark.parametrize("shape", [(600, 901), (3, 420, 430)])
def test_elements_of_a_thread_on_one_line_and_on_two(gpu_of_each_kind, shape):
    image = (RNG.random(shape) * 100).astype(np.uint8)
    kernel = KERNEL.reshape((1,) * (len(shape) - 2) + KERNEL.shape)
    for mode in ("mirror", "valid"):
        same(gpu_of_each_kind, image, kernel, mode)


def test_an_even_window_needs_no_border(gpu):
    image = RNG.random((9, 9))
    same(gpu, image, np.ones((2, 3)), "valid")
    assert gpu.invalid(correlate_sparse, image, np.ones((2, 3)))


def test_what_is_not_finite_reaches_as_far_as_in_scikit_image(gpu):
    image = RNG.random((9, 9))
    image[4, 4], image[0, 8] = np.nan, np.inf
    same(gpu, image, KERNEL)


def test_what_is_left_to_others(gpu):
    image = RNG.random((9, 9))
    assert gpu.invalid(correlate_sparse, image, np.ones(3))
    assert gpu.declined(correlate_sparse, image, np.ones((11, 11)), "valid")
    assert gpu.declined(correlate_sparse, image, KERNEL, "no such")


def test_one_launch(gpu, counting):
    import cupy as cp

    image = cp.asarray(RNG.random((64, 64)))
    with counting() as counts:
        gpu(correlate_sparse, image, KERNEL)
    assert counts.launches == 1
    assert counts.kernel_bytes_written == image.nbytes
