"""Coefficients of colocalization on the device are scikit-image's."""

import itertools
import warnings

import numpy as np
import pytest
from skimage.measure import (
    intersection_coeff,
    manders_coloc_coeff,
    manders_overlap_coeff,
    pearson_corr_coeff,
)

import cuda_simulator
from skimage_gpu_backend.trouble import Declined
from tests.functions.images import DTYPES

RNG = np.random.default_rng(6)
SHAPES = [(4,), (1, 90), (45, 71), (9, 10, 11), (3, 4, 5, 6)]
WIDE = [dtype for dtype in DTYPES if dtype != "float16"]
OF_IMAGES = (pearson_corr_coeff, manders_overlap_coeff)


def same(run, function, *args, **options):
    with warnings.catch_warnings(), np.errstate(over="ignore"):
        warnings.simplefilter("ignore")
        expected, result = function(*args, **options), run(function, *args, **options)
    assert type(result) is type(expected)
    single = np.float32 in (args[0].dtype, args[1].dtype)
    np.testing.assert_allclose(
        result, expected, rtol=1e-5 if single else 1e-10, atol=1e-6 if single else 1e-12
    )
    return expected


def image(shape, dtype="float64"):
    """Over all of the type's range, up to which sums of squares wrap around."""
    if dtype == "bool":
        return RNG.random(shape) < 0.5
    dtype = np.dtype(dtype)
    if dtype.kind == "f":
        return (RNG.random(shape) * 9).astype(dtype)
    return RNG.integers(0, np.iinfo(dtype).max, shape, dtype, endpoint=True)


def masks(shape):
    mask = RNG.random(shape) < 0.7
    mask.reshape(-1)[:4] = True
    return None, mask, mask.astype(np.int16), np.asfortranarray(mask.astype(float))


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_any_shape_and_mask(gpu_of_each_kind, shape):
    first, second, inside, other = (
        image(shape),
        image(shape),
        image(shape, "bool"),
        image(shape) > 4,
    )
    for mask in masks(shape):
        for function in OF_IMAGES:
            same(gpu_of_each_kind, function, first, second, mask)
        same(gpu_of_each_kind, manders_coloc_coeff, first, inside, mask)
        same(gpu_of_each_kind, intersection_coeff, other, inside, mask)


@pytest.mark.parametrize("first", WIDE)
def test_any_two_dtypes(gpu, first):
    for second in WIDE:
        for function in OF_IMAGES:
            same(gpu, function, image((30, 40), first), image((30, 40), second))
        binary = image((30, 40), "bool").astype(second)
        same(gpu, manders_coloc_coeff, image((30, 40), first), binary)
        same(gpu, intersection_coeff, image((30, 40), "bool").astype(first), binary)


@pytest.mark.parametrize("size", [1e-14, 1e-18, 1, 1e14])
def test_small_and_large_pixels_of_single_precision(gpu, size):
    first, second = (image((50, 60), "float32") * np.float32(size) for _ in range(2))
    first[:20] *= 1e4
    for function in OF_IMAGES:
        same(gpu, function, first, second)
    for other in (image((50, 60), "uint8"), image((50, 60), "uint32"), second.astype(float)):
        same(gpu, manders_overlap_coeff, first, other)
    for inside in (image((50, 60), "bool"), image((50, 60), "bool").astype("float32")):
        same(gpu, manders_coloc_coeff, first, inside)


@pytest.mark.parametrize("dtype", ["int16", "int64", "float32", "float64"])
def test_negative_pixels_outside_of_the_mask(gpu, dtype):
    first, second = (image((50, 60), "uint8").astype(dtype) for _ in range(2))
    mask = image((50, 60), "bool")
    first[~mask] = second[~mask] = -7
    same(gpu, manders_overlap_coeff, first, second, mask)
    same(gpu, manders_coloc_coeff, first, image((50, 60), "bool"), mask)


@pytest.mark.parametrize("value", [np.inf, np.nan])
def test_pixels_that_are_no_numbers(gpu, value):
    first, second = image((50, 60), "float32"), image((50, 60), "float32")
    first[7, 8] = value
    same(gpu, manders_overlap_coeff, first, second)
    same(gpu, manders_coloc_coeff, first, image((50, 60), "bool"))


def test_any_layout(gpu):
    first, second = image((40, 50)), image((40, 50), "uint8")
    views = (lambda x: x.T, lambda x: x[::-1], lambda x: x[::2, ::3], np.asfortranarray)
    for one, other in itertools.product(views[:3], views[:3]):
        if one(first).shape == other(second).shape:
            for function in OF_IMAGES:
                same(gpu, function, one(first), other(second))
                same(gpu.cupy, function, one(first), other(second))
    same(gpu, pearson_corr_coeff, np.asfortranarray(first), second)


def test_nothing_at_the_same_place(gpu):
    zeros, mask = np.zeros((5, 6)), np.ones((5, 6), bool)
    assert same(gpu, manders_coloc_coeff, zeros, mask) == 0
    assert same(gpu, intersection_coeff, ~mask, mask) == 0
    assert same(gpu, intersection_coeff, mask, mask, ~mask) == 0
    assert same(gpu, intersection_coeff, mask, ~mask) == 0


def test_correlation_of_large_numbers_beside_their_spread(gpu):
    first, second = image((45, 71)), image((45, 71))
    same(gpu, pearson_corr_coeff, 1e6 + first, second - 1e5)
    same(gpu, pearson_corr_coeff, first, first)
    same(gpu, pearson_corr_coeff, first, -first)


def test_images_of_different_shapes_are_refused_by_scikit_image(gpu):
    one, other = np.ones((3, 4)), np.ones((3, 5))
    for function in (*OF_IMAGES, manders_coloc_coeff, intersection_coeff):
        with pytest.raises(ValueError):
            function(one, other)
        assert gpu.invalid(function, one, other)
        assert gpu.invalid(function, one, one, other)


def test_what_the_data_shows_is_left_to_scikit_image(gpu):
    values, mask = image((5, 6)), np.ones((5, 6), bool)
    odd = np.where(np.eye(5, 6), 2, mask)
    below = np.where(np.eye(5, 6), -1, values)
    for function, args, told in (
        (manders_coloc_coeff, (below, mask), "image0 has values below 0"),
        (manders_coloc_coeff, (values, odd), "image1_mask has values other"),
        (manders_coloc_coeff, (values, odd, odd == 1), "image1_mask has values other"),
        (manders_coloc_coeff, (values, mask, odd), "mask has values other"),
        (manders_coloc_coeff, (values, mask, ~mask), "mask leaves no pixel"),
        (manders_overlap_coeff, (below, values), "image0 has values below 0"),
        (manders_overlap_coeff, (values, below.astype(np.int8)), "image1 has values below 0"),
        (intersection_coeff, (odd, mask), "image0_mask has values other"),
        (intersection_coeff, (mask, odd), "image1_mask has values other"),
    ):
        with pytest.raises(ValueError):
            function(*args)
        with pytest.raises(Declined, match=told):
            gpu(function, *args)
    same(gpu, manders_coloc_coeff, below, mask, odd == 1)  # where the mask is not, nobody looks
    for args in ((values, np.ones((5, 6))), (1e14 + np.eye(5, 6), values)):
        with pytest.raises(Declined, match="constant"):
            gpu(pearson_corr_coeff, *args)
    with pytest.raises(Declined, match="fewer than 3"):
        gpu(pearson_corr_coeff, values, values[::-1], np.eye(5, 6, 4) > 0)


def test_sums_beyond_single_precision_are_infinite_in_scikit_image(gpu):
    first, second = image((45, 71), "float32"), image((45, 71), "float32")
    same(gpu, pearson_corr_coeff, np.float32(1e30) * first, second)
    for signs in (1, np.float32(-1) ** np.arange(71, dtype=np.float32)):
        with pytest.raises(Declined, match="sums that single precision cannot hold"):
            gpu(pearson_corr_coeff, np.float32(1e36) * first * signs, second)


def test_a_negative_value_beside_nan_is_no_minimum(gpu):
    values = np.ones((5, 6))
    values[0, :2] = -1, np.nan
    for function in (manders_overlap_coeff, manders_coloc_coeff):
        assert np.isnan(same(gpu, function, values, np.ones((5, 6))))


def test_what_is_left_to_scikit_image(gpu):
    half = np.ones((5, 6), np.float16)
    for function in (*OF_IMAGES, manders_coloc_coeff):
        assert "float16" in gpu.declined(function, half, half)
        assert "empty" in gpu.declined(function, np.ones((0, 4)), np.ones((0, 4)))
    assert "3 pixels" in gpu.declined(pearson_corr_coeff, np.ones(2), np.ones(2))


@pytest.mark.parametrize("dtype", ["uint8", "float32"])
def test_each_image_is_read_once(gpu, counting, dtype):
    import cupy as cp

    given = [cp.asarray(image((256, 300), kind)) for kind in (dtype, dtype, "bool", "bool")]
    first, second, inside, mask = given
    for function, other, launches in (
        (pearson_corr_coeff, second, 2),
        (manders_overlap_coeff, second, 1),
        (manders_coloc_coeff, inside, 1),
    ):
        with counting() as counts:
            gpu(function, first, other, mask)
        assert counts.launches == launches
        assert counts.kernel_bytes_read <= launches * (first.nbytes + other.nbytes + mask.nbytes)


@pytest.mark.parametrize("order", ["forward", "backward", "shuffled"])
def test_sums_do_not_depend_on_the_order_of_threads(gpu, strict, order):
    with cuda_simulator.thread_order(order):
        for function in OF_IMAGES:
            same(gpu, function, image((40, 70)), image((40, 70)), image((40, 70), "bool"))
