"""skimage.segmentation.find_boundaries on the device finds scikit-image's very pixels."""

import itertools
import warnings

import numpy as np
import pytest
from skimage import data, measure
from skimage.segmentation import find_boundaries

import cuda_simulator
from skimage_gpu_backend.primitives.boundaries import lattice
from skimage_gpu_backend.trouble import Declined
from tests.functions.images import DTYPES, INTEGERS

RNG = np.random.default_rng(21)
MODES = ("thick", "inner", "outer", "subpixel")
SHAPES = [(1,), (70,), (1, 40), (40, 1), (23, 35), (1, 1, 9), (5, 1, 7), (6, 7, 9), (3, 4, 5, 4)]
COINS = measure.label(data.coins()[40:70, 20:70] > 120)


def same(run, labels, *args, **options):
    expected = find_boundaries(labels, *args, **options)
    result = run(find_boundaries, labels, *args, **options)
    assert result.dtype == bool
    np.testing.assert_array_equal(result, expected)
    return expected


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_any_shape_and_connectivity(gpu, shape, mode):
    labels = RNG.choice(4, shape, p=(0.6, 0.2, 0.1, 0.1)).astype(np.int16)
    for connectivity in (0, 1, 2, 2.5, len(shape), np.inf):
        same(gpu, labels, connectivity, mode, background=2)


@pytest.mark.parametrize("dtype", [dtype for dtype in DTYPES if dtype != "float16"])
def test_any_dtype(gpu_of_each_kind, dtype):
    labels = COINS.astype(dtype)
    for mode in MODES[: 2 if dtype.startswith("f") else 4]:
        for background in (0, 1):
            assert same(gpu_of_each_kind, labels, 2, mode, background).any()


@pytest.mark.parametrize("dtype", INTEGERS)
def test_labels_up_to_the_ends_of_their_range(gpu, dtype):
    limits = np.iinfo(dtype)
    high = limits.max if limits.bits < 64 else limits.max - 2**12
    labels = RNG.choice(np.array([limits.min, 0, 1, high], dtype), (30, 41))
    labels[4:20, 5:30] = 0
    labels[5:9, 6:12] = high
    for mode, background in itertools.product(MODES, (0, 1, limits.min, int(high), -1, 2**70)):
        same(gpu, labels, 1, mode, background)


@pytest.mark.parametrize("shape", [(41, 33), (1, 33), (33, 1), (33,), (9, 8, 7)], ids=str)
@pytest.mark.parametrize("dtype", ["int64", "uint64"])
def test_where_scikit_images_mark_of_background_wraps(gpu, dtype, shape):
    """So that `outer` marks pixels of objects too, which it does not in 32 bits."""
    labels = np.zeros(shape, dtype)
    labels[tuple(slice(n // 4, n // 2 + 1) for n in shape)] = 2
    labels[tuple(slice(n // 2 + 1, n - 1) for n in shape)] = 3
    for background in (0, 2):
        for connectivity in (1, len(shape)):
            same(gpu, labels, connectivity, "outer", background)


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int32", "int64", "float32", "float64"])
def test_any_number_as_background(gpu, dtype):
    labels = RNG.choice(3, (20, 31)).astype(dtype)
    numbers = [1.0, 1.5, np.nan, -np.inf, True, np.float32(2), np.uint8(1), np.int64(-1), 1e30]
    for mode in ("inner", "outer")[: 1 if dtype.startswith("f") else 2]:
        for number in numbers:
            same(gpu, labels, 1, mode, number)


def test_another_mode_is_thick(gpu):
    np.testing.assert_array_equal(same(gpu, COINS, mode="no such"), find_boundaries(COINS))


def test_floats_that_are_not_finite(gpu):
    labels = RNG.choice([-np.inf, -0.0, 0.0, 0.5, np.inf], (30, 41))
    same(gpu, labels)
    same(gpu, labels, mode="inner", background=np.inf)
    labels[3, 4] = np.nan
    with pytest.raises(Declined, match="NaN"):
        gpu(find_boundaries, labels)


@pytest.mark.parametrize("dtype", ["int64", "uint64"])
def test_labels_that_wrap_are_left_to_scikit_image(gpu, dtype):
    labels = np.zeros((5, 6), dtype)
    labels[2, 2] = np.iinfo(dtype).max
    for mode in MODES[:3]:
        with pytest.raises(Declined, match="largest of 64 bits"):
            gpu(find_boundaries, labels, mode=mode)
    same(gpu, labels, mode="subpixel")


def test_images_without_elements(gpu):
    for mode in MODES[:3]:
        same(gpu, np.zeros((0, 4), int), mode=mode)
    assert gpu.invalid(find_boundaries, np.zeros((0, 4), int), mode="subpixel")


def test_what_scikit_image_refuses_it_refuses_itself(gpu):
    for labels, mode in itertools.product((np.zeros((3, 4)), np.zeros(())), ("outer", "subpixel")):
        with pytest.raises((ValueError, TypeError)):
            find_boundaries(labels, mode=mode)
        assert gpu.invalid(find_boundaries, labels, mode=mode)


def test_half_precision_is_refused_by_scikit_image(gpu):
    for mode in MODES:
        assert gpu.invalid(find_boundaries, COINS.astype(np.float16), mode=mode)


def test_what_is_left_to_scikit_image(gpu):
    labels = COINS.astype(np.int32)
    assert "connectivity" in gpu.declined(find_boundaries, labels, "1")
    assert "mode" in gpu.declined(find_boundaries, labels, mode=3)
    for mode in ("inner", "outer"):
        assert "background" in gpu.declined(find_boundaries, labels, mode=mode, background=labels)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        floats = labels.astype(np.float32)
        assert "background" in gpu.declined(find_boundaries, floats, mode="inner", background=1e39)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype", ["uint8", "int64"])
def test_one_launch_reads_labels_once(gpu, counting, dtype, mode):
    labels = RNG.choice(4, (100, 120)).astype(dtype)
    with counting() as counts:
        result = gpu(find_boundaries, labels, mode=mode)
    assert counts.launches == 1
    assert counts.kernel_bytes_read - labels.nbytes <= 16
    assert counts.kernel_bytes_written - result.nbytes <= 16


@pytest.mark.parametrize("order", ["backward", "shuffled"])
def test_no_result_depends_on_the_order_of_threads(gpu, monkeypatch, strict, order):
    monkeypatch.setattr("skimage_gpu_backend.device.kernels.resident_blocks", lambda threads: 2)
    with cuda_simulator.thread_order(order):
        for mode in MODES:
            same(gpu, COINS[:30, :40], 2, mode)


def test_the_lattice_of_2_to_the_31_pixels_has_the_size_of_the_kernels_struct():
    """Eight lengths and a number of axes, of C's alignment."""
    assert lattice((4, 5), np.dtype(np.int32)).dtype.itemsize == 8 * 4 + 4
    assert lattice((4, 5), np.dtype(np.int64)).dtype.itemsize == 8 * 8 + 8
