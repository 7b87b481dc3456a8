"""Sinograms on the device are scikit-image's to the last bit."""

import warnings
from functools import partial

import numpy as np
import pytest
from skimage.transform import radon

from tests.functions.images import DTYPES, noise

RNG = np.random.default_rng(0)
image = partial(noise, RNG)
ANGLES = [0, 90.0, 180, 33.3, -45, 270, 400, 1e-9]
OUTSIDE = pytest.mark.filterwarnings("ignore:Radon transform:UserWarning")


def same(gpu, *args, **kwargs):
    expected = radon(*args, **kwargs)
    result = gpu(radon, *args, **kwargs)
    assert result.dtype == expected.dtype
    np.testing.assert_array_equal(result, expected)


@OUTSIDE
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("circle", [True, False])
@pytest.mark.parametrize("preserve_range", [True, False])
def test_every_dtype(gpu_of_each_kind, dtype, circle, preserve_range):
    plane = image((27, 34), dtype)
    same(gpu_of_each_kind, plane, ANGLES, circle, preserve_range=preserve_range)


@OUTSIDE
@pytest.mark.parametrize(
    "shape", [(1, 1), (1, 9), (9, 1), (2, 2), (3, 2), (40, 40), (41, 41), (64, 31), (31, 65)]
)
@pytest.mark.parametrize("circle", [True, False])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_any_shape_and_layout(gpu, shape, circle, dtype):
    plane = image(shape, dtype)
    for each in (plane, np.asfortranarray(plane), plane[::-1, ::-1]):
        if circle and shape[0] == 1:
            assert gpu.invalid(radon, each, ANGLES)
        else:
            same(gpu, each, ANGLES, circle=circle)


@OUTSIDE
@pytest.mark.parametrize(
    "theta",
    [
        None,
        [17],
        (3, 4.5),
        range(0, 180, 50),
        np.arange(0, 180, 7),
        np.arange(0, 180, 7, dtype=np.uint8),
        np.linspace(0, 180, 23, dtype=np.float32),
        np.linspace(0, 180, 23, dtype=np.float16),
        np.array([True, False]),
    ],
)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_angles_are_taken_as_they_are_given(gpu, theta, dtype):
    same(gpu, image((30, 30), dtype), theta)
    same(gpu, image((30, 30), dtype), theta=theta, circle=False)


@pytest.mark.parametrize("shape", [(20, 20), (21, 21), (20, 31), (34, 21)])
@pytest.mark.parametrize("dtype", ["bool", "uint8", "float16", "float64"])
def test_it_warns_of_what_is_outside_of_the_circle_and_of_nothing_else(gpu, shape, dtype):
    rows, columns = np.ogrid[: shape[0], : shape[1]]
    radius = min(shape) // 2
    distance = (rows - shape[0] // 2) ** 2 + (columns - shape[1] // 2) ** 2
    plane = (distance <= radius**2).astype(dtype)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        same(gpu, plane, [10])
    plane[tuple(np.argwhere(distance > radius**2)[0])] = 1
    with pytest.warns(UserWarning, match="must be zero outside"):
        gpu(radon, plane, [10])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        same(gpu, plane, [10], circle=False)


@pytest.mark.parametrize("odd", [np.nan, np.inf])
def test_what_is_not_finite_spreads_as_in_scikit_image(gpu, odd):
    plane = np.zeros((24, 24))
    plane[9, 12] = odd
    same(gpu, plane, ANGLES)


@pytest.mark.parametrize(
    ("plane", "theta"),
    [(np.zeros((3, 4, 5)), None), (np.zeros((4, 4)), [[1, 2], [3, 4]])],
)
def test_what_scikit_image_refuses(gpu, plane, theta):
    with pytest.raises(ValueError):
        radon(plane, theta)
    assert gpu.invalid(radon, plane, theta)


@pytest.mark.parametrize(
    ("theta", "reason"),
    [([np.nan], "finite"), ([], "empty"), (np.array([1], np.longdouble), "64 bits")],
)
def test_angles_that_are_left_to_scikit_image(gpu, theta, reason):
    assert reason in gpu.declined(radon, np.zeros((8, 8)), theta)


def test_all_angles_take_one_launch(gpu, counting):
    import cupy as cp

    plane = cp.zeros((50, 50), "float32")
    for circle, side in ((True, 50), (False, 71)):
        with counting() as counts:
            gpu.cupy(radon, plane, np.arange(90), circle=circle)
        assert counts.launches == 1
        assert counts.kernel_bytes_written <= 4 * side * 90 + 4
        assert counts.kernel_bytes_read <= plane.nbytes + 24 * 90 + 4
