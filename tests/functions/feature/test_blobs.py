"""Blobs on the device: scikit-image's list of them, to the last digit and in its order."""

import numpy as np
import pytest
from skimage import data
from skimage.feature import blob_dog, blob_doh, blob_log

import cuda_simulator
from skimage_gpu_backend.trouble import Declined
from tests.functions.images import DTYPES

RNG = np.random.default_rng(0)
COINS = data.coins()[60:150, 200:310]
FUNCTIONS = [blob_dog, blob_log]
BOXES = {"max_sigma": 12, "threshold": 5e-3}
SCALES = {"min_sigma": 1, "max_sigma": 9, "threshold": 0.03}


def equal(gpu, function, image, **arguments):
    before = image.copy()
    result, expected = gpu(function, image, **arguments), function(image, **arguments)
    assert type(result) is type(expected)
    assert result.dtype == expected.dtype
    np.testing.assert_array_equal(result, expected)
    np.testing.assert_array_equal(image, before)
    return len(expected)


@pytest.mark.parametrize("function", [*FUNCTIONS, blob_doh])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    "layout",
    [lambda a: a, np.asfortranarray, lambda a: a[::-1, ::2]],
    ids=["C", "Fortran", "strided"],
)
def test_every_type_and_layout(gpu_of_each_kind, function, dtype, layout):
    image = COINS > 120
    if np.dtype(dtype).kind == "f":
        image = (COINS / 255).astype(dtype)
    elif dtype != "bool":
        image = (COINS / 255 * np.iinfo(dtype).max).astype(dtype)
    arguments = BOXES if function is blob_doh else SCALES
    assert equal(gpu_of_each_kind, function, layout(image), **arguments)


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("shape", [(1, 1), (1, 70), (70, 1), (15, 17), (16, 33), (5, 6, 7)])
def test_shapes_that_a_gaussian_exceeds_many_times(gpu, function, shape):
    image = RNG.random(shape)
    equal(gpu, function, image, min_sigma=1, max_sigma=40, threshold=None)
    equal(gpu, function, image.astype("f4"), min_sigma=1, max_sigma=40, threshold=1e-4)


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_pixels_that_mirror_each_other_are_equal(gpu, function, dtype):
    """Neither of two centres of an even blob is larger for rounding alone."""
    rows, columns = np.ogrid[:40, :42]
    image = np.exp(-((rows - 19.5) ** 2 + (columns - 20.5) ** 2) / 30).astype(dtype)
    assert equal(gpu, function, image, **SCALES, overlap=1)
    assert equal(gpu, function, image.round(1), **SCALES, overlap=1)


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("sigmas", [(1, 7), ((1, 1, 2), (3, 5, 4)), ([1, 2, 1], 6)], ids=str)
def test_volumes(gpu, function, dtype, sigmas):
    image = RNG.random((11, 20, 24)).astype(dtype) ** 4
    low, high = sigmas
    assert equal(gpu, function, image, min_sigma=low, max_sigma=high, threshold=0.01, overlap=0.9)


@pytest.mark.parametrize("log_scale", [False, True])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("sigmas", [(2, 9), ((2, 1), (9, 8)), (np.float32(2), 9.5)], ids=str)
def test_scales(gpu, log_scale, dtype, sigmas):
    image = (COINS / 255).astype(dtype)
    low, high = sigmas
    arguments = {"min_sigma": low, "max_sigma": high, "num_sigma": 7, "log_scale": log_scale}
    assert equal(gpu, blob_log, image, **arguments, threshold=0.05)
    assert equal(gpu, blob_dog, image, min_sigma=low, max_sigma=high, threshold=0.02)
    assert equal(gpu, blob_dog, image, min_sigma=low, sigma_ratio=1.1, threshold=0.02)


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("border", [False, True, 0, 7, (20, 0), (0, 100)], ids=str)
def test_borders(gpu, function, border):
    equal(gpu, function, COINS, **SCALES, exclude_border=border)


# around the tiles of 32 x 32 of the running sums
@pytest.mark.thorough
@pytest.mark.parametrize("shape", [(1, 1), (1, 70), (70, 1), (31, 33), (32, 64), (65, 31)])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_boxes_that_exceed_the_image(gpu, shape, dtype):
    image = RNG.random(shape).astype(dtype)
    equal(gpu, blob_doh, image, threshold=None)
    equal(gpu, blob_doh, image, max_sigma=50, threshold=1e-5, overlap=0.9)


@pytest.mark.parametrize("log_scale", [False, True])
@pytest.mark.parametrize("sigmas", [(0.34, 9.9, 1), (1, 9, 12), (9, 2, 5), (1.5, 1.5, 3)], ids=str)
def test_sizes_of_boxes(gpu, log_scale, sigmas):
    low, high, count = sigmas
    arguments = {"min_sigma": low, "max_sigma": high, "num_sigma": count, "log_scale": log_scale}
    equal(gpu, blob_doh, COINS[:40, :50], **arguments, threshold=1e-4, overlap=0.7)
    equal(gpu, blob_doh, COINS, **arguments, threshold=None, threshold_rel=0.3)


@pytest.mark.thorough
@pytest.mark.parametrize("function", FUNCTIONS)
def test_more_peaks_than_come_with_their_number(gpu, function):
    arguments = {"min_sigma": 0.5, "max_sigma": 1, "threshold": None, "overlap": 1}
    assert equal(gpu, function, RNG.random((330, 340)), **arguments) > 4096


@pytest.mark.parametrize("function", FUNCTIONS)
def test_calls_that_are_not_taken(gpu, function):
    image = np.zeros((30, 40))
    assert gpu.invalid(function, image, exclude_border=(1,))
    assert gpu.invalid(function, image, exclude_border=-1)
    assert "plane" in gpu.declined(function, image[0])
    assert "length" in gpu.declined(function, image, min_sigma=(1, 2, 3))
    assert "number" in gpu.declined(function, image, threshold="much")
    with pytest.raises(Declined, match="NaN"):
        gpu(function, np.full((30, 40), np.nan))
    assert "farther" in gpu.declined(function, image, max_sigma=5000)


def test_scales_that_are_not_taken(gpu):
    image = np.zeros((30, 40))
    assert gpu.invalid(blob_dog, image, sigma_ratio=1)
    assert "num_sigma" in gpu.declined(blob_log, image, num_sigma=0)
    assert "positive" in gpu.declined(blob_log, image, min_sigma=0)
    assert "no scale" in gpu.declined(blob_dog, image, min_sigma=9, max_sigma=1)
    assert "4096" in gpu.declined(blob_log, image, num_sigma=10**9)
    assert "no pixel" in gpu.declined(blob_doh, image, min_sigma=0.3)
    assert gpu.invalid(blob_doh, image, min_sigma=0, log_scale=True)
    assert gpu.invalid(blob_doh, image[None])
    assert "num_sigma" in gpu.declined(blob_doh, image, num_sigma=65)


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("dtype", ["uint8", "float32"])
def test_launches_and_bytes(gpu, counting, function, dtype):
    image = (data.camera()[::4, ::4] / (255 if dtype == "float32" else 1)).astype(dtype)
    with counting() as counts:
        gpu(function, image)
    assert counts.launches == 6
    plane = image.size * (4 if dtype == "float32" else 8)
    scales, terms = (10, 1) if function is blob_dog else (10, 2)
    cube = (9 if function is blob_dog else 10) * plane
    # scale space, one axis of maxima, maxima with their own values; what is marked, twice, which
    # the counters take for all of it
    small = 100_000 + cube / 8
    assert counts.kernel_bytes_read <= image.nbytes + scales * terms * plane + 5 * cube + small
    assert counts.kernel_bytes_written <= scales * terms * plane + 2 * cube + cube / 32 + small


@pytest.mark.parametrize("dtype", ["uint8", "float32"])
def test_launches_and_bytes_of_boxes(gpu, counting, dtype):
    image = (data.camera()[::4, ::4] / (255 if dtype == "float32" else 1)).astype(dtype)
    with counting() as counts:
        gpu(blob_doh, image)
    assert counts.launches == 7
    sums, cube = 8 * image.size, 10 * image.size * (4 if dtype == "float32" else 8)
    small = 100_000
    assert counts.kernel_bytes_read <= image.nbytes + sums + 5 * cube + small
    assert counts.kernel_bytes_written <= 2 * sums + 2 * cube + cube / 32 + small


def test_launches_of_a_volume(gpu, counting):
    for function in FUNCTIONS:
        with counting() as counts:
            gpu(function, RNG.random((9, 20, 21)), max_sigma=5)
        assert counts.launches == 8


def test_no_result_depends_on_the_order_of_threads(gpu, monkeypatch, strict):
    monkeypatch.setattr("skimage_gpu_backend.device.kernels.resident_blocks", lambda threads: 2)
    for order in ("forward", "backward", "shuffled"):
        with cuda_simulator.thread_order(order):
            for function in FUNCTIONS:
                assert equal(gpu, function, COINS[:40, :50], **SCALES)
            assert equal(gpu, blob_doh, COINS[:80, :70], **BOXES)
