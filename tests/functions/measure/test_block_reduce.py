"""Blocks of an image are reduced on the device as scikit-image reduces them."""

import numpy as np
import pytest
from skimage.measure import block_reduce

from tests.functions.images import DTYPES, FLOATS, noise

RNG = np.random.default_rng(9)
FUNCTIONS = (np.sum, np.mean, np.max, np.min, np.median, np.std, np.var, np.prod, np.any, np.all)
OF_HALF = np.max, np.min, np.any, np.all


def same(run, image, *args, **options):
    expected, result = (
        block_reduce(image, *args, **options),
        run(block_reduce, image, *args, **options),
    )
    assert (result.shape, result.dtype) == (expected.shape, expected.dtype)
    single = result.dtype == np.float32
    largest = np.nanmax(np.abs(expected.astype(float)), initial=0)
    np.testing.assert_allclose(result, expected, rtol=0, atol=(1e-5 if single else 1e-12) * largest)


@pytest.mark.parametrize("sides", [2, (3, 1), (5, 40), (np.int8(4), 37)], ids=str)
@pytest.mark.parametrize("func", FUNCTIONS, ids=lambda func: func.__name__)
@pytest.mark.parametrize("dtype", DTYPES)
def test_any_function_and_dtype(gpu_of_each_kind, func, dtype, sides):
    if dtype == "float16" and func not in OF_HALF:
        return  # left to scikit-image, below
    same(gpu_of_each_kind, noise(RNG, (24, 37), dtype), sides, func)


@pytest.mark.parametrize("layout", [np.array, np.flip, np.asfortranarray])
@pytest.mark.parametrize("dtype", ["float64", "int32"])
@pytest.mark.parametrize("cval", [0, 5, 0.7, -1, np.float32(3)], ids=str)
@pytest.mark.parametrize(
    "shape, sides",
    [
        ((50,), 7),
        ((9, 10, 11), (2, 3, 4)),
        ((9, 10, 11), (1, 3, 1)),
        ((9, 10, 3), (4, 2, 1)),
        ((3, 4, 5, 6), 2),
        ((3, 4, 5, 6), (2, 1, 3, 4)),
        ((6, 5, 4, 3, 2), (1, 2, 1, 2, 1)),
        ((1, 1), 3),
        ((4, 5), 1),
    ],
    ids=str,
)
@pytest.mark.parametrize("func", [np.sum, np.max, np.median], ids=lambda func: func.__name__)
def test_any_shape_layout_and_padding(gpu, func, shape, sides, cval, dtype, layout):
    same(gpu, layout(noise(RNG, shape) * 3).astype(dtype, order="K"), sides, func, cval)


@pytest.mark.parametrize("func", [np.sum, np.prod, np.mean, np.std, np.var])
def test_the_type_of_sums(gpu, func):
    for dtype in ("float32", np.float64, float):
        same(gpu, noise(RNG, (8, 9), "uint8"), 2, func, 0, {"dtype": dtype})


@pytest.mark.parametrize("dtype", [dtype for dtype in DTYPES if dtype not in FLOATS])
@pytest.mark.parametrize("func", [np.sum, np.prod, np.mean], ids=lambda func: func.__name__)
def test_integers_are_the_very_same_beyond_their_range_too(gpu, dtype, func):
    limits = (0, 1) if dtype == "bool" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    image = RNG.integers(
        *limits, (40, 37), np.int64 if limits[0] < 0 else np.uint64, endpoint=True
    ).astype(dtype)
    for sides in ((2, 3), (8, 7)):
        expected = block_reduce(image, sides, func, limits[1])
        np.testing.assert_array_equal(gpu(block_reduce, image, sides, func, limits[1]), expected)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_floats_are_added_up_as_numpy_does_it(gpu, dtype):
    for shape, sides in (((60, 70), (2, 3)), ((61, 71), (9, 7)), ((20, 30, 40), (3, 2, 5))):
        image = noise(RNG, shape, dtype)
        for func in (np.sum, np.mean):
            expected = block_reduce(image, sides, func, 0.3)
            np.testing.assert_array_equal(gpu(block_reduce, image, sides, func, 0.3), expected)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("func", [np.max, np.min, np.any, np.all, np.median, np.sum])
def test_what_is_not_finite(gpu, dtype, func):
    if dtype == "float16" and func not in OF_HALF:
        return
    image = RNG.choice([0, 1, np.nan, np.inf], (20, 30), p=(0.4, 0.4, 0.1, 0.1)).astype(dtype)
    np.testing.assert_array_equal(gpu(block_reduce, image, 3, func), block_reduce(image, 3, func))


def test_what_scikit_image_refuses_it_refuses_itself(gpu):
    image = np.ones((4, 5))
    for options in (
        {"block_size": (2, 3, 4)},
        {"block_size": [2, 3]},
        {"block_size": (0, 1)},
        {"block_size": -1},
        {"block_size": True},
    ):
        with pytest.raises((ValueError, TypeError)):
            block_reduce(image, **options)
        assert gpu.invalid(block_reduce, image, **options)


def test_what_is_left_to_scikit_image(gpu):
    image = np.ones((4, 5))
    assert "func" in gpu.declined(block_reduce, image, 2, lambda blocks, axis: blocks.max(axis))
    assert "func_kwargs" in gpu.declined(block_reduce, image, 2, np.max, 0, {"initial": 3})
    assert "func_kwargs" in gpu.declined(block_reduce, image, 2, np.sum, 0, {"dtype": int})
    assert "block_size" in gpu.declined(block_reduce, image, (2.5, 2))
    assert "cval" in gpu.declined(block_reduce, image, 2, cval=(1, 2))
    for cval in (np.nan, 300, -1):
        assert "cval" in gpu.declined(block_reduce, image.astype("uint8"), 3, cval=cval)
    assert "empty" in gpu.declined(block_reduce, image[:0], 2)
    for func in set(FUNCTIONS) - set(OF_HALF):
        assert "float16" in gpu.declined(block_reduce, image.astype(np.float16), 2, func)


def test_one_launch_reads_the_image_once(gpu, counting):
    import cupy as cp

    image = cp.asarray(noise(RNG, (120, 150)))
    for func in (np.sum, np.mean, np.max):
        for sides in ((4, 5), (7, 4), (30, 25)):  # the second ones go beyond, the last are CuPy's
            with counting() as counts:
                gpu(block_reduce, image, sides, func)
            assert counts.launches == 1
            assert counts.kernel_bytes_read == image.nbytes
