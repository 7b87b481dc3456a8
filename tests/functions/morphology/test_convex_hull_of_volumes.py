"""Convex hulls of volumes on the device are scikit-image's very voxels."""

import warnings

import numpy as np
import pytest
from skimage import morphology

import cuda_simulator
from skimage_gpu_backend import use_backends
from skimage_gpu_backend.functions.morphology import _hull_of_volume
from skimage_gpu_backend.trouble import Declined
from tests.functions.images import DTYPES

from .hulls import has_hull

RNG = np.random.default_rng(12)
HULL = morphology.convex_hull_image
SHAPES = [
    (9, 11, 13),
    (2, 3, 2),
    (3, 3, 70),
    (1, 20, 20),
    (20, 5, 1),
    (4, 5, 6, 7),
    (3, 4, 3, 4, 3),
]
TOLERANCES = [1e-10, 0.3, 2.1, -1e-3, np.float32(1e-5), np.inf, -np.inf, 1e308]


def same(run, image, *args, **options):
    expected = HULL(image, *args, **options)
    result = run(HULL, image, *args, **options)
    assert result.dtype == bool
    np.testing.assert_array_equal(result, expected)
    return expected


@pytest.mark.parametrize("offset", [True, False])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_hulls_of_volumes_of_any_shape(gpu, shape, offset):
    found = 0
    for share in (0.001, 0.02, 0.3, 0.95, 1):
        image = RNG.random(shape) < share
        image.ravel()[RNG.integers(image.size)] = True
        if has_hull(image, offset_coordinates=offset):
            found += same(gpu, image, offset).any()
        else:
            with pytest.raises(Declined, match="scikit-image warns"):
                gpu(HULL, image, offset)
    assert found or 1 in shape


@pytest.mark.parametrize("offset", [True, False])
def test_hulls_with_many_sides_and_with_flat_ones(gpu, offset):
    ball = np.pad(morphology.ball(11), ((1, 4), (2, 3), (0, 5)))
    cube = np.zeros((17, 18, 19), bool)
    cube[3:11, 4:16, 5:12] = True
    for image in (ball, cube, ball[::2, ::-1], morphology.octahedron(6), ball.T):
        assert same(gpu, image, offset).sum() >= np.count_nonzero(image)


@pytest.mark.parametrize("tolerance", TOLERANCES, ids=str)
def test_tolerance_moves_all_sides(gpu, tolerance):
    image = RNG.random((12, 13, 14)) < 0.01
    found = same(gpu, image, tolerance=tolerance)
    usual = HULL(image)
    assert np.array_equal(found, usual) == (0 < tolerance < 1e-4)
    same(gpu, image, False, tolerance, "not looked at")


def test_what_rounding_decides_is_left_to_scikit_image(gpu):
    """Corners are voxels, at a distance of 0 but for what is rounded."""
    image = RNG.random((12, 13, 14)) < 0.01
    for offset, tolerance in ((False, 0), (False, 1e-15), (True, 0.5)):
        if tolerance == 0.5:
            image = np.zeros((9, 9, 9), bool)
            image[3:6, 3:6, 3:6] = True
        with pytest.raises(Declined, match="rounding"):
            gpu(HULL, image, offset, tolerance)


@pytest.mark.parametrize("dtype", DTYPES)
def test_any_dtype_and_layout(gpu_of_each_kind, dtype):
    """All that is not 0 counts, NaN and what has other than its last 8 bits too; -0 does not."""
    image = (RNG.random((10, 11, 12)) < 0.01).astype(dtype)
    if image.dtype.itemsize > 1:
        image *= np.array(256, dtype)
    if image.dtype.kind == "f":
        image[2, 3, 4], image[7, 9, 10], image[0] = np.nan, 1e-7, -0.0
        assert not HULL(image)[0].any()
    for each in (image, image.T[::2, ::-1], np.asfortranarray(image)):
        same(gpu_of_each_kind, each)


def test_scikit_image_alone_tells_of_a_volume_without_a_hull(enabled, monkeypatch):
    monkeypatch.setenv("SKIMAGE_BACKENDS_MIN_SIZE", "0")
    flat = np.zeros((9, 9, 9), bool)
    flat[4, 2:6, 3:7] = True
    for image, words in ((flat * False, "entirely zero"), (flat, "Failed to get convex hull")):
        with use_backends("gpu"), warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            hull = HULL(image)
        assert words in str(told[0].message)
        assert len(told) == 1
        assert not hull.any()


def test_what_is_left_to_scikit_image(gpu):
    volume = np.ones((3, 4, 5), bool)
    assert "axes" in gpu.declined(HULL, np.ones((2,) * 6, bool))
    assert "elements" in gpu.declined(HULL, volume[:0])
    assert "tolerance" in gpu.declined(HULL, volume, tolerance=np.nan)
    assert "tolerance" in gpu.declined(HULL, volume, tolerance=None)
    assert "2**21" in gpu.declined(HULL, np.broadcast_to(True, (1, 1, 2**21 + 1)))


def test_launches_do_not_depend_on_the_volume(gpu, counting):
    for image in (np.pad(morphology.ball(12), 2), RNG.random((25, 30, 29)) < 0.001):
        rows = image.size // image.shape[-1]
        with counting() as counts:
            gpu(HULL, image)
        assert counts.launches == 3
        assert counts.kernel_bytes_written <= image.size + 16 * rows + 4
    with counting() as counts:
        gpu(HULL, image.astype(np.float32))
    assert counts.launches == 4


@pytest.mark.thorough
@pytest.mark.parametrize("order", ["backward", "shuffled"])
def test_no_result_depends_on_the_order_of_threads(gpu, monkeypatch, strict, order):
    monkeypatch.setattr("skimage_gpu_backend.device.kernels.resident_blocks", lambda threads: 2)
    with cuda_simulator.thread_order(order):
        same(gpu, RNG.random((10, 11, 12)) < 0.02)


def test_a_hull_is_made_of_few_voxels(monkeypatch, gpu):
    """Two of each row that has any, of which Qhull makes what it makes of all."""
    given = []
    hull = _hull_of_volume.ConvexHull
    monkeypatch.setattr(
        _hull_of_volume, "ConvexHull", lambda points: given.append(len(points)) or hull(points)
    )
    same(gpu, np.ones((6, 7, 300), bool))
    assert given[0] == 2 * 6 * 7
