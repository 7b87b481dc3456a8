"""Butterworth filters on the device are scikit-image's."""

import numpy as np
import pytest
from skimage.filters import butterworth

from tests.functions.images import DTYPES

RNG = np.random.default_rng(14)


def same(run, image, *args, **kwargs):
    expected, found = butterworth(image, *args, **kwargs), run(butterworth, image, *args, **kwargs)
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
    bits = 1e-5 if expected.dtype == np.float32 else 1e-11
    np.testing.assert_allclose(found, expected, rtol=0, atol=bits * np.abs(image).max())


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_dtype(gpu_of_each_kind, dtype):
    image = (RNG.random((30, 41)) * 100).astype(dtype)
    for given in (image, image.T, image[::-1, ::2]):
        same(gpu_of_each_kind, given, 0.1)


@pytest.mark.parametrize("shape", [(30,), (31,), (8, 9, 10), (9, 8, 7), (1, 5), (1, 1)])
@pytest.mark.parametrize("npad", [0, 3])
def test_every_parity_of_lengths(gpu, shape, npad):
    image = RNG.random(shape)
    for high_pass in (True, False):
        for squared in (True, False):
            options = {"squared_butterworth": squared, "npad": npad}
            same(gpu, image, 0.2, high_pass, 3.5, **options)


@pytest.mark.parametrize("channel_axis", [0, 1, 2, -1])
def test_channels(gpu_of_each_kind, channel_axis):
    image = np.moveaxis(RNG.random((20, 23, 3)), -1, channel_axis)
    for npad in (0, 2):
        same(gpu_of_each_kind, image, 0.1, False, channel_axis=channel_axis, npad=npad)


def test_what_scikit_image_refuses(gpu):
    image = RNG.random((8, 9))
    assert gpu.invalid(butterworth, image, npad=np.uint8(3))  # of which NumPy makes no margin
    for options in (
        {"npad": -1},
        {"npad": True},
        {"cutoff_frequency_ratio": 0.6},
        {"channel_axis": 2},
    ):
        assert gpu.invalid(butterworth, image, **options)
    assert gpu.declined(butterworth, image[0], channel_axis=0)
    for order in (np.longdouble(2), np.float64(2)):  # with which single precision becomes wider
        assert "float(order)" in gpu.declined(butterworth, image.astype(np.float32), order=order)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_one_launch_between_the_transforms(gpu, counting, dtype):
    import cupy as cp

    image = cp.asarray(RNG.random((64, 64)).astype(dtype))
    with counting() as counts:
        gpu(butterworth, image)
    assert counts.launches == 3
    spectrum = 64 * 33 * 2 * image.dtype.itemsize
    assert counts.kernel_bytes_written == 2 * spectrum + image.nbytes
