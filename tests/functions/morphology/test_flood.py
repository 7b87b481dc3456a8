"""skimage.morphology.flood and flood_fill on the device find scikit-image's very pixels."""

import itertools

import cupy as cp
import numpy as np
import pytest
from skimage import data, segmentation
from skimage.morphology import flood, flood_fill

from skimage_gpu_backend import profile, use_backends
from tests.functions.images import DTYPES, meander, noise

RNG = np.random.default_rng(20)
SHAPES = [(1,), (70,), (5000,), (1, 90), (33, 65), (3, 2100), (97, 200), (9, 17, 65), (33, 65, 1)]
LINE = np.array([[0, 0, 0], [1, 1, 1], [0, 0, 0]])


def same(run, image, seed, value=1, **options):
    mask, filled = flood(image, seed, **options), flood_fill(image, seed, value, **options)
    np.testing.assert_array_equal(run(flood, image, seed, **options), mask)
    ours = run(flood_fill, image, seed, value, **options)
    assert ours.dtype == filled.dtype
    np.testing.assert_array_equal(ours, filled)
    return mask


@pytest.mark.parametrize("shape", [*SHAPES, (5, 6, 7, 8), (3, 4, 5, 4, 6)], ids=str)
def test_any_shape_seed_and_connectivity(gpu, shape):
    image = RNG.integers(0, 2, shape, np.uint8, endpoint=True)
    for part in (0.2, 0.5, 0.99):
        seed = tuple(int(part * length) - (part == 0.2) for length in shape)
        for connectivity in (None, *range(len(shape) + 2)):
            same(gpu, image, seed, 7, connectivity=connectivity)
            same(gpu, image, seed, 7, connectivity=connectivity, tolerance=1)


def test_seed_of_a_line_is_a_number(gpu_of_each_kind):
    same(gpu_of_each_kind, np.array([1, 1, 0, 1]), 1)
    same(gpu_of_each_kind, np.array([1, 1, 0, 1]), np.int8(-1))


@pytest.mark.parametrize("dtype", [dtype for dtype in DTYPES if dtype != "float16"])
def test_any_dtype_and_tolerance(gpu_of_each_kind, dtype):
    image = (noise(RNG, (31, 50), dtype).astype(float) // 9).astype(dtype)
    if dtype[0] in "iu":
        limits = np.iinfo(dtype)
        image[:9], image[9:12] = limits.max, limits.max - 2
        image[20:25], image[25:] = limits.min, limits.min + 3
    wide = dtype in ("int64", "uint64")
    for row, tolerance in itertools.product((5, 15, 22), (None, 0, 1, -3, 2.5, True, 0.5, np.inf)):
        if not (wide and row == 5 and isinstance(tolerance, float)):
            same(gpu_of_each_kind, image, (row, 40), True, tolerance=tolerance)
    for tolerance in (np.nan, np.float64(3), 1e300):
        same(gpu_of_each_kind, image, (15, 3), tolerance=tolerance)
    if dtype[0] in "iu":
        same(gpu_of_each_kind, image, (22, 3), tolerance=2**70)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, -0.0, 3.0])
def test_seeds_that_are_no_numbers(gpu, dtype, value):
    image = np.zeros((20, 30), dtype)
    image[3:12], image[5, 4:9], image[12:], image[15] = value, np.nan, np.finfo(dtype).max, np.inf
    for row, tolerance in itertools.product((4, 11), (None, 0, 1, np.nan, np.inf)):
        same(gpu, image, (row, 4), np.nan, tolerance=tolerance)


def test_any_symmetric_footprint(gpu):
    image = RNG.integers(0, 2, (35, 67))
    wide = np.pad(np.ones((3, 3), bool), ((2, 2), (1, 1)))
    for footprint in (LINE, LINE.T, np.eye(3), np.ones((3, 1)), wide, np.ones((1, 1))):
        same(gpu, image, (20, 30), 5, footprint=footprint, connectivity=9)
    around = np.zeros((3, 3, 3, 3), bool)
    around[1, 1, 1, 1] = around[0, 1, 0, 1] = around[2, 1, 2, 1] = True
    same(gpu, RNG.integers(0, 2, (4, 5, 6, 5)), (1, 1, 2, 3), footprint=around)


def test_a_path_through_all_boxes_is_one_region(gpu):
    path = meander(131, 257)
    assert same(gpu, path, (0, 0), connectivity=1).sum() == path.sum()
    assert same(gpu, np.ones((131, 257)), (-1, -1), 9).all()


def test_layouts_and_photograph(gpu_of_each_kind):
    photo = data.camera()[:200, :300]
    for image in (photo, np.asfortranarray(photo), photo[::-2, ::3]):
        same(gpu_of_each_kind, image, (9, 20), 255, tolerance=12)


def test_segmentation_has_the_same_functions(however_small):
    photo = data.camera()[:90, :120]
    with use_backends("gpu"), profile() as report:
        mask = segmentation.flood(photo, (9, 20), tolerance=12)
    (case,) = report.tallies
    assert case.on_device
    np.testing.assert_array_equal(mask, flood(photo, (9, 20), tolerance=12))


def test_fills_in_place(gpu):
    photo = data.camera()[:90, :120]
    for view in (np.s_[:, :], np.s_[::-2, ::3]):
        ours, theirs = cp.asarray(photo), photo.copy()
        part = ours[view]
        assert gpu(flood_fill, part, (3, 4), 9, tolerance=20, in_place=True) is part
        flood_fill(theirs[view], (3, 4), 9, tolerance=20, in_place=True)
        np.testing.assert_array_equal(ours.get(), theirs)
    assert "in_place" in gpu.declined(flood_fill, photo, (3, 4), 9, in_place=True)


def test_images_without_elements(gpu):
    result = gpu(flood, np.ones((0, 5)), "seed", footprint=3)
    assert result.shape == (0, 5)
    assert result.dtype == bool


@pytest.mark.parametrize(
    "options",
    [
        {"seed_point": (5, 5)},
        {"seed_point": (-6, 0)},
        {"footprint": np.ones((3, 3, 3))},
        {"footprint": np.ones((2, 3))},
        {"footprint": np.zeros((3, 3))},
        {"connectivity": np.nan},
        {"image": np.ones((5, 5), np.float16)},
        {"image": np.ones((5, 5)), "tolerance": 10**400},
    ],
)
def test_what_scikit_image_refuses_it_refuses_itself(gpu, options):
    options = {"image": np.ones((5, 5), int), "seed_point": (1, 1)} | options
    with pytest.raises((ValueError, TypeError, IndexError, OverflowError)):
        flood(**options)
    assert gpu.invalid(flood, **options)


def test_values_that_do_not_fit_are_refused_by_scikit_image(gpu):
    for value in (256, -1, np.inf):
        with pytest.raises((ValueError, OverflowError)):
            flood_fill(np.ones((5, 5), np.uint8), (1, 1), value)
        assert gpu.invalid(flood_fill, np.ones((5, 5), np.uint8), (1, 1), value)
    same(gpu, np.ones((5, 5), np.uint8), (1, 1), 2.7)


def test_what_is_left_to_scikit_image(gpu):
    image = np.ones((5, 5))
    for seed in ([1, 1], (1,), (1.0, 1), (True, 1), 1):
        assert "seed_point" in gpu.declined(flood, image, seed)
    assert "tolerance" in gpu.declined(flood, image, (1, 1), tolerance=np.float32(1))
    assert "symmetric" in gpu.declined(flood, image, (1, 1), footprint=np.triu(np.ones((3, 3))))
    assert "footprint" in gpu.declined(flood, image, (1, 1), footprint=np.ones((5, 5)))
    assert "new_value" in gpu.declined(flood_fill, image, (1, 1), np.ones(25))


def test_launches_and_bytes_do_not_depend_on_the_image(gpu, counting):
    for content in (RNG.random((256, 320)), np.zeros((256, 320)), meander(256, 320)):
        image = (content * 200).astype(np.uint8)
        for footprint, function in itertools.product((None, LINE), (flood, flood_fill)):
            value = (3,) if function is flood_fill else ()
            with counting() as counts:
                gpu(function, image, (0, 0), *value, tolerance=9, footprint=footprint)
            assert counts.launches == 3
            assert counts.kernel_bytes_read <= 11 * image.nbytes
            assert counts.kernel_bytes_written <= 13 * image.nbytes + 64
