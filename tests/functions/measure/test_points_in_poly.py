"""Points are where scikit-image finds them: in a polygon, at its corners, on its edges, outside."""

import itertools

import numpy as np
import pytest
from skimage.measure import grid_points_in_poly, points_in_poly

from tests.functions.images import DTYPES, noise

RNG = np.random.default_rng(11)
SQUARE = np.array([[1, 1], [1, 5], [5, 5], [5, 1]])
BOW = np.array([[0, 0], [9, 7], [9, 0], [0, 7], [4, 11]])  # crosses itself
POLYGONS = {
    "square": SQUARE,
    "closed": np.vstack([SQUARE, SQUARE[:1]]),
    "bow": BOW,
    "any": RNG.random((30, 2)) * 12,
    "flat": np.array([[2, 2], [2, 9], [2, 4]]),
    "one": SQUARE[:1],
    "more columns": np.hstack([BOW, BOW]),
    "nearly corners": SQUARE + np.array([[1e-13, -1e-13], [2e-12, 0], [0, 1e-12], [0, 0]]),
    "not finite": np.array([[0, 0], [np.inf, 3], [4, np.nan], [8, 9], [3, -np.inf]]),
}


def same(run, function, *args, **kwargs):
    expected, result = function(*args, **kwargs), run(function, *args, **kwargs)
    assert result.dtype == expected.dtype
    np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize("polygon", POLYGONS.values(), ids=list(POLYGONS))
def test_labels_are_those_of_scikit_image(gpu, polygon):
    for binarize in (True, False, 0, 3):
        same(gpu.cupy, grid_points_in_poly, (13, 15), polygon, binarize)
    points = np.vstack([RNG.random((90, 2)) * 14, RNG.integers(0, 12, (50, 2)), polygon[:, :2]])
    same(gpu, points_in_poly, points, polygon)
    same(gpu.cupy, points_in_poly, np.hstack([points, points[::-1]]), polygon)


def test_points_on_slanted_edges_are_decided_to_the_last_bit(gpu):
    corners = RNG.random((6, 2))
    part = RNG.random((400, 1))
    points = np.vstack([a * part + b * (1 - part) for a, b in itertools.pairwise(corners)])
    same(gpu, points_in_poly, points, corners)


@pytest.mark.parametrize("dtype", DTYPES)
def test_any_dtype(gpu_of_each_kind, gpu, dtype):
    points, corners = noise(RNG, (40, 2), dtype), noise(RNG, (6, 2), dtype)
    same(gpu_of_each_kind, points_in_poly, points, corners)
    same(gpu_of_each_kind, points_in_poly, points.astype(float), corners)
    same(gpu.cupy, grid_points_in_poly, (9, 8), corners, False)
    same(gpu.cupy, points_in_poly, points[::-2, ::-1], np.asfortranarray(corners))


def test_shapes_of_grids(gpu, gpu_of_each_kind):
    for shape in ((0, 5), (1, 7), [4, 3], np.array([3, 9]), (6, 5, 4), (True, 8)):
        same(gpu_of_each_kind, grid_points_in_poly, shape, BOW)
    same(gpu, points_in_poly, np.zeros((0, 2)), BOW)


def test_what_is_refused_is_left_to_scikit_image(gpu):
    import cupy as cp

    corners = cp.asarray(BOW)
    for shape in ((-1, 5), (5.0, 5), (5,), "ab", (2**62, 9)):
        assert gpu.invalid(grid_points_in_poly, shape, corners)
    for wrong in (BOW[0], BOW[:, :1], BOW[None]):
        assert gpu.invalid(points_in_poly, wrong, BOW)
        assert gpu.invalid(points_in_poly, BOW, wrong)
    assert "sequence" in gpu.declined(grid_points_in_poly, 5, corners)
    assert "empty" in gpu.declined(points_in_poly, BOW, BOW[:0])


def test_points_are_read_once(gpu, counting):
    import cupy as cp

    points, corners = cp.asarray(RNG.random((1000, 2))), cp.asarray(RNG.random((5, 2)))
    with counting() as counts:
        gpu(points_in_poly, points, corners)
        gpu(grid_points_in_poly, (40, 50), corners)
    assert counts.launches == 2
    assert counts.kernel_bytes_read == points.nbytes + 2 * corners.nbytes
    assert counts.kernel_bytes_written == 1000 + 40 * 50
