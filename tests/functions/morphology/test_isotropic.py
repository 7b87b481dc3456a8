"""skimage.morphology.isotropic_* on the device give scikit-image's very pixels."""

import numpy as np
import pytest
from skimage import data, morphology

import cuda_simulator
from tests.functions.images import DTYPES

RNG = np.random.default_rng(23)
EROSION, DILATION = morphology.isotropic_erosion, morphology.isotropic_dilation
SINGLE = (EROSION, DILATION)
DOUBLE = (morphology.isotropic_opening, morphology.isotropic_closing)
SHAPES = [(1,), (70,), (5000,), (1, 40), (40, 1), (23, 35), (4500, 3), (6, 7, 9), (3, 1, 5, 4)]
SHAPES += [(3, 400), (130, 150), (70, 3, 130)]  # of which lines are done in parts
COINS = data.coins()[40:100, 20:90] > 120


def same(run, function, image, *args, **options):
    expected = function(image, *args, **options)
    result = run(function, image, *args, **options)
    assert result.dtype == expected.dtype
    np.testing.assert_array_equal(result, expected)
    return expected


@pytest.mark.parametrize("function", SINGLE + DOUBLE)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_any_shape_and_radius(gpu, shape, function):
    for share in (0.03, 0.97):
        image = RNG.random(shape) < share
        for radius in (0, 1, 2**0.5, 3, 5, 100, np.inf):
            same(gpu, function, image, radius)


@pytest.mark.parametrize("spacing", [1, 0.5, 0.1, 7e-3, 1e70, "by axis"])
@pytest.mark.parametrize("function", SINGLE + DOUBLE)
def test_any_spacing(gpu, function, spacing):
    for ndim, length in ((1, 40), (2, 13), (3, 6), (4, 4)):
        for share in (0.05, 0.5, 0.95):
            image = RNG.random((length,) * ndim) < share
            axes = (
                RNG.choice([0.1, 0.26, 0.3, 1, 1.5, 2], ndim) if spacing == "by axis" else spacing
            )
            for radius in (0.3, 1, 3, 2e70):
                same(gpu, function, image, radius, spacing=axes)


@pytest.mark.parametrize("shape", [(30,), (9, 40), (40, 9), (5, 6, 7), (3, 4, 2, 5)], ids=str)
@pytest.mark.parametrize("function", SINGLE + DOUBLE)
def test_images_without_background_or_object(gpu, function, shape):
    """In which SciPy measures from a place outside of the image."""
    for image in (np.zeros(shape, bool), np.ones(shape, bool)):
        for radius in (0.5, 1, 3, 4.3, 35, 100):
            for spacing in (None, 2, 0.3, tuple(range(1, len(shape) + 1))):
                same(gpu, function, image, radius, spacing=spacing)


def test_squares_that_do_not_fit_into_integers(gpu):
    for shape in ((50_000,), (2, 50_000), (50_000, 2)):
        for image in (np.zeros(shape, bool), RNG.random(shape) < 1e-4):
            for radius in (3, 40, 49_000):
                same(gpu, DILATION, image, radius)


@pytest.mark.parametrize("function", DOUBLE)
def test_where_the_first_step_leaves_nothing(gpu, function):
    image = np.zeros((20, 30), bool)
    image[4:7, 5:9] = True
    for each in (image, ~image):
        for radius in (2, 4, 40):
            same(gpu, function, each, radius)


@pytest.mark.thorough
@pytest.mark.parametrize("dtype", DTYPES)
def test_any_dtype_and_layout(gpu_of_each_kind, dtype):
    for image in (COINS.astype(dtype), COINS.astype(dtype).T[::2, ::-1]):
        for spacing in (1, 0.3):
            for function in (EROSION, DOUBLE[0]):
                same(gpu_of_each_kind, function, image, 2, spacing=spacing)


def test_any_number_that_is_not_zero_belongs_to_the_object(gpu):
    image = RNG.choice([0.0, -0.0, np.nan, np.inf, 1e-310, -2], (20, 30))
    for function in SINGLE:
        same(gpu, function, image, 1)


@pytest.mark.parametrize("radius", [-1, -1e-300, np.nan, True, np.float32(1.4), np.int8(3), 1e-200])
def test_any_number_as_radius(gpu, radius):
    for function in SINGLE + DOUBLE:
        for spacing in (None, 0.25, 0.3):
            same(gpu, function, COINS, radius, spacing=spacing)
            same(gpu, function, np.ones((4, 5)), radius, spacing=spacing)


@pytest.mark.parametrize("spacing", [0.3, 0.25, (0.29, 0.26), (1.0, 2.0), (3, 4)])
def test_radii_that_are_distances_of_pixels(gpu, spacing):
    image = np.zeros((12, 15), bool)
    image[0, 0] = True
    axes = np.broadcast_to(spacing, 2)
    for step in [(1, 0), (0, 1), (1, 1), (3, 4), (2, 3), (7, 1)]:
        distance = float(np.sqrt(((step * axes) ** 2).sum()))
        for radius in (distance, np.nextafter(distance, 0), np.nextafter(distance, 9)):
            same(gpu, DILATION, image, radius, spacing=spacing)
            same(gpu, EROSION, ~image, radius, spacing=spacing)


@pytest.mark.parametrize("dtype", ["bool", "uint8", "float32", "float16"])
@pytest.mark.parametrize("function", [EROSION, DOUBLE[1]])
def test_result_goes_into_out(gpu, function, dtype):
    import cupy as cp

    expected = function(COINS, 2)
    for out in (np.full(COINS.shape, 7, dtype), np.full(COINS.shape, 7, dtype, "F")):
        assert gpu(function, COINS, 2, out=out) is out
        np.testing.assert_array_equal(out, expected)
        device = cp.asarray(out)
        device[...] = 0
        assert gpu(function, cp.asarray(COINS), 2, device) is device
        np.testing.assert_array_equal(device.get(), expected)
    image = COINS.astype(dtype)
    assert gpu(function, image, 2, out=image) is image
    np.testing.assert_array_equal(image, expected)


def test_images_without_elements(gpu):
    for shape in ((0,), (0, 4), (4, 0), (3, 0, 2)):
        for function in SINGLE + DOUBLE:
            same(gpu, function, np.zeros(shape, bool), 2)
            same(gpu, function, np.zeros(shape, bool), 2, spacing=0.3)


def test_what_scikit_image_refuses_it_refuses_itself(gpu):
    read_only = np.zeros(COINS.shape, bool)
    read_only.flags.writeable = False
    for options in ({"spacing": (1,)}, {"spacing": (1, 2, 3)}, {"out": read_only}):
        with pytest.raises((RuntimeError, ValueError)):
            EROSION(COINS, 1, **options)
        assert gpu.invalid(EROSION, COINS, 1, **options)


def test_what_is_left_to_scikit_image(gpu):
    for radius in ("1", None, 1j, [1], np.ones(COINS.shape), np.longdouble(2), 10**400):
        assert "radius" in gpu.declined(EROSION, COINS, radius)
    for spacing in (0, -1, np.nan, np.inf, (1, 0), "1", 1e-80, [[1, 2]], {1, 2}, [1, "a"]):
        assert "spacing" in gpu.declined(DOUBLE[0], COINS, 1, spacing=spacing)
    shape = COINS.shape
    for out in (np.zeros((2, *shape), bool), np.zeros(shape, complex), np.zeros(shape, ">f4"), [1]):
        assert "out" in gpu.declined(EROSION, COINS, 1, out=out)
    for image in (np.array(True), np.ones((1,) * 9)):
        assert "axes" in gpu.declined(EROSION, image, 1)


@pytest.mark.parametrize(
    ("shape", "options", "between"),
    [
        ((200, 300), {"radius": 5}, 4),
        ((200, 300), {"radius": 100}, 8),
        ((200, 300), {"radius": 5, "spacing": 0.3}, 12),
        ((20, 30, 40), {"radius": 5}, 8),
    ],
)
def test_launches_and_bytes_do_not_depend_on_the_image(gpu, counting, shape, options, between):
    for image in (RNG.random(shape) < 0.9, np.zeros(shape, bool), np.ones(shape, bool)):
        for functions, steps in ((SINGLE, 1), (DOUBLE, 2)):
            for function in functions:
                with counting() as counts:
                    gpu(function, image, **options)
                assert counts.launches == steps * len(shape)
                assert counts.kernel_bytes_read - steps * (1 + between) * image.size <= 64
                assert counts.kernel_bytes_written - steps * (1 + between) * image.size <= 64


@pytest.mark.thorough
@pytest.mark.parametrize("order", ["backward", "shuffled"])
def test_no_result_depends_on_the_order_of_threads(gpu, monkeypatch, strict, order):
    monkeypatch.setattr("skimage_gpu_backend.device.kernels.resident_blocks", lambda threads: 2)
    with cuda_simulator.thread_order(order):
        for spacing in (1, 0.3):
            same(gpu, DOUBLE[0], RNG.random((150, 20)) < 0.97, 3, spacing=spacing)


@pytest.mark.thorough
def test_indices_of_64_bits_give_the_same(gpu, monkeypatch):
    """As images of 2**31 pixels and more have them."""
    from skimage_gpu_backend.functions.morphology import isotropic as room
    from skimage_gpu_backend.primitives import distances

    monkeypatch.setattr(distances, "MOST_PIXELS", 0)
    room._planned.cache_clear()
    try:
        for shape in [(97, 200), (9, 17, 65), (9000,)]:
            for radius, spacing in ((5, 1), (50, 1), (5, 0.3)):
                same(gpu, DOUBLE[1], RNG.random(shape) < 0.1, radius, spacing=spacing)
                same(gpu, DOUBLE[1], np.zeros(shape, np.uint8), radius, spacing=spacing)
    finally:
        room._planned.cache_clear()
