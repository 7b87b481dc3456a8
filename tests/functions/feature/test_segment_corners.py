"""Corners by comparing pixels, and their orientations, on the device."""

import numpy as np
import pytest
from skimage import data
from skimage.feature import corner_fast, corner_moravec, corner_orientations
from skimage.morphology import octagon

import cuda_simulator
from tests.functions.filter_agreement import same
from tests.functions.images import DTYPES

RNG = np.random.default_rng(0)
# around the tiles of 16 x 64
SHAPES = [(2, 2), (6, 7), (7, 7), (15, 63), (16, 64), (17, 65), (40, 9), (9, 140)]
LAYOUTS = {"C": lambda a: a, "F": np.asfortranarray, "sliced": lambda a: a[::-2, ::3]}
layouts = pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)


def equal(gpu, function, *args, **kwargs):
    np.testing.assert_array_equal(
        gpu(function, *args, **kwargs), function(*args, **kwargs), strict=True
    )


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("n", [1, 9, 12, 16, 17, 0])
def test_segments_of_every_shape(gpu_of_each_kind, shape, n):
    image = RNG.integers(0, 4, shape, np.uint8) * np.uint8(60)
    for threshold in (0.15, 60 / 255, 0, -0.1):
        equal(gpu_of_each_kind, corner_fast, image, n, threshold)
        equal(gpu_of_each_kind, corner_fast, (image / 255).astype("f4"), n, threshold)


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int8", "uint16", "int16", "int32"])
def test_segments_where_cards_are_slow_in_double(gpu, strict, dtype):
    """Doubles compared by their bits, whatever the threshold."""
    image = data.camera()[::8, ::8]
    image = image > 90 if dtype == "bool" else (image.astype(int) - 100).astype(dtype)
    for threshold in (0.15, -0.1, 0, 1 / 255, 2, 1e-300, np.inf, -np.inf, np.nan):
        for n in (1, 9, 16):
            equal(gpu, corner_fast, image, n, threshold)


@pytest.mark.parametrize("dtype", DTYPES)
@layouts
def test_every_type_and_layout(gpu_of_each_kind, dtype, layout):
    image = layout(RNG.integers(0, 3, (60, 70)).astype(dtype))
    if dtype[0] == "f":
        image = image / image.dtype.type(3)
    equal(gpu_of_each_kind, corner_fast, image, 5, 0.2 if dtype[0] == "f" else 0)
    same(gpu_of_each_kind, corner_moravec, image, 1)
    if layout is LAYOUTS["C"]:
        corners = np.array([[3, 4], [30, 31], [0, 69], [59, 0]])
        same(gpu_of_each_kind, corner_orientations, image, corners, octagon(3, 2))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("window", [0, 1, 2, 3])
def test_least_change_of_every_shape(gpu, shape, window):
    same(gpu, corner_moravec, RNG.random(shape), window)
    same(gpu, corner_moravec, RNG.random(shape, np.float32), window)


def test_largest_window(gpu):
    same(gpu, corner_moravec, RNG.random((43, 44)), 10)
    assert "from 0" in gpu.declined(corner_moravec, RNG.random((60, 60)), 11)


def test_corners_of_nan_and_infinities(gpu):
    image = RNG.random((30, 40))
    image[3, 4], image[8, 19], image[25, 30] = np.nan, np.inf, -np.inf
    with np.errstate(all="ignore"):
        equal(gpu, corner_fast, image, 3, 0.1)
        same(gpu, corner_moravec, image, 1)


def test_planes_with_axes_of_one_element(gpu):
    image = data.camera()[None, :50, :60]
    equal(gpu, corner_fast, image, 9)
    corners = np.array([[8, 9], [20, 30]])
    same(gpu, corner_orientations, np.ascontiguousarray(image), corners, np.ones((5, 5)))


@pytest.mark.parametrize("size", [1, 3, 31])
def test_orientations(gpu_of_each_kind, size):
    image = data.camera()[:70, :80].copy()
    corners = np.stack([RNG.integers(0, n, 300) for n in image.shape], axis=1)
    for mask in (np.ones((size, size)), RNG.random((size, size)) > 0.4, np.tri(size)):
        for each in (image, image / 255, (image / 255).astype(np.float32)):
            same(gpu_of_each_kind, corner_orientations, each, corners, mask)
    same(gpu_of_each_kind, corner_orientations, image, corners[:0], np.ones((3, 3)))


def test_arguments_that_are_left_to_scikit_image(gpu):
    image, corners = np.zeros((9, 10)), np.array([[3, 4]])
    assert gpu.invalid(corner_fast, np.zeros((4, 5, 6)))
    assert gpu.invalid(corner_fast, image, 200)
    assert gpu.invalid(corner_moravec, image[None])
    assert gpu.invalid(corner_orientations, image, corners, np.ones((2, 2)))
    assert gpu.invalid(corner_orientations, image, corners.astype(float), np.ones((3, 3)))
    assert gpu.invalid(corner_orientations, image.T, corners, np.ones((3, 3)))
    assert "square" in gpu.declined(corner_orientations, image, corners, np.ones((3, 5)))


@pytest.mark.parametrize("dtype", ["uint8", "float32"])
@pytest.mark.parametrize("function", [corner_fast, corner_moravec])
def test_launches_and_bytes(gpu, counting, function, dtype):
    image = data.camera().astype(dtype)
    with counting() as counts:
        result = gpu(function, image)
    assert counts.launches == 1
    assert counts.kernel_bytes_read == image.nbytes
    assert counts.kernel_bytes_written == result.nbytes


def test_launches_of_orientations(gpu, counting):
    with counting() as counts:
        gpu(corner_orientations, data.camera(), np.array([[8, 9], [20, 30]]), np.ones((5, 5)))
    assert counts.launches == 1


@pytest.mark.parametrize("function", [corner_fast, corner_moravec])
def test_no_result_depends_on_the_order_of_threads(gpu, monkeypatch, strict, function):
    monkeypatch.setattr("skimage_gpu_backend.device.kernels.resident_blocks", lambda _: 2)
    image = RNG.integers(0, 4, (40, 140), np.uint8) * np.uint8(60)
    for order in ("forward", "backward", "shuffled"):
        with cuda_simulator.thread_order(order):
            same(gpu, function, image)
