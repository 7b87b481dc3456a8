"""Finite Radon transforms on the device are scikit-image's to the last bit."""

from functools import partial

import numpy as np
import pytest
from skimage.transform import frt2, ifrt2

from tests.functions.images import DTYPES, FLOATS, noise

RNG = np.random.default_rng(0)
image = partial(noise, RNG)


def same(gpu, function, plane):
    expected = function(plane)
    result = gpu(function, plane)
    assert result.dtype == expected.dtype
    np.testing.assert_array_equal(result, expected)
    return result


@pytest.mark.parametrize("dtype", [dtype for dtype in DTYPES if dtype not in FLOATS])
@pytest.mark.parametrize("side", [1, 2, 3, 7, 20, 53])
def test_every_dtype_and_side(gpu_of_each_kind, dtype, side):
    plane = image((side, side), dtype)
    for each in (plane, plane.T, plane[::-1, ::-1]):
        same(gpu_of_each_kind, frt2, each)


@pytest.mark.parametrize("dtype", ["bool", "uint8", "uint16", "uint32", "uint64"])
@pytest.mark.parametrize("side", [1, 2, 3, 7, 20, 53])
def test_every_dtype_and_side_of_the_inverse(gpu_of_each_kind, dtype, side):
    plane = image((side + 1, side), dtype)
    for each in (plane, np.asfortranarray(plane), plane[::-1, ::-1]):
        same(gpu_of_each_kind, ifrt2, each)


def test_there_and_back(gpu):
    plane = image((59, 59), "uint16")
    np.testing.assert_array_equal(same(gpu, ifrt2, same(gpu, frt2, plane)), plane)


@pytest.mark.parametrize("dtype", ["int64", "uint64", "uint32"])
def test_sums_beyond_32_and_64_bits_are_cut_as_in_scikit_image(gpu, dtype):
    ends = np.iinfo(dtype)
    plane = RNG.integers(ends.min, ends.max, (12, 11), dtype, endpoint=True)
    same(gpu, frt2, plane[:11])
    if dtype != "int64":
        same(gpu, ifrt2, plane)


@pytest.mark.parametrize("function", [frt2, ifrt2])
@pytest.mark.parametrize("shape", [(3, 5), (4,), (3, 3, 3)])
def test_what_scikit_image_refuses(gpu, function, shape):
    plane = np.zeros(shape, "uint8")
    with pytest.raises(ValueError):
        function(plane)
    assert gpu.invalid(function, plane)


@pytest.mark.parametrize("dtype", ["int32", "float64"])
def test_signed_sums_have_no_inverse_in_scikit_image(gpu, dtype):
    with pytest.raises(TypeError):
        ifrt2(np.zeros((6, 5), dtype))
    assert gpu.invalid(ifrt2, np.zeros((6, 5), dtype))


def test_what_is_left_to_scikit_image(gpu):
    assert "floats" in gpu.declined(frt2, np.zeros((5, 5)))
    assert "empty" in gpu.declined(frt2, np.zeros((0, 0), int))


def test_one_launch(gpu, counting):
    import cupy as cp

    for function, shape in ((frt2, (31, 31)), (ifrt2, (32, 31))):
        plane = cp.ones(shape, "uint8")
        with counting() as counts:
            gpu.cupy(function, plane)
        assert (counts.launches, counts.kernel_bytes_read) == (1, plane.nbytes)
