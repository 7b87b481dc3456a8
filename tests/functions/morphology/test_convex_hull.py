"""Convex hulls of planes on the device are scikit-image's very pixels."""

import warnings

import numpy as np
import pytest
from skimage import data, draw, measure, morphology

import cuda_simulator
from skimage_gpu_backend import use_backends
from skimage_gpu_backend.trouble import Declined
from tests.functions.images import INTEGERS

from .hulls import has_hull

RNG = np.random.default_rng(11)
IMAGE, OBJECTS = morphology.convex_hull_image, morphology.convex_hull_object
HORSE = ~data.horse()[::6, ::6]
OPTIONS = [
    {"offset_coordinates": offset, "include_borders": borders}
    for offset in (True, False)
    for borders in (True, False)
]
SHAPES = [(1, 1), (1, 40), (40, 1), (2, 2), (3, 3), (5, 4), (23, 35), (70, 200), (3, 400), (150, 2)]


def same(run, function, image, *args, **options):
    expected = function(image, *args, **options)
    result = run(function, image, *args, **options)
    assert result.dtype == bool
    np.testing.assert_array_equal(result, expected)
    return expected


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_hulls_of_planes_of_any_shape(gpu, shape, options):
    """Of scattered pixels: rows may be empty, and hulls have corners on pixels, and beside them."""
    found = 0
    for share in (0.001, 0.03, 0.3, 0.99, 1):
        for _ in range(3):
            image = RNG.random(shape) < share
            image[RNG.integers(shape[0]), RNG.integers(shape[1])] = True
            if has_hull(image, **options):
                same(gpu, IMAGE, image, **options)
                found += 1
            else:
                with pytest.raises(Declined, match="scikit-image warns"):
                    gpu(IMAGE, image, **options)
    assert found or not options["offset_coordinates"]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_hulls_with_many_corners(gpu, options):
    image = np.zeros((180, 210), bool)
    image[draw.ellipse(90, 100, 83, 97)] = True
    for each in (image, HORSE, HORSE.T, image & (RNG.random(image.shape) < 0.05)):
        same(gpu, IMAGE, each, **options)


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_pixels_on_the_sides_of_a_hull(gpu, options):
    """Triangles of few pixels, whose sides pass through others."""
    for _ in range(60):
        image = np.zeros((13, 17), np.uint8)
        image[RNG.integers(0, 13, 3), RNG.integers(0, 17, 3)] = 1
        if has_hull(image, **options):
            same(gpu, IMAGE, image, **options)


@pytest.mark.thorough
@pytest.mark.parametrize("dtype", INTEGERS)
def test_any_integers_and_layout(gpu_of_each_kind, dtype):
    for image in (HORSE.astype(dtype), HORSE.astype(dtype).T[::2, ::-1], -HORSE.astype(dtype)):
        same(gpu_of_each_kind, IMAGE, image)
        same(gpu_of_each_kind, OBJECTS, image)


def test_only_the_last_8_bits_of_a_pixel_count(gpu):
    image = np.zeros((20, 30), np.int64)
    image[2, 3], image[5, 20], image[12, 9], image[18, 28], image[8, 1] = 1, 257, -1, 256, -(2**40)
    assert IMAGE(image).sum() < IMAGE(image != 0).sum()
    same(gpu, IMAGE, image)


def test_any_tolerance_as_planes_have_none(gpu):
    for tolerance in (0, -1, 5.0, "none"):
        same(gpu, IMAGE, HORSE, tolerance=tolerance)
        same(gpu, IMAGE, HORSE, 1, tolerance, 0)


def test_scikit_image_alone_tells_of_an_image_without_a_hull(enabled, monkeypatch):
    monkeypatch.setenv("SKIMAGE_BACKENDS_MIN_SIZE", "0")
    line = np.zeros((9, 9), bool)
    line[4, 2:6] = True
    for image, words in ((line * False, "entirely zero"), (line, "Failed to get convex hull")):
        with use_backends("gpu"), warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            hull = IMAGE(image, offset_coordinates=False)
        assert words in str(told[0].message)
        assert len(told) == 1
        np.testing.assert_array_equal(hull, np.zeros((9, 9), bool))


def test_pixels_whose_last_8_bits_are_0_are_left_to_scikit_image_to_refuse(gpu):
    with pytest.raises(ValueError, match="No points"):
        IMAGE(np.full((5, 7), 256))
    with pytest.raises(Declined):
        gpu(IMAGE, np.full((5, 7), 256))


def test_what_is_left_to_scikit_image(gpu):
    for dtype in ("float16", "float32", "float64"):
        assert "floating" in gpu.declined(IMAGE, HORSE.astype(dtype))
    for function in (IMAGE, OBJECTS):
        assert "axes" in gpu.declined(function, np.ones(5, bool))
        assert "2**21" in gpu.declined(function, np.broadcast_to(True, (1, 2**21 + 1)))
    assert "axes" in gpu.declined(IMAGE, np.ones((3,) * 6, bool))
    assert "elements" in gpu.declined(IMAGE, HORSE[:0])
    with pytest.raises(Declined, match="nan_to_num"):
        gpu(OBJECTS, np.full((3, 4), np.nan))
    assert "connectivity" in gpu.declined(OBJECTS, HORSE, connectivity=None)


def test_what_scikit_image_refuses_it_refuses_itself(gpu):
    for image, options in [
        (np.ones((3, 4, 5), bool), {}),
        (HORSE[:0], {}),
        *((HORSE, {"connectivity": each}) for each in (0, 3, 1.5)),
    ]:
        with pytest.raises(ValueError):
            OBJECTS(image, **options)
        assert gpu.invalid(OBJECTS, image, **options)


@pytest.mark.parametrize("connectivity", [1, 2, 1.0, True])
def test_hulls_of_objects(gpu, connectivity):
    """Hulls overlap, and reach over other objects."""
    for share in (0.1, 0.3, 0.5, 0.9):
        for shape in ((31, 43), (1, 60), (60, 1)):
            image = RNG.random(shape) < share
            expected = same(gpu, OBJECTS, image, connectivity=connectivity)
            assert not image.any() or (expected & image).any()
    same(gpu, OBJECTS, HORSE, connectivity=connectivity)
    same(gpu, OBJECTS, np.zeros((4, 5), bool), connectivity=connectivity)


def test_objects_of_numbers_are_those_of_label(gpu):
    """Numbers that differ are objects of their own; floats count without their fractions."""
    image = RNG.integers(-1, 3, (40, 50))
    same(gpu, OBJECTS, image)
    same(gpu, OBJECTS, image + 0.7)
    same(gpu, OBJECTS, measure.label(image > 0))


def test_launches_do_not_depend_on_the_image(gpu, counting):
    for image in (HORSE, RNG.random((100, 130)) < 0.01):
        with counting() as counts:
            gpu(IMAGE, image)
        assert counts.launches == 2
        assert counts.kernel_bytes_written <= image.size + 8 * len(image)
    few = morphology.dilation(RNG.random((100, 100)) < 1e-3)
    many = RNG.random((100, 100)) < 0.1
    launched = []
    for image in (few, many):
        with counting() as counts:
            gpu(OBJECTS, image)
        launched.append(counts.launches)
    assert launched[0] == launched[1] < 20


@pytest.mark.thorough
@pytest.mark.parametrize("order", ["backward", "shuffled"])
def test_no_result_depends_on_the_order_of_threads(gpu, monkeypatch, strict, order):
    monkeypatch.setattr("skimage_gpu_backend.device.kernels.resident_blocks", lambda threads: 2)
    with cuda_simulator.thread_order(order):
        same(gpu, IMAGE, HORSE)
        same(gpu, IMAGE, RNG.random((40, 150)) < 0.01, include_borders=False)
        same(gpu, OBJECTS, RNG.random((40, 150)) < 0.1)
