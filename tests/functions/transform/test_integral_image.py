"""Integral images on the device."""

from functools import partial

import numpy as np
import pytest
from skimage.transform import integral_image

import cuda_simulator
from tests.functions.images import DTYPES, noise

RNG = np.random.default_rng(0)
image = partial(noise, RNG)


def same(gpu, *args, **kwargs):
    expected, result = integral_image(*args, **kwargs), gpu(integral_image, *args, **kwargs)
    assert result.dtype == expected.dtype
    assert result.shape == expected.shape
    if expected.dtype.kind != "f":
        np.testing.assert_array_equal(result, expected)
    else:
        assert np.abs(result - expected).max() <= 1e-12 * np.abs(expected).max()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(1, 1), (63, 65), (64, 128), (3, 200), (200, 3), (4, 70, 66)])
def test_integral_images(gpu_of_each_kind, dtype, shape):
    same(gpu_of_each_kind, image(shape, dtype))
    same(gpu_of_each_kind, image(shape, dtype), dtype=np.float64)


def test_sums_of_integers_wrap(gpu):
    for dtype in ("int64", "uint64"):
        limits = np.iinfo(dtype)
        same(gpu, RNG.integers(limits.min, limits.max, (70, 80), dtype))


def test_nan_and_infinities_spread_as_in_scikit_image(gpu):
    whole = image((70, 140))
    whole[66, 5], whole[3, 70], whole[68, 90] = np.nan, np.inf, -np.inf
    np.testing.assert_allclose(gpu(integral_image, whole), integral_image(whole))


@pytest.mark.parametrize("layout", [np.asfortranarray, lambda a: a[::-2, ::3]])
def test_layouts(gpu_of_each_kind, layout):
    same(gpu_of_each_kind, layout(image((60, 70), "float32")))


def test_arguments_that_are_left_to_others(gpu):
    whole = image((20, 30))
    assert "one axis" in gpu.declined(integral_image, whole[0])
    assert "float32" in gpu.declined(integral_image, whole, dtype="float32")
    assert gpu.invalid(integral_image, whole, dtype="no such")
    assert gpu.invalid(integral_image, whole, dtype=[1, 2])
    assert "complex" in gpu.declined(integral_image, whole, dtype=complex)


def test_one_launch_reads_once_and_writes_once(gpu, counting):
    whole = image((200, 300), "uint8")
    result = gpu(integral_image, whole)
    with counting() as counted:
        gpu(integral_image, whole)
    assert counted.launches == 1
    assert counted.kernel_bytes_read <= whole.nbytes + 2000
    rights_and_bottoms = 2 * (4 * 5) * 64 * 8  # of tiles of 64 x 64 elements
    assert counted.kernel_bytes_written <= result.nbytes + rights_and_bottoms + 2000


@pytest.mark.parametrize("shape", [(3, 64 * 34), (64 * 34, 3), (2, 64 * 17, 64 * 18)])
def test_more_tiles_than_leave_their_sums_alone(gpu, shape):
    for dtype in ("uint8", "float32"):
        same(gpu, image(shape, dtype))


@pytest.mark.usefixtures("strict")
def test_no_result_depends_on_the_order_of_threads(gpu):
    whole, sums = image((140, 200)), set()
    for order in ("forward", "backward", "shuffled"):
        with cuda_simulator.thread_order(order):
            same(gpu, whole.astype("uint8"))
            sums.add(gpu(integral_image, whole).tobytes())
    assert len(sums) == 1
