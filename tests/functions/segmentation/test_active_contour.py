"""Snakes on the device are scikit-image's to the last bit, whether they come to rest or not."""

import numpy as np
import pytest
import skimage as ski
from scipy.interpolate import RectBivariateSpline
from skimage.segmentation import active_contour

from skimage_gpu_backend.device.launches import Array
from skimage_gpu_backend.functions.segmentation import _quadratic_splines as splines
from skimage_gpu_backend.functions.segmentation import active_contour as room
from skimage_gpu_backend.trouble import Declined
from tests.functions.images import DTYPES, noise

RNG = np.random.default_rng(23)
COINS = ski.data.coins()[::4, ::4]
NOISE = RNG.random((40, 50))
BOUNDARIES = (
    *("periodic", "free", "fixed", "free-fixed", "fixed-free", "fixed-fixed", "free-free"),
)


def circle(shape, points=30, size=1 / 3):
    turn = np.linspace(0, 2 * np.pi, points, endpoint=False)
    wave = np.stack([np.sin(turn), np.cos(turn)], axis=1)
    return np.array(shape[:2]) * (0.5 + size * wave)


def same(run, image, snake=None, **options):
    snake = circle(image.shape) if snake is None else snake
    expected = active_contour(image, snake, **options)
    found = run(active_contour, image, snake, **options)
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("dtype", DTYPES)
def test_any_dtype(gpu_of_each_kind, dtype):
    same(gpu_of_each_kind, noise(RNG, (23, 31), dtype), w_line=0.3, max_num_iter=60)


@pytest.mark.parametrize("dtype", ["uint8", "float32", "float64"])
@pytest.mark.parametrize("channels", [3, 4, 7])
def test_channels(gpu, dtype, channels):
    image = noise(RNG, (21, 27, channels), dtype)
    same(gpu, image, w_line=0.3, max_num_iter=60)
    same(gpu, image, w_line=-2, w_edge=0, max_num_iter=60)


@pytest.mark.parametrize("boundary", BOUNDARIES)
def test_boundary_conditions(gpu, boundary):
    line = np.stack([np.linspace(5, 30, 25), np.linspace(3, 45, 25)], axis=1)
    for image in (NOISE, NOISE.astype(np.float32)):
        same(gpu, image, line, boundary_condition=boundary, gamma=0.1, max_num_iter=100)


@pytest.mark.parametrize(
    "options",
    [
        {"alpha": 0.015, "beta": 10, "gamma": 0.001},
        {"alpha": -0.1, "beta": 0},
        {"w_line": -5, "w_edge": 0, "gamma": 0.1},
        {"w_line": np.float32(0.3), "w_edge": True},
        {"gamma": np.float64(1)},
        {"max_px_move": 0.1},
        {"max_px_move": np.float64(3), "convergence": 0},
        {"max_num_iter": 10.9},
        {"max_num_iter": 11},
        {"max_num_iter": "12"},
        {"convergence": 1e30},
    ],
    ids=str,
)
def test_options(gpu, options):
    options = {"max_num_iter": 300, **options}
    same(gpu, COINS, **options)
    same(gpu, NOISE.astype(np.float32), **options)


@pytest.mark.parametrize("gamma", [0.001, 0.01])
def test_snakes_that_do_not_come_to_rest(gpu, gamma):
    """Their steps magnify the last bit until it decides about pixels."""
    for image in (NOISE, NOISE.astype(np.float32)):
        same(gpu, image, gamma=gamma, convergence=0, max_num_iter=800)


def test_they_stop_where_scikit_image_stops(gpu):
    for convergence in (0.5, 0.1, 0.02):
        same(gpu, ski.filters.gaussian(COINS, 1), convergence=convergence, gamma=0.1)


@pytest.mark.parametrize(
    "shape", [(3, 3), (3, 9), (4, 5), (6, 5), (7, 64), (66, 62), (8, 67), (35, 130)], ids=str
)
def test_any_shape(gpu, shape):
    image = RNG.random(shape)
    same(gpu, image, circle(shape, 12, 0.7), max_num_iter=40)


def test_snakes(gpu_of_each_kind):
    for points in (5, 6, 33):
        for dtype in ("float64", "float32", "int32", "uint8"):
            snake = circle(NOISE.shape, points).astype(dtype)
            same(gpu_of_each_kind, NOISE, snake, max_num_iter=30)
    wide = np.column_stack([circle(NOISE.shape), circle(NOISE.shape)[::-1]])
    same(gpu_of_each_kind, NOISE, wide[::-1], max_num_iter=30)
    snake = circle(NOISE.shape)
    snake[3] = np.nan
    same(gpu_of_each_kind, NOISE, snake, max_num_iter=30)


def test_layouts(gpu_of_each_kind):
    image = RNG.random((30, 40, 3))
    for view in (np.asfortranarray(image), image[::-1, ::2], image[..., ::-1]):
        same(gpu_of_each_kind, view, w_line=0.7, max_num_iter=50)
    for view in (NOISE.T, NOISE[::2, ::-1], NOISE.astype(">f4")):
        same(gpu_of_each_kind, view, w_line=0.7, max_num_iter=50)


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_values_that_are_not_finite(gpu, value):
    image = NOISE.copy()
    image[3, 30] = value
    same(gpu, image, max_num_iter=30)


@pytest.mark.parametrize(
    "options",
    [
        {"image": np.ones(5)},
        {"image": np.ones((3, 4, 5, 6))},
        {"image": np.ones((2, 9))},
        {"image": np.ones((9, 2, 3))},
        {"image": np.ones((0, 9))},
        {"snake": np.ones(7)},
        {"snake": np.ones((7, 1))},
        {"max_num_iter": 0},
        {"max_num_iter": "many"},
        {"max_num_iter": np.nan},
        {"alpha": 10**400},
        {"w_line": 10**400},
        {"boundary_condition": "loose"},
    ],
    ids=str,
)
def test_what_scikit_image_refuses_it_refuses_itself(gpu, options):
    options = {"image": NOISE, "snake": circle(NOISE.shape), **options}
    with pytest.raises(Exception):  # noqa: B017 (FITPACK's is of a type of its own)
        active_contour(**options)
    assert gpu.invalid(active_contour, **options)


def test_what_stays_on_the_cpu_is_told_why(gpu):
    snake = circle(NOISE.shape)
    assert "has less than 5 points" in gpu.declined(active_contour, NOISE, snake[:4])
    assert "less than three channels" in gpu.declined(active_contour, NOISE[..., None], snake)
    single = NOISE.astype(np.float32)
    wide = {"w_line": np.float64(0.5)}
    assert "makes the result wider" in gpu.declined(active_contour, single, snake, **wide)


def test_a_matrix_without_an_inverse(gpu):
    options = {"alpha": 0, "beta": 0, "gamma": 0}
    with pytest.raises(Declined, match="no inverse"):
        gpu(active_contour, NOISE, circle(NOISE.shape), **options)


def test_the_snake_is_left_as_it_is(gpu):
    snake = circle(NOISE.shape)
    before = snake.copy()
    gpu(active_contour, NOISE, snake, max_num_iter=5)
    np.testing.assert_array_equal(snake, before)


def test_budget(gpu, counting):
    """5 launches, whatever the snake does."""
    for image in (NOISE, NOISE.astype(np.float32)):
        with counting() as counts:
            gpu(active_contour, image, circle(NOISE.shape), max_num_iter=500)
        planned = room.active_contour(image, circle(NOISE.shape)).cost
        assert counts.launches == planned.launches == 5
        assert counts.kernel_bytes_written <= planned.written
        assert counts.kernel_bytes_read <= planned.read


@pytest.mark.parametrize("order", ["shuffled", "backward"])
def test_real_blocks(gpu, strict, monkeypatch, order):
    monkeypatch.setenv("CUDA_SIMULATOR_ORDER", order)
    same(gpu, RNG.random((35, 67)), max_num_iter=3)


@pytest.mark.parametrize("length", [3, 4, 5, 8, 9, 40, 500])
def test_splines_are_fitpacks(length):
    """At points in the image, on knots and beyond its ends."""
    image = RNG.random((length, length + 2))
    rows, columns = image.shape
    spline = RectBivariateSpline(np.arange(columns), np.arange(rows), image.T, kx=2, ky=2)
    along = spline.partial_derivative(1, 0).get_coeffs()
    down = spline.partial_derivative(0, 1).get_coeffs()
    points = RNG.random((2, 300)) * (length + 4) - 2
    points[:, :100] = np.round(points[:, :100] * 2) / 2
    points[0, 0] = np.nan
    for ask in splines.slopes_of_numpy, splines.slopes_of_fitpack:
        first, second = ask(along, down, rows, columns)(points)
        np.testing.assert_array_equal(first, spline(*points, dx=1, grid=False))
        np.testing.assert_array_equal(second, spline(*points, dy=1, grid=False))


def test_rows_that_are_alike_are_rotated_alike():
    """The rotations of a long line are those of a short one with its middle repeated."""
    rotations, triangle = splines.elimination(3000)
    short = splines.elimination(200)
    for table, expected in zip((rotations, triangle), short, strict=True):
        np.testing.assert_array_equal(table[:100], expected[:100])
        np.testing.assert_array_equal(table[-10:], expected[-10:])


def test_where_scipy_rounds_otherwise_the_call_stays_on_the_cpu(gpu, monkeypatch):
    assert not splines.is_fused()
    monkeypatch.setattr(room, "is_fused", lambda: True)
    assert "rounds otherwise" in gpu.declined(active_contour, NOISE, circle(NOISE.shape))


def test_large_images_are_planned_without_their_data():
    plan = room.active_contour(Array((50_000, 50_000), np.dtype("uint8")), circle((9, 9)))
    assert plan.cost.launches == 5
    assert plan.cost.between == 16 * 50_000**2
