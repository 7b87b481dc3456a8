"""skimage.util on the device: conversions and tables are scikit-image's to the last bit."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from skimage import util

from skimage_gpu_backend import simulator
from skimage_gpu_backend.trouble import Declined

from .images import DTYPES, FLOATS, INTEGERS, images, shapes

CONVERSIONS = [
    util.img_as_float,
    util.img_as_float32,
    util.img_as_float64,
    util.img_as_int,
    util.img_as_ubyte,
    util.img_as_uint,
]
RNG = np.random.default_rng(8)


def taken(gpu, function, *args, **kwargs):
    return gpu._decide(function, args, kwargs)


def same(gpu, function, *args, **kwargs):
    """Equal to scikit-image's result, warnings or error, where the call is taken."""
    with warnings.catch_warnings(record=True) as expected_warnings:
        warnings.simplefilter("always")
        try:
            expected = function(*args, **kwargs)
        except Exception as error:
            with pytest.raises(type(error), match=str(error)):
                gpu(function, *args, **kwargs)
            return
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        result = gpu(function, *args, **kwargs)
    assert [str(w.message) for w in told] == [str(w.message) for w in expected_warnings]
    assert type(result) is type(expected)
    assert result.dtype == expected.dtype
    np.testing.assert_array_equal(result, expected)


def whole_range(dtype, size=70_000):
    """Every value of a small dtype; of a large one its ends and values between."""
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return np.arange(40) % 3 == 0
    if dtype.kind == "f":
        halves = np.arange(-(1 << 12), (1 << 12) + 1) / (1 << 12)
        ties = (np.arange(256) + 0.5) / 255
        return np.concatenate([halves, ties[:-1], RNG.uniform(-1, 1, size)]).astype(dtype)
    limits = np.iinfo(dtype)
    if dtype.itemsize < 4:
        return np.arange(limits.min, limits.max + 1, dtype=dtype)
    ends = np.array([limits.min, limits.min + 1, 0, 1, limits.max - 1, limits.max], dtype)
    return np.concatenate([ends, RNG.integers(limits.min, limits.max, size, dtype)])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("function", CONVERSIONS)
def test_every_value_is_converted_as_scikit_image_does(gpu, function, dtype):
    image = whole_range(dtype)
    if taken(gpu, function, image):
        same(gpu, function, image)
        same(gpu.cupy, function, image[: image.size // 2 * 2].reshape(2, -1).T)


def test_what_is_left_to_a_single_launch_of_cupy(gpu):
    """A kernel takes the other conversions."""
    single = {(util.img_as_float, d) for d in DTYPES if not d.startswith("int")} | {
        (util.img_as_float64, d) for d in DTYPES if not d.startswith("int")
    }
    single |= {
        (util.img_as_float32, d) for d in DTYPES if not d.startswith("int") and d != "uint64"
    }
    single |= {
        (util.img_as_int, "int16"),
        (util.img_as_int, "float16"),
        (util.img_as_ubyte, "uint8"),
        (util.img_as_uint, "uint8"),
        (util.img_as_uint, "uint16"),
        (util.img_as_uint, "float16"),
    }
    for function in CONVERSIONS:
        for dtype in DTYPES:
            image = np.zeros((3, 4), dtype)
            assert bool(taken(gpu, function, image)) == ((function, dtype) not in single)


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
@settings(max_examples=60, deadline=None)
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


@pytest.mark.parametrize("dtype", [dtype for dtype in DTYPES if dtype != "float16"])
@pytest.mark.parametrize("method", ["diff", "blend"])
@pytest.mark.parametrize("shape", [(1, 1), (33, 47), (7, 8, 9), (0, 3)])
def test_images_are_compared_in_one_launch(gpu, counting, dtype, method, shape):
    import cupy as cp

    values = whole_range(dtype)
    pair = [RNG.choice(values, shape) for _ in range(2)]
    expected = util.compare_images(*pair, method=method)
    found = gpu(util.compare_images, *pair, method=method)
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(found, expected, rtol=0, atol=2e-7 if dtype == "float32" else 1e-15)
    on_device = [cp.asarray(image) for image in pair]
    with counting() as counts:
        gpu(util.compare_images, *on_device, method=method)
    assert counts.launches == bool(pair[0].size)
    assert counts.kernel_bytes_read == 2 * pair[0].nbytes


KEYS = {
    "close": np.array([3, 1, 4, 1, 5, 9, 2, 6, 120, 7, -4, 0]),
    "far": np.array([2**31 - 1, -(2**31), 7, 0, -1, 7, 1000, 2**20]),
    "many": RNG.permutation(50_000)[:5000],
    "none": np.array([], int),
}


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("kind", KEYS)
@pytest.mark.parametrize("to", ["bool", "uint16", "float32", "uint64"])
def test_values_are_mapped_as_scikit_image_does(gpu, dtype, kind, to):
    keys = KEYS[kind]
    others = RNG.integers(-50, 60, 500)
    image = RNG.permutation(np.concatenate([keys, keys, others]))[: keys.size * 2 + 400]
    image = image.astype(dtype).reshape(-1, 4).T
    values = RNG.integers(0, 100, keys.size).astype(to)
    same(gpu, util.map_array, image, keys, values)


def test_mapped_values_go_where_the_caller_says(gpu_of_each_kind):
    image = RNG.integers(0, 9, (30, 41))
    keys, values = np.arange(7), np.arange(7) * 1.5
    for out in (np.ones(image.shape), np.ones(image.shape, np.int16)):
        expected = out.copy()
        util.map_array(image, keys, values, out=expected)
        given = out.copy()
        result = gpu_of_each_kind(util.map_array, image, keys, values, out=given)
        np.testing.assert_array_equal(result, expected)


def test_values_are_mapped_in_place(gpu):
    import cupy as cp

    image = RNG.integers(0, 9, (30, 41))
    keys, values = np.arange(7), np.arange(7)[::-1]
    on_device = cp.asarray(image)
    gpu(util.map_array, on_device, keys, values, out=on_device)
    np.testing.assert_array_equal(on_device.get(), util.map_array(image, keys, values))


def test_out_that_is_strided(gpu):
    import cupy as cp

    image = RNG.integers(0, 9, 41)
    keys, values = np.arange(7), np.arange(7)[::-1]
    out = cp.ones(82, int)
    gpu(util.map_array, cp.asarray(image), keys, values, out=out[::2])
    np.testing.assert_array_equal(out.get()[::2], util.map_array(image, keys, values))
    assert (out.get()[1::2] == 1).all()


def test_tables_are_read_once(gpu, counting):
    import cupy as cp

    image = cp.asarray(RNG.integers(0, 500, (64, 100)).astype(np.int32))
    keys, values = np.arange(500), np.arange(500.0)
    gpu(util.map_array, image, keys, values)
    with counting() as counts:
        result = gpu(util.map_array, image, keys, values)
    assert counts.launches == 1
    assert counts.kernel_bytes_read == image.nbytes + values.nbytes
    assert counts.kernel_bytes_written == result.nbytes + 4  # and a flag


@pytest.mark.parametrize("dtype", [*INTEGERS, *FLOATS])
def test_points_are_labelled_as_scikit_image_does(gpu, dtype):
    coords = (RNG.random((400, 3)) * (11, 20, 30)).astype(dtype)  # some at one place
    if np.dtype(dtype).kind == "f":
        coords[:6] = [[0.5, 1.5, 2.5]] * 6
    expected = util.label_points(coords, (12, 21, 31))
    result = gpu.cupy(util.label_points, coords, (12, 21, 31))
    assert result.dtype == expected.dtype
    np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize("coordinate", [-1, -0.2, 5, 1e30, np.nan])
def test_points_outside_are_left_to_scikit_image(gpu, coordinate):
    with pytest.raises(Declined, match="outside"):
        gpu.cupy(util.label_points, np.array([[1.0, 2], [coordinate, 3]]), (5, 6))


def test_points_take_one_launch(gpu, counting):
    import cupy as cp

    coords = cp.asarray(np.array([[1, 2], [3, 4]]))
    with counting() as counts:
        gpu(util.label_points, coords, (50, 60))
    assert counts.launches == 1


@pytest.mark.parametrize("order", ["forward", "backward", "shuffled"])
def test_real_blocks_give_the_same(gpu, monkeypatch, strict, order):
    monkeypatch.setattr("skimage_gpu_backend.ops._points.resident_blocks", lambda _: 2)
    image = RNG.integers(-3000, 3000, (33, 301)).astype(np.int16)
    coords = (RNG.random((300, 2)) * 8).round()
    with simulator.thread_order(order):
        same(gpu, util.img_as_ubyte, image)
        same(gpu, util.img_as_float32, image)
        same(gpu, util.img_as_ubyte, image / np.float32(3000))
        same(gpu, util.map_array, image, np.arange(900), np.arange(900.0))
        same(gpu, util.map_array, image.astype(int), np.arange(9) ** 5, np.arange(9))
        same(gpu.cupy, util.label_points, coords, (9, 9))
