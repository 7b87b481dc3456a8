"""Local means on the device."""

from functools import partial

import numpy as np
import pytest
from skimage import data
from skimage.transform import downscale_local_mean, resize_local_mean

import cuda_simulator
from skimage_gpu_backend.trouble import Declined
from tests.functions.images import DTYPES, noise

RNG = np.random.default_rng(0)
image = partial(noise, RNG)
SHAPES = [(300,), (1, 1), (41, 53), (3, 260), (64, 65), (20, 30, 3), (5, 13, 17), (3, 4, 5, 6)]
BOUNDS = {"float16": 1e-3, "float32": 1e-5, "float64": 1e-12}


def same(gpu, function, *args, **kwargs):
    expected = function(*args, **kwargs)
    result = gpu(function, *args, **kwargs)
    assert result.dtype == expected.dtype
    assert result.shape == expected.shape
    if expected.dtype.kind != "f":
        np.testing.assert_array_equal(result, expected)
    elif expected.size:
        apart = np.abs(result.astype(float) - expected).max()
        assert apart <= BOUNDS[expected.dtype.name] * np.abs(expected.astype(float)).max()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("factor", [1, 2, 7])
def test_blocks_of_every_dtype(gpu_of_each_kind, dtype, factor):
    same(gpu_of_each_kind, downscale_local_mean, image((41, 54), dtype), factor, cval=7.6)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", ["uint8", "float32", "float16"])
def test_blocks_of_any_shape(gpu, shape, dtype):
    for factors in (3, tuple(range(1, len(shape) + 1)), (100,) * len(shape)):
        same(gpu, downscale_local_mean, image(shape, dtype), factors)


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "uint32"])
def test_means_of_blocks_of_integers_are_the_very_same(gpu, dtype):
    image = noise(RNG, (300, 290), dtype)
    for factors in ((3, 5), (7, 1), (2, 2), (113, 97)):
        for cval in (0, 1):
            expected = downscale_local_mean(image, factors, cval=cval)
            np.testing.assert_array_equal(gpu(downscale_local_mean, image, factors, cval), expected)


@pytest.mark.parametrize("cval", [-3, 1.7, 300.0, np.nan, np.float32(2.5), True])
@pytest.mark.parametrize("dtype", ["uint8", "int16", "float32"])
def test_what_stands_beyond_the_end(gpu, cval, dtype):
    whole = image((10, 11), dtype)
    if dtype != "float32" and np.isnan(cval):
        assert "integers" in gpu.declined(downscale_local_mean, whole, (4, 3), cval)
        return
    expected = downscale_local_mean(whole, (4, 3), cval)
    np.testing.assert_allclose(gpu(downscale_local_mean, whole, (4, 3), cval), expected, 1e-5)


def test_half_precision_is_rounded_as_numpy_rounds(gpu):
    values = np.arange(1 << 16, dtype=np.uint16).view(np.float16).reshape(256, 256)
    result = gpu(downscale_local_mean, values, 1)
    np.testing.assert_array_equal(result, values)
    few = (RNG.integers(0, 2000, (60, 80)) / 2.0**20).astype(np.float16)
    for each in (few, few.reshape(6, 10, 80)):
        expected = downscale_local_mean(each, 2)
        np.testing.assert_array_equal(gpu(downscale_local_mean, each, 2), expected)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("preserve_range", [False, True])
@pytest.mark.parametrize("grid_mode", [False, True])
def test_areas_of_every_dtype(gpu_of_each_kind, dtype, preserve_range, grid_mode):
    arguments = grid_mode, preserve_range
    same(gpu_of_each_kind, resize_local_mean, image((41, 54), dtype), (10, 77), *arguments)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("grid_mode", [False, True])
def test_areas_of_any_shape(gpu, shape, grid_mode):
    for size in (1, 7, 45):
        if 1 not in shape or (grid_mode and size > 1):
            same(gpu, resize_local_mean, image(shape), (size,) * len(shape), grid_mode)
    if len(shape) > 2:
        same(gpu, resize_local_mean, image(shape), (9,) * (len(shape) - 1))
    same(gpu, resize_local_mean, image(shape), (9,) * len(shape) + (1, 1))


@pytest.mark.parametrize("axis", [0, 1, 2, -1])
def test_channels(gpu, axis):
    colors = np.moveaxis(data.astronaut()[::9, ::8], -1, axis)
    same(gpu, resize_local_mean, colors, (20, 31), channel_axis=axis)
    full = list(colors.shape)
    full[axis - 1] = 40
    same(gpu, resize_local_mean, colors, tuple(full), channel_axis=axis)


@pytest.mark.parametrize("layout", [np.asfortranarray, lambda a: a[::-2, ::3]])
def test_layouts(gpu_of_each_kind, layout):
    whole = layout(image((60, 70), "float32"))
    same(gpu_of_each_kind, downscale_local_mean, whole, 3)
    same(gpu_of_each_kind, resize_local_mean, whole, (13, 11))


def test_few_large_boxes_are_shared_by_threads(gpu):
    whole = image((400, 300))
    same(gpu, downscale_local_mean, whole, (400, 100))
    same(gpu, resize_local_mean, whole, (2, 3))


@pytest.mark.parametrize("dtype", ["float32", "float64", "bool"])
@pytest.mark.parametrize("grid_mode", [False, True])
def test_the_mean_of_ones_is_one(gpu_of_each_kind, dtype, grid_mode):
    for shape, sizes in [((400, 300), (3, 7)), ((41, 53), (61, 79)), ((2, 4, 6, 8), (3, 6, 9, 12))]:
        result = gpu_of_each_kind(resize_local_mean, np.ones(shape, dtype), sizes, grid_mode)
        np.testing.assert_array_equal(result, np.ones(sizes))


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_what_matrix_products_spread_is_left_to_others(gpu, value):
    whole = image((20, 30))
    whole[3, 4] = value
    with pytest.raises(Declined, match="infinit"):
        gpu(resize_local_mean, whole, (7, 8))


def test_arguments_that_are_left_to_others(gpu):
    whole = image((20, 30))
    for factors in ([2, 2], (2,), (2, 0), np.array([2, 2])):
        assert gpu.invalid(downscale_local_mean, whole, factors)
    assert "not of integers" in gpu.declined(downscale_local_mean, whole, 2.0)
    assert gpu.invalid(resize_local_mean, whole, ())
    assert gpu.invalid(resize_local_mean, whole, (5, 5), channel_axis=2)
    assert gpu.invalid(resize_local_mean, whole, (5, 5), channel_axis=0)
    assert gpu.invalid(resize_local_mean, whole, [5], channel_axis=0)
    assert "the image's own" in gpu.declined(resize_local_mean, whole, (20, 30))
    assert "positive" in gpu.declined(resize_local_mean, whole, (5, 0))
    assert "one pixel" in gpu.declined(resize_local_mean, whole[:1], (5, 5), grid_mode=False)


@pytest.mark.parametrize(
    "value", ["x", 1j, 10**400, 10**30, np.inf, np.nan, [], (), (10**10, 10**30), None], ids=repr
)
def test_odd_arguments_are_answered(gpu, value):
    """Whatever they are, the call is taken or left to others (see `mistakes`)."""
    for whole in (image((20, 30), "uint8"), image((4, 5, 6, 7))):
        for name in ("factors", "cval", "clip"):
            given = {"factors": 3, "cval": 2, name: value}
            gpu._decide(downscale_local_mean, (whole,), given)
        for name in ("output_shape", "grid_mode", "preserve_range", "channel_axis"):
            given = {"output_shape": (9,) * whole.ndim, name: value}
            gpu._decide(resize_local_mean, (whole,), given)
        for sizes in ((value,) * whole.ndim, (value, *whole.shape[1:])):
            gpu._decide(resize_local_mean, (whole, sizes), {"channel_axis": -1})


@pytest.mark.parametrize(
    ("function", "argument", "item"),
    [(downscale_local_mean, 3, 8), (resize_local_mean, (50, 70), 8)],
)
def test_one_launch_reads_once_and_writes_once(gpu, counting, function, argument, item):
    whole = image((200, 300), "uint8")
    result = gpu(function, whole, argument)
    with counting() as counted:
        gpu(function, whole, argument)
    assert counted.launches == 1
    assert counted.kernel_bytes_read <= whole.nbytes + 2000
    assert counted.kernel_bytes_written <= 1.03 * result.size * item + 2000


@pytest.mark.usefixtures("strict")
def test_no_result_depends_on_the_order_of_threads(gpu, monkeypatch):
    for module in ("device.kernels", "functions.transform.local_means"):
        monkeypatch.setattr(f"skimage_gpu_backend.{module}.resident_blocks", lambda threads: 3)
    whole = image((140, 200))
    for order in ("forward", "backward", "shuffled"):
        with cuda_simulator.thread_order(order):
            same(gpu, downscale_local_mean, whole, (70, 50))
            same(gpu, resize_local_mean, whole, (3, 4))
