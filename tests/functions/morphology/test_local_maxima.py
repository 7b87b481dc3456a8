"""skimage.morphology.local_maxima and local_minima find scikit-image's very pixels."""

import itertools
import warnings

import numpy as np
import pytest
from skimage import data
from skimage.morphology import local_maxima, local_minima

from skimage_gpu_backend.trouble import Declined
from tests.functions.images import DTYPES, noise

RNG = np.random.default_rng(20)
SHAPES = [(1,), (2,), (70,), (5000,), (1, 1), (1, 90), (2, 2), (33, 65), (3, 2100), (97, 200)]
VOLUMES = [(9, 17, 65), (33, 65, 1), (1, 7, 1, 9), (5, 6, 7, 8), (3, 4, 5, 4, 6)]
LINE = np.array([[0, 0, 0], [1, 1, 1], [0, 0, 0]])
BOTH = local_maxima, local_minima


def same(run, image, *args, **options):
    for function in BOTH:
        expected = function(image, *args, **options)
        found = run(function, image, *args, **options)
        assert type(found) is type(expected) or not isinstance(expected, tuple)
        for ours, theirs in zip(np.atleast_2d(found), np.atleast_2d(expected), strict=True):
            assert ours.dtype == theirs.dtype
            np.testing.assert_array_equal(ours, theirs)
        assert np.shape(found) == np.shape(expected)
    return expected


@pytest.mark.parametrize("shape", SHAPES + VOLUMES, ids=str)
@pytest.mark.parametrize("borders", [True, False])
@pytest.mark.filterwarnings("ignore:maxima can't exist")
def test_any_shape_and_connectivity(gpu, shape, borders):
    for highest, connectivity in itertools.product((1, 2, 4), (None, *range(len(shape)))):
        image = RNG.integers(0, highest, shape, np.uint8, endpoint=True)
        same(gpu, image, connectivity=connectivity, allow_borders=borders)
    same(gpu, image, indices=True, allow_borders=borders)


@pytest.mark.parametrize("dtype", [dtype for dtype in DTYPES if dtype != "float16"])
def test_any_dtype(gpu_of_each_kind, dtype):
    same(gpu_of_each_kind, noise(RNG, (41, 70), dtype))
    same(gpu_of_each_kind, noise(RNG, (41, 70), dtype), LINE, allow_borders=False)
    if dtype[0] in "iu":
        limits = np.iinfo(dtype)
        image = np.full((20, 30), limits.max - 1, dtype)
        image[3:9, 4:8], image[12:, :5] = limits.max, limits.min
        same(gpu_of_each_kind, image)


@pytest.mark.parametrize("borders", [True, False])
def test_any_symmetric_footprint(gpu, borders):
    pairs = [(0, 0), (0, 1), (0, 2), (1, 0)]
    for chosen in itertools.product((0, 1), repeat=4):
        footprint = np.zeros((3, 3), int)
        footprint[1, 1] = 1
        for (row, column), each in zip(pairs, chosen, strict=True):
            footprint[row, column] = footprint[2 - row, 2 - column] = each
        for highest in (1, 3):
            image = RNG.integers(0, highest, (35, 67), endpoint=True)
            image[20] = image[:, 9] = 0
            same(gpu, image, footprint, 1, allow_borders=borders)
            same(gpu, image[:5, :1] if borders else image, footprint, allow_borders=borders)
    same(gpu, image, np.zeros((3, 3)), allow_borders=borders)
    volume = RNG.integers(0, 3, (4, 5, 6, 5))
    around = np.zeros((3, 3, 3, 3), bool)
    around[1, 1, 1, 1] = around[0, 1, 0, 1] = around[2, 1, 2, 1] = True
    same(gpu, volume, around, allow_borders=borders)
    same(gpu, volume[:, :, :3], around.tolist(), allow_borders=borders)


@pytest.mark.parametrize("value", [0, 7])
def test_plateaus_of_the_lowest_value_have_no_end_at_the_border(gpu, value):
    image = np.full((50, 140), value)
    same(gpu, image)
    same(gpu, image, LINE)
    image[20] = value + 3
    same(gpu, image)
    same(gpu, image, LINE)
    image[30, 70] = value - 1
    same(gpu, image, LINE.T)
    same(gpu, image, LINE, allow_borders=False)


def test_a_path_through_all_boxes_is_one_plateau(gpu):
    path = np.zeros((131, 257), np.uint8)
    path[2:-2:2, 2:-2] = 1
    path[3:-2:4, -3] = path[5:-2:4, 2] = 1
    assert same(gpu, path, connectivity=1).any()
    path[2, 2] = 2
    same(gpu, path, connectivity=1)
    same(gpu, path, connectivity=1, allow_borders=False)


def test_photograph_and_infinities(gpu_of_each_kind):
    photo = data.camera()[:200, :300]
    same(gpu_of_each_kind, photo)
    image = photo / 255
    image[3, 4], image[9, 9:12], image[:2] = np.inf, -np.inf, -0.0
    same(gpu_of_each_kind, image)
    same(gpu_of_each_kind, image[::-2, ::3], indices=True)
    same(gpu_of_each_kind, np.asfortranarray(image))


@pytest.mark.parametrize("shape", [(2, 50), (5, 2, 5), (2,)])
def test_small_images_without_borders_warn(gpu_of_each_kind, shape):
    for function, indices in itertools.product(BOTH, (False, True)):
        for run in (lambda f, *args, **options: f(*args, **options), gpu_of_each_kind):
            with pytest.warns(UserWarning, match="smaller 3") as told:
                found = run(function, np.ones(shape), 3, indices=indices, allow_borders=False)
            assert len(told) == 1
            assert not np.any(found)
            assert np.shape(found) == ((len(shape), 0) if indices else shape)


@pytest.mark.parametrize("shape", [(0,), (0, 5), (3, 0, 2)])
def test_images_without_elements(gpu, shape):
    for indices in (False, True):
        same(gpu, np.ones(shape, np.float16), 5, indices=indices)


@pytest.mark.parametrize(
    "options",
    [
        {"footprint": np.ones((3, 5))},
        {"footprint": np.ones((3, 3, 3))},
        {"footprint": np.ones(3)},
        {"footprint": np.ones((1, 1))},
    ],
)
def test_what_scikit_image_refuses_it_refuses_itself(gpu, options):
    for function in BOTH:
        with pytest.raises(ValueError):
            function(np.ones((5, 5)), **options)
        assert gpu.invalid(function, np.ones((5, 5)), **options)
    with pytest.raises(TypeError):
        local_maxima(np.ones((5, 5), np.float16))
    assert gpu.invalid(local_maxima, np.ones((5, 5), np.float16))
    with pytest.raises(ValueError):
        local_maxima(np.array(3))
    assert gpu.invalid(local_maxima, np.array(3))


def test_connectivities_that_are_odd_numbers(gpu):
    image = RNG.integers(0, 3, (20, 30))
    for connectivity in (0, -3, 1.5, True, 9, np.float32(2), np.nan):
        same(gpu, image, connectivity=connectivity)


def test_what_is_left_to_scikit_image(gpu):
    image = RNG.integers(0, 3, (20, 30))
    ring = np.ones((3, 3))
    ring[1, 1] = 0
    for footprint in (ring, np.triu(np.ones((3, 3)))):
        assert "symmetric" in gpu.declined(local_maxima, image, footprint)
    assert "connectivity" in gpu.declined(local_maxima, image, connectivity="1")
    image = image.astype(float)
    image[3, 4] = np.nan
    with pytest.raises(Declined, match="nan_to_num"):
        gpu(local_minima, image)


def test_launches_and_bytes_do_not_depend_on_the_image(gpu, counting):
    stripes = np.indices((256, 320)).sum(axis=0) % 2
    for content in (RNG.random((256, 320)), np.zeros((256, 320)), stripes, np.eye(256, 320)):
        image = (content * 200).astype(np.uint8)
        with counting() as counts:
            gpu(local_maxima, image)
        assert counts.launches == 3
        assert counts.kernel_bytes_read <= 3 * image.nbytes
        assert counts.kernel_bytes_written <= 14 * image.nbytes
        with counting() as counts:
            gpu(local_maxima, image, LINE)
        assert counts.launches == 4


def test_nothing_is_told_of_what_scikit_image_tells_nothing(gpu):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        same(gpu, np.ones((3, 3)), allow_borders=False)
