"""Perimeters and Euler numbers on the device are scikit-image's to the last bit."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from skimage import data
from skimage.measure import euler_number, perimeter, perimeter_crofton

import cuda_simulator
from skimage_gpu_backend.trouble import Declined
from tests.functions.images import DTYPES, FLOATS, layouts, meander

RNG = np.random.default_rng(3)
# one pixel, lines, and widths around those of boxes
PLANES = [(1, 1), (1, 90), (90, 1), (31, 63), (32, 64), (33, 65), (97, 130)]
VOLUMES = [(1, 1, 1), (1, 9, 9), (7, 7, 31), (8, 8, 32), (9, 9, 33), (20, 3, 70)]
CALLS = [
    *((perimeter, {"neighborhood": value}) for value in (4, 8, 6, 4.0)),
    *((perimeter_crofton, {"directions": value}) for value in (4, 2, 3)),
    *((euler_number, {"connectivity": value}) for value in (None, 1, 2, 1.0)),
]


def same(run, function, image, **options):
    expected, result = function(image, **options), run(function, image, **options)
    assert (type(result), result) == (type(expected), expected)
    return expected


@pytest.mark.parametrize("function,options", CALLS)
@pytest.mark.parametrize("shape", PLANES, ids=str)
def test_planes_are_measured_alike(gpu, function, options, shape):
    for share in (0, 0.1, 0.5, 0.9, 1):
        same(gpu, function, RNG.random(shape) < share, **options)


@pytest.mark.parametrize("shape", VOLUMES, ids=str)
def test_volumes_have_the_same_euler_number(gpu, shape):
    for share in (0.1, 0.5, 0.9, 1):
        image = RNG.random(shape) < share
        for connectivity in (None, 1, 3, 7):
            same(gpu, euler_number, image, connectivity=connectivity)


@pytest.mark.parametrize("dtype", DTYPES)
def test_any_dtype(gpu_of_each_kind, dtype):
    image = (data.coins()[:90, :150] > 110).astype(dtype)
    for function in (perimeter, perimeter_crofton, euler_number):
        assert same(gpu_of_each_kind, function, image)
    labels = (RNG.random((40, 70)) * 5 - 2 * (np.dtype(dtype).kind in "if")).astype(dtype)
    for function in (perimeter_crofton, euler_number):  # what is above 0 counts
        same(gpu_of_each_kind, function, labels)


@pytest.mark.parametrize("dtype", FLOATS)
def test_floats_are_cut_to_bytes_for_a_perimeter(gpu, dtype):
    image = RNG.uniform(-0.99, 1.99, (40, 70)).astype(dtype)
    same(gpu, perimeter, image)
    for value in (2, -1, np.nan, np.inf):
        image[30, 3] = value
        with pytest.raises(Declined, match="image > 0"):
            gpu(perimeter, image)
        same(gpu, euler_number, image)
        same(gpu, perimeter_crofton, image)


@settings(max_examples=30)
@given(data=st.data())
def test_any_layout(gpu, data):
    image = data.draw(layouts(RNG.random((35, 70)) < 0.5))
    for function in (perimeter, perimeter_crofton, euler_number):
        same(gpu, function, image)
        same(gpu.cupy, function, image)


def test_a_path_and_a_chequerboard(gpu):
    for image in (meander(131, 257), np.indices((99, 140)).sum(0) % 2 > 0):
        for function, options in CALLS:
            same(gpu, function, image, **options)
    same(gpu, euler_number, np.indices((19, 17, 40)).sum(0) % 2 > 0)


def test_what_scikit_image_refuses_it_refuses_itself(gpu):
    for function, image, options in (
        (perimeter, np.ones(3), {}),
        (perimeter, np.ones((3, 3, 3)), {}),
        (perimeter_crofton, np.ones((3, 3, 3)), {}),
        (euler_number, np.ones(3), {}),
        (euler_number, np.ones((2, 2, 2, 2)), {}),
        (euler_number, np.ones((3, 3, 3)), {"connectivity": 2}),
    ):
        with pytest.raises((NotImplementedError, RuntimeError)):
            function(image, **options)
        assert gpu.invalid(function, image, **options)


def test_what_is_left_to_scikit_image(gpu):
    image = np.ones((3, 4))
    assert "neighborhood" in gpu.declined(perimeter, image, [4])
    assert "directions" in gpu.declined(perimeter_crofton, image, "4")
    assert "connectivity" in gpu.declined(euler_number, image, np.ones(2))
    assert "empty" in gpu.declined(euler_number, np.ones((0, 4)))


@pytest.mark.parametrize("function", [perimeter, perimeter_crofton, euler_number])
@pytest.mark.parametrize("dtype", ["bool", "float64"])
def test_one_launch_reads_the_image_once(gpu, counting, function, dtype):
    import cupy as cp

    for content in (RNG.random((512, 512)) < 0.5, np.zeros((512, 512)), np.ones((512, 512))):
        image = cp.asarray(content.astype(dtype))
        with counting() as counts:
            gpu(function, image)
        assert counts.launches == 1
        # edges of boxes of 32 x 64 pixels
        assert counts.kernel_bytes_read <= 1.2 * image.nbytes
        assert counts.kernel_bytes_written <= 8 * 256 + 4


@pytest.mark.parametrize("order", ["forward", "backward", "shuffled"])
def test_no_result_depends_on_the_order_of_threads(gpu, monkeypatch, strict, order):
    monkeypatch.setattr(
        "skimage_gpu_backend.functions.measure.perimeters.resident_blocks", lambda threads: 2
    )
    with cuda_simulator.thread_order(order):
        for function in (perimeter, perimeter_crofton, euler_number):
            same(gpu, function, RNG.random((70, 130)) < 0.5)
        same(gpu, euler_number, RNG.random((9, 17, 40)) < 0.5)
