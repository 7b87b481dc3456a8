"""Conversions of skimage.util on the device are scikit-image's to the last bit."""

import functools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from skimage import util

import cuda_simulator
from skimage_gpu_backend.trouble import Declined
from tests.functions.images import DTYPES, FLOATS, INTEGERS, images, shapes

from . import agreement
from .agreement import same

CONVERSIONS = [
    util.img_as_bool,
    util.img_as_float,
    util.img_as_float32,
    util.img_as_float64,
    util.img_as_int,
    util.img_as_ubyte,
    util.img_as_uint,
]
RNG = np.random.default_rng(8)
whole_range = functools.partial(agreement.whole_range, RNG)


def taken(gpu, function, *args, **kwargs):
    return gpu._decide(function, args, kwargs)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("function", CONVERSIONS)
def test_every_value_is_converted_as_scikit_image_does(gpu, function, dtype):
    image = whole_range(dtype)
    if taken(gpu, function, image):
        same(gpu, function, image)
        same(gpu.cupy, function, image[: image.size // 2 * 2].reshape(2, -1).T)


@pytest.mark.parametrize("function", CONVERSIONS)
def test_all_but_16_bit_integers_of_half_precision_run_on_the_device(gpu, function):
    import cupy as cp

    for dtype in DTYPES:
        image = cp.zeros((3, 4), dtype)
        overflows = dtype == "float16" and function in (util.img_as_int, util.img_as_uint)
        assert bool(taken(gpu, function, image)) != overflows


@pytest.mark.parametrize(
    ("function", "dtype"),
    [(util.img_as_bool, "bool"), (util.img_as_float, "float32"), (util.img_as_uint, "uint16")],
)
def test_an_image_that_has_the_dtype_comes_back_itself_or_is_copied(gpu, counting, function, dtype):
    import cupy as cp

    image = cp.asarray(whole_range(dtype, 4000)).reshape(2, -1).T
    with counting() as counts:
        assert gpu(function, image) is image
    assert counts.launches == 0
    copy = gpu(function, image, force_copy=True)
    assert copy.flags.c_contiguous
    assert not cp.may_share_memory(copy, image)
    np.testing.assert_array_equal(copy.get(), image.get())


@pytest.mark.parametrize("dtype", FLOATS)
def test_nan_and_infinities_are_above_half_or_not(gpu_of_each_kind, dtype):
    image = np.array([[np.nan, np.inf], [-np.inf, 0.5]], dtype)
    same(gpu_of_each_kind, util.img_as_bool, image)


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("function", [util.img_as_int, util.img_as_ubyte, util.img_as_uint])
@pytest.mark.parametrize("largest", [0, 100, 127, 128, 255, 256, 32767, 32768, 65535, 65536])
def test_small_values_are_not_scaled_and_the_user_is_told(gpu, function, dtype, largest):
    image = np.arange(35).reshape(5, 7).astype(dtype)
    if largest > np.iinfo(dtype).max or not taken(gpu, function, image):
        return
    image[4, 6] = largest
    image[image > largest] = 0
    if image.dtype.kind == "i":
        image[2, 3] = np.iinfo(dtype).min
    same(gpu, function, image)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("value", [1.01, -1.01, np.inf, -np.inf])
def test_floats_beyond_one_are_refused(gpu_of_each_kind, dtype, value):
    image = np.zeros((40, 50), dtype)
    image[39, 49] = value
    with pytest.raises(ValueError, match="must be between -1 and 1"):
        gpu_of_each_kind(util.img_as_ubyte, image)


@pytest.mark.parametrize("dtype", FLOATS)
def test_nan_is_left_to_the_host(gpu, dtype):
    image = np.zeros((4, 5), dtype)
    image[1, 2], image[3, 3] = np.nan, 2
    with pytest.raises(Declined, match="NaN"):
        gpu(util.img_as_ubyte, image)


@st.composite
def any_image(draw, dtypes):
    return draw(images(draw(shapes), draw(st.sampled_from(dtypes))))


@given(any_image(DTYPES), st.sampled_from(CONVERSIONS))
@settings(max_examples=60)
def test_any_shape_and_layout_is_converted(gpu, image, function):
    if taken(gpu, function, image):
        same(gpu, function, image)


@pytest.mark.parametrize(
    ("function", "dtype", "launches", "to_host"),
    [
        (util.img_as_ubyte, "float32", 1, 1),
        (util.img_as_uint, "float64", 1, 1),
        (util.img_as_ubyte, "uint16", 1, 1),
        (util.img_as_int, "uint8", 1, 0),
        (util.img_as_uint, "bool", 1, 0),
        (util.img_as_float32, "int64", 1, 0),
        (util.img_as_float32, "uint8", 1, 0),
        (util.img_as_float64, "float32", 1, 0),
        (util.img_as_uint, "uint8", 1, 0),
        (util.img_as_bool, "uint16", 1, 0),
    ],
)
def test_conversions_read_and_write_once(gpu, counting, function, dtype, launches, to_host):
    import cupy as cp

    image = cp.asarray(whole_range(dtype, 4000))
    gpu(function, image)
    with counting() as counts:
        result = gpu(function, image)
    assert counts.launches == launches
    assert counts.to_host == to_host
    assert counts.kernel_bytes_read == image.nbytes
    assert counts.kernel_bytes_written <= result.nbytes + 20_000  # partial results of blocks


def test_conversion_that_does_not_scale_launches_twice(gpu, counting):
    image = np.arange(200, dtype=np.uint16).reshape(10, 20)
    with counting() as counts, pytest.warns(UserWarning, match="without scaling"):
        gpu(util.img_as_ubyte, image)
    assert counts.launches == 2


@pytest.mark.parametrize("order", ["forward", "backward", "shuffled"])
def test_real_blocks_give_the_same(gpu, monkeypatch, strict, order):
    monkeypatch.setattr("skimage_gpu_backend.device.kernels.resident_blocks", lambda _: 2)
    image = RNG.integers(-3000, 3000, (33, 301)).astype(np.int16)
    with cuda_simulator.thread_order(order):
        same(gpu, util.img_as_ubyte, image)
        same(gpu, util.img_as_float32, image)
        same(gpu, util.img_as_ubyte, image / np.float32(3000))
