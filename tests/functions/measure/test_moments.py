"""Moments on the device are scikit-image's."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from skimage import measure

import cuda_simulator
from tests.functions.images import DTYPES, layouts, noise

RNG = np.random.default_rng(5)
SHAPES = [(1,), (300,), (1, 40), (45, 71), (300, 7), (9, 10, 70), (5, 6, 7, 4)]
OF_IMAGES = (
    measure.moments,
    measure.moments_central,
    measure.centroid,
    measure.inertia_tensor,
    measure.inertia_tensor_eigvals,
)
OF_POINTS = (measure.moments_coords, measure.moments_coords_central)


def same(run, function, *args, **options):
    expected, result = function(*args, **options), run(function, *args, **options)
    assert type(result) is type(expected)
    found, seen = np.asarray(result), np.asarray(expected)
    assert (found.shape, found.dtype) == (seen.shape, seen.dtype)
    bound = 1e-4 if seen.dtype == np.float32 else 1e-10
    np.testing.assert_allclose(found, seen, rtol=0, atol=bound * np.abs(seen).max(initial=0))
    return expected


def positive(shape, dtype="float64"):
    return abs(noise(RNG, shape, dtype).astype(float) + 1).astype(dtype)


@pytest.mark.parametrize("function", OF_IMAGES)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_any_shape(gpu_of_each_kind, function, shape):
    image = positive(shape)
    same(gpu_of_each_kind, function, image)
    for spacing in ((0.5, 2, 1, 3), np.array([0.5, 2, 1, 3], np.float32), [2, True, 1, 1]):
        same(gpu_of_each_kind, function, image, spacing=spacing)


@pytest.mark.parametrize("function", OF_IMAGES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_any_dtype(gpu, function, dtype):
    for shape in ((45, 71), (9, 10, 12)):
        image = positive(shape, dtype)
        same(gpu, function, image)
        same(gpu, function, image, spacing=np.linspace(0.5, 2, 3))  # makes double of single


@pytest.mark.parametrize("order", [0, 1, 2, 4, 7, np.int8(5)])
def test_any_order_and_center(gpu, order):
    image = positive((45, 71))
    same(gpu, measure.moments, image, order)
    for center in ((0, 0), (20, 25.5), np.array([20, 25.5]), (1, 2, 3), (np.float32(3), 4)):
        same(gpu, measure.moments_central, image, center, order)
        same(gpu, measure.moments_central, image.astype(np.float32), center, order, spacing=(2, 1))
    if order:
        same(gpu, measure.moments_central, image, order=order)


@settings(max_examples=20)
@given(data=st.data())
def test_any_layout(gpu, data):
    image = data.draw(layouts(positive((35, 70))))
    for function in OF_IMAGES:
        same(gpu, function, image)
    points = data.draw(layouts(RNG.random((70, 3))))
    for function in OF_POINTS:
        same(gpu.cupy, function, points)


def test_tensors_of_moments_that_are_given(gpu_of_each_kind):
    image = positive((30, 40))
    mu = measure.moments_central(image)
    for function in (measure.inertia_tensor, measure.inertia_tensor_eigvals):
        same(gpu_of_each_kind, function, image, mu)
    tensor = np.array([[2.0, 0.5], [0.5, 3.0]])
    same(gpu_of_each_kind, measure.inertia_tensor_eigvals, image, T=tensor)


def test_moments_in_a_precision_that_devices_lack_are_left_to_scikit_image(gpu):
    image, wide = positive((3, 4)), np.ones((4, 4), np.longdouble)
    assert "numpy.asarray(mu, float)" in gpu.declined(measure.inertia_tensor, image, wide)
    assert "numpy.asarray(T, float)" in gpu.declined(measure.inertia_tensor_eigvals, image, T=wide)


def test_an_image_beside_a_tensor_is_not_copied(gpu, counting):
    image = positive((300, 400))
    for options in ({"mu": measure.moments_central(image)}, {"T": np.eye(2)}):
        with counting() as counts:
            gpu(measure.inertia_tensor_eigvals, image, **options)
        assert counts.bytes_to_device < 100 > counts.bytes_to_host


@pytest.mark.parametrize("value", [0, np.nan, np.inf])
def test_images_without_a_centroid(gpu, value):
    image = np.full((5, 6), value)
    for function in OF_IMAGES:
        told = []
        for run in (function, lambda image, function=function: gpu(function, image)):
            with warnings.catch_warnings(record=True) as warned:
                warnings.simplefilter("always")
                told.append([np.asarray(run(image)), {str(each.message) for each in warned}])
        (expected, before), (result, now) = told
        np.testing.assert_array_equal(result, expected)
        assert before == now or value == np.inf  # of which NumPy's products warn


@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_one_pixel_that_is_no_number(gpu, value, dtype):
    for place in ((20, 30), (0, 30), (20, 0), (0, 0), (16, 2)):
        image = np.ones((40, 50), dtype)
        image[place] = value
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # NumPy's products warn
            expected = measure.moments(image)
        np.testing.assert_array_equal(np.isnan(gpu(measure.moments, image)), np.isnan(expected))


@pytest.mark.parametrize("size", [1e-33, 1e-10, 1e10, 1e25])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_tiny_and_huge_pixels(gpu, size, dtype):
    image = (positive((70, 45)) * size).astype(dtype)
    image[30, 20] *= 1000
    for center in ((0, 0), (30.25, 20)):  # in double, whatever the image is
        same(gpu, measure.moments_central, image, center, spacing=np.array([0.5, 2]))


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32"])
def test_moments_of_integers_are_exact_below_2_to_53(gpu, dtype):
    for shape in ((100, 9), (33, 300), (2, 40, 17)):
        limits = np.iinfo(dtype) if dtype != "bool" else None
        for value in (limits.min, limits.max) if limits else (False, True):
            image = np.full(shape, value, dtype)
            image.flat[::7] = 0
            exact = image.astype(object)
            for axis, length in enumerate(shape):
                powers = [[x**p for p in range(4)] for x in range(length)]
                exact = np.moveaxis(exact, axis, -1).dot(np.array(powers, object))
                exact = np.moveaxis(exact, -1, axis)
            are_exact = abs(exact) < 1 << 53
            result = gpu(measure.moments, image)
            np.testing.assert_array_equal(result[are_exact], exact[are_exact].astype(float))


def test_as_many_planes_as_a_grid_has_and_small_ones(gpu):
    for shape in ((65536, 16, 17), (300, 5, 6), (2, 3, 30, 40), (1, 1, 1)):
        same(gpu, measure.moments_central, positive(shape, "uint8"), (3,) * len(shape), 1)


@pytest.mark.parametrize("shape", [(1, 2), (50, 1), (500, 2), (7000, 2), (60, 3), (40, 4)], ids=str)
@pytest.mark.parametrize("order", [0, 1, 3, 5])
def test_points_of_any_axes(gpu_of_each_kind, shape, order):
    points = RNG.random(shape)
    for function in OF_POINTS:
        same(gpu_of_each_kind, function, points, order=order)
    for center in (0, 0.3, (0.3,), np.full(shape[1], 0.25), [1] * shape[1]):
        same(gpu_of_each_kind, measure.moments_coords_central, points, center, order)


@pytest.mark.parametrize("dtype", DTYPES)
def test_points_of_any_dtype(gpu, dtype):
    points = positive((50, 2), dtype)
    before = points.copy()
    for function in OF_POINTS:
        same(gpu, function, points)
        same(gpu, function, tuple(points.T))
    for center in (0.5, (1, 2), np.float32([1, 2]), np.float64(1)):
        same(gpu, measure.moments_coords_central, points, center)
    np.testing.assert_array_equal(points, before)


def test_points_as_of_nonzero(gpu_of_each_kind):
    points = np.nonzero(RNG.random((30, 40)) < 0.3)
    for function in OF_POINTS:
        same(gpu_of_each_kind, function, points)


@pytest.mark.parametrize(
    "function,args,options",
    [
        (measure.moments, (np.ones((3, 4)),), {"spacing": 1}),
        (measure.moments, (np.ones((3, 4)),), {"spacing": (1,)}),
        (measure.moments_central, (np.ones((3, 4)), (1,)), {}),
        (measure.moments_central, (np.ones((3, 4)), None, 0), {}),
        (measure.inertia_tensor, (np.ones((3, 4)), np.ones((2, 2))), {}),
        (measure.moments_coords, (np.ones(3),), {}),
        (measure.moments_coords, (np.ones((3, 2)), -1), {}),
        (measure.moments_coords, ((np.ones(3), np.ones(4)),), {}),
    ],
)
def test_what_scikit_image_refuses_it_refuses_itself(gpu, function, args, options):
    with pytest.raises((IndexError, TypeError, ValueError)):
        function(*args, **options)
    assert gpu.invalid(function, *args, **options)


def test_what_is_left_to_scikit_image(gpu):
    image = np.ones((3, 4))
    assert "order" in gpu.declined(measure.moments, image, 2.5)
    assert "order" in gpu.declined(measure.moments, image, -1)
    assert "order" in gpu.declined(measure.moments, image, 10**400)
    assert "order" in gpu.declined(measure.moments_coords, image, 10**9)
    assert "spacing" in gpu.declined(measure.moments, image, spacing=(1, "2"))
    assert "center" in gpu.declined(measure.moments_central, image, ((1, 2), (3, 4)))
    wide = np.longdouble(1), np.longdouble(2)
    assert "double" in gpu.declined(measure.moments, image, spacing=wide)
    assert "double" in gpu.declined(measure.moments_coords_central, image, wide[0])
    assert "empty" in gpu.declined(measure.moments, np.ones((0, 4)))
    assert "empty" in gpu.declined(measure.moments_coords, np.ones((0, 2)))
    assert "center" in gpu.declined(measure.moments_coords_central, image, np.ones((3, 4)))


@pytest.mark.parametrize("dtype", ["uint8", "float64"])
def test_a_launch_for_each_axis_reads_the_image_once(gpu, counting, dtype):
    import cupy as cp

    for shape in ((256, 300), (20, 30, 200)):
        image = cp.asarray(positive(shape, dtype))
        between = 2 * 4 * 8 * image.size // shape[-1]  # four sums of each line
        for function in OF_IMAGES:
            with counting() as counts:
                gpu(function, image)
            assert counts.launches <= len(shape) + 1
            assert counts.kernel_bytes_read <= image.nbytes + between
            assert counts.kernel_bytes_written <= between + 4096


@pytest.mark.parametrize("order", ["forward", "backward", "shuffled"])
def test_sums_do_not_depend_on_the_order_of_threads(gpu, strict, order):
    with cuda_simulator.thread_order(order):
        for shape in ((9, 300), (300, 3), (2500,)):
            same(gpu, measure.moments, positive(shape))
        same(gpu, measure.moments_coords, RNG.random((3000, 2)))
