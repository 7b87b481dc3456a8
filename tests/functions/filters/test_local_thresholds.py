"""Thresholds over windows on the device: local means, Niblack's and Sauvola's."""

import numpy as np
import pytest
from skimage import data
from skimage.filters import threshold_local, threshold_niblack, threshold_sauvola

import cuda_simulator
from skimage_gpu_backend.functions.filters.local_thresholds import threshold_local as plan
from skimage_gpu_backend.trouble import Declined
from tests.functions.filter_agreement import MODES, agree, same
from tests.functions.images import DTYPES, INTEGERS

DEVIATIONS = [threshold_niblack, threshold_sauvola]
RNG = np.random.default_rng(0)
# around the strips of 128 columns, the chunks of 64 rows and the runs of 8 elements
SHAPES = [(1,), (300,), (1, 1), (1, 40), (63, 127), (64, 128), (65, 129), (130, 7), (9, 300)]


def equal(gpu, function, *args, **kwargs):
    expected = function(*args, **kwargs)
    result = gpu(function, *args, **kwargs)
    assert result.dtype == expected.dtype
    np.testing.assert_array_equal(result, expected)


def bytes_of(shape, dtype="uint8"):
    limits = np.iinfo(dtype)
    return RNG.integers(max(limits.min, -99), min(limits.max, 255), shape, dtype, endpoint=True)


@pytest.mark.parametrize("function", DEVIATIONS)
@pytest.mark.parametrize("shape", SHAPES)
def test_integers_give_equal_thresholds_whatever_the_shape(gpu, function, shape):
    equal(gpu, function, bytes_of(shape), 15)
    equal(gpu, function, bytes_of(shape), (3, 9)[-len(shape) :], k=-0.7)


@pytest.mark.parametrize("function", DEVIATIONS)
@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("layout", [lambda a: a, np.asfortranarray, lambda a: a[::-2, ::3]])
def test_integers_of_every_type_and_layout(gpu_of_each_kind, function, dtype, layout):
    equal(gpu_of_each_kind, function, layout(bytes_of((70, 90), dtype)), (7, 5))


@pytest.mark.parametrize("function", DEVIATIONS)
@pytest.mark.parametrize("window", [3, 201, (1, 401), (401, 1), (1, 1025)])
def test_windows_that_exceed_the_image_several_times(gpu, function, window):
    equal(gpu, function, bytes_of((30, 41)), window)


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int8", "uint16", "int16"])
@pytest.mark.parametrize("window", [9, (255, 259), (257, 259)])
def test_sums_of_the_largest_integers(gpu, dtype, window):
    """Of 255 x 259 pixels sums of squares fit into 32 bits, of 257 x 259 of bytes they do not."""
    ends = (0, 1) if dtype == "bool" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    for end in ends:
        image = np.full((40, 50), end, dtype)
        image[RNG.random(image.shape) < 0.01] = RNG.choice(ends)
        equal(gpu, threshold_niblack, image, window)
        means = threshold_niblack(image, window, k=0)  # exact
        result = gpu(threshold_local, image, window, "mean", mode="mirror")
        np.testing.assert_array_equal(result, means)


@pytest.mark.parametrize("function", DEVIATIONS)
@pytest.mark.parametrize("window", [5, (3, 5, 7), (7, 1, 1), (1, 3, 1)])
def test_volumes_and_more_axes(gpu, function, window):
    equal(gpu, function, bytes_of((11, 20, 33)), window)
    more = (1, *window) if isinstance(window, tuple) else window
    equal(gpu, function, bytes_of((3, 5, 12, 9)), more)


@pytest.mark.parametrize("function", DEVIATIONS)
@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_single_precision(gpu, function, dtype):
    image = (data.camera()[::3, ::3] / 255).astype(dtype)
    expected = function(image)
    result = gpu(function, image)
    assert result.dtype == expected.dtype == np.float32
    # a variance is a difference in float32: the last digit of a sum moves its root by this
    assert np.abs(result - expected).max() < 1e-4


@pytest.mark.parametrize("window", [1, 3, 15])
def test_double_precision_is_as_exact_as_the_arithmetic_of_integers(gpu, window):
    """scikit-image's integral images round where windows of their own do not."""
    image = data.camera()[::3, ::3]
    exact = threshold_niblack(image, window) / 256
    result = gpu(threshold_niblack, image / 256, window)
    assert np.abs(result - exact).max() < 1e-12
    np.testing.assert_array_equal(gpu(threshold_niblack, np.full((20, 30), 0.5), window), 0.5)


@pytest.mark.parametrize("function", DEVIATIONS)
def test_masks_are_numbers(gpu, function):
    equal(gpu, function, data.camera()[::5, ::5] > 100)


@pytest.mark.parametrize("r", [None, 0.5, 128, np.float32(3)])
def test_range_of_sauvola(gpu, r):
    equal(gpu, threshold_sauvola, bytes_of((30, 41)), 5, r=r)


def test_no_range_of_sauvola(gpu):
    assert "r is 0" in gpu.declined(threshold_sauvola, bytes_of((30, 41)), 5, r=0)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e200])
@pytest.mark.parametrize("function", [*DEVIATIONS, threshold_local])
def test_what_scikit_image_spreads_over_the_image_is_left_to_it(gpu, function, value):
    image = RNG.random((20, 30))
    image[4, 5] = value
    arguments = {"method": "mean"} if function is threshold_local else {}
    if arguments and value == 1e200:  # a mean of finite numbers
        return
    with pytest.raises(Declined, match="infinit"):
        gpu(function, image, 3, **arguments)


@pytest.mark.parametrize("function", DEVIATIONS)
def test_arguments_that_are_left_to_scikit_image(gpu, function):
    image = np.zeros((5, 6))
    for window in (4, (3, 4), 0, -1, (3,), (3, 3, 3)):
        assert gpu.invalid(function, image, window)
    assert gpu.invalid(function, np.zeros((0, 6)))
    assert "wider" in gpu.declined(function, image.astype("f4"), 3, np.float64(0.2))
    assert "at most 1025" in gpu.declined(function, image, 1027)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("block", [1, 3, (1, 5), (7, 3), 99])
def test_local_mean(gpu_of_each_kind, mode, block):
    for dtype in ("uint8", "float32", "float64"):
        image = (data.camera()[::7, ::9] / 3).astype(dtype)
        same(gpu_of_each_kind, threshold_local, image, block, "mean", 2.5, mode, cval=7.5)


@pytest.mark.parametrize("method", ["mean", "gaussian"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_local_threshold_of_every_dtype(gpu, method, dtype):
    image = (data.camera()[::9, ::9] > 99) if dtype == "bool" else data.camera()[::9, ::9] // 3
    for offset in (0, 3, np.float32(0.5)):
        same(gpu, threshold_local, image.astype(dtype), 9, method, offset)


@pytest.mark.parametrize("method", ["mean", "gaussian"])
@pytest.mark.parametrize("mode", MODES)
def test_local_threshold_of_a_volume(gpu, method, mode):
    same(gpu, threshold_local, RNG.random((9, 20, 30)), (3, 5, 9), method, 0.1, mode, cval=2)


@pytest.mark.parametrize("mode", MODES[:5])
@pytest.mark.parametrize("offset", [0, 2.5])
def test_local_median(gpu_of_each_kind, mode, offset):
    image = data.camera()[::7, ::9]
    for each in (image, image > 99, image.astype(np.int32), (image / 3).astype(np.float32)):
        same(gpu_of_each_kind, threshold_local, each, (5, 3), "median", offset, mode)
    same(gpu_of_each_kind, threshold_local, image / 3, 3, "median", offset, mode, cval=7.5)
    same(gpu_of_each_kind, threshold_local, RNG.random((5, 9, 8)), 3, "median", offset, mode)
    for dtype in ("u8", "i8"):  # whose largest number is a double beyond the type
        wide = np.iinfo(dtype).max - RNG.integers(0, 3, (9, 8)).astype(dtype)
        same(gpu_of_each_kind, threshold_local, wide, 3, "median", offset, mode)


@pytest.mark.parametrize("param", [0.5, 3, (1, 6), 0])
def test_sigma_of_the_local_gaussian(gpu, param):
    same(gpu, threshold_local, data.camera()[::5, ::5], 9, param=param)


def test_local_methods_that_are_not_taken(gpu):
    image = np.zeros((5, 6))
    assert "generic" in gpu.declined(threshold_local, image, 3, "generic", param=np.max)
    assert "float16" in gpu.declined(threshold_local, image.astype("f2"), 3, "median")
    assert "cval=2 is not 0" in gpu.declined(
        threshold_local, image.astype(int), 3, "median", cval=2
    )
    assert gpu.invalid(threshold_local, image, 3, "no such")
    assert gpu.invalid(threshold_local, image, 4)
    assert "wider" in gpu.declined(threshold_local, image.astype("f4"), 3, offset=np.float64(1))


@pytest.mark.parametrize(
    "arguments",
    [
        *({"block_size": b} for b in (None, "3", {3}, np.array(3), [np.array([3]), 3], 2**70 + 1)),
        *({"block_size": b, "method": "median"} for b in (-3, 3.0, 2**31 - 1)),
        *({"method": m} for m in (None, ["mean"], np.array(["mean", "median"]))),
        *({"offset": offset} for offset in (10**400, "1", 1j, None)),
        *({"cval": c, "method": m} for c in ("1", 10**400) for m in ("mean", "median")),
    ],
)
def test_odd_arguments_of_local_thresholds_are_not_taken(gpu, arguments):
    assert gpu.declined(threshold_local, np.zeros((5, 6)), **{"block_size": 3, **arguments})


@pytest.mark.parametrize("function", DEVIATIONS)
@pytest.mark.parametrize(
    "arguments",
    [
        *({"window_size": w} for w in (None, "3", 3.0, np.array(3), (3, None), (2**31 + 1, 3))),
        *({"k": k} for k in (10**400, "1", 1j, None, [0.2])),
    ],
)
def test_odd_arguments_of_deviations_are_not_taken(gpu, function, arguments):
    assert gpu.declined(function, np.zeros((5, 6)), **arguments)


@pytest.mark.parametrize(
    "arguments", [{"method": "mean"}, {"method": "median"}, {"method": "median", "offset": 2}, {}]
)
def test_the_next_frame_finds_its_plan(arguments):
    image = bytes_of((30, 40))
    assert plan(image, 5, **arguments) is plan(image + 1, (5, 5), **arguments)


@pytest.mark.parametrize("dtype", ["uint8", "float32"])
@pytest.mark.parametrize(
    ("function", "arguments", "launches"),
    [
        (threshold_niblack, {}, 1),
        (threshold_sauvola, {"window_size": 99}, 1),
        (threshold_local, {"method": "mean", "block_size": 35, "offset": 3}, 1),
        (threshold_local, {"block_size": 25}, 1),
        (threshold_local, {"block_size": 35}, 2),
    ],
)
def test_launches_and_bytes(gpu, counting, dtype, function, arguments, launches):
    image = data.camera().astype(dtype)
    with counting() as counts:
        result = gpu(function, image, **arguments)
    assert counts.launches == launches
    assert counts.kernel_bytes_read == image.nbytes + (launches - 1) * result.nbytes
    assert counts.kernel_bytes_written <= launches * result.nbytes + 4
    assert counts.to_host <= 2


@pytest.mark.parametrize("function", [*DEVIATIONS, threshold_local])
def test_no_result_depends_on_the_order_of_threads(gpu, monkeypatch, strict, function):
    monkeypatch.setattr("skimage_gpu_backend.device.kernels.resident_blocks", lambda threads: 2)
    image = bytes_of((70, 140))
    arguments = {"method": "mean"} if function is threshold_local else {}
    for order in ("forward", "backward", "shuffled"):
        with cuda_simulator.thread_order(order):
            agree(gpu(function, image, 7, **arguments), function(image, 7, **arguments))
