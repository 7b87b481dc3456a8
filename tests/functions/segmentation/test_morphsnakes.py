"""Morphological snakes on the device are scikit-image's to the last pixel."""

import itertools

import numpy as np
import pytest
from skimage import data, util
from skimage.segmentation import inverse_gaussian_gradient
from skimage.segmentation import morphological_chan_vese as chan_vese
from skimage.segmentation import morphological_geodesic_active_contour as geodesic

from skimage_gpu_backend.functions.segmentation import morphsnakes as planner
from tests.functions.images import DTYPES
from tests.upstream import upstream

RNG = np.random.default_rng(22)
SHAPES = [(2, 2), (33, 67), (150, 20), (9, 17, 35), (2, 3, 70)]
COINS = util.img_as_float(data.coins()[::4, ::4])
EDGES = inverse_gaussian_gradient(COINS, sigma=2)


def _smoothing():
    return planner.operators(upstream("segmentation.morphsnakes"))


def same(run, function, image, *args, turn=0, **options):
    operators = list(itertools.islice(_smoothing().funcs, 2))
    found, turns = [], []
    for call in (function, lambda *a, **o: run(function, *a, **o)):
        _smoothing().funcs = itertools.cycle(operators[::-1] if turn else operators)
        found.append(call(image, *args, **options))
        turns.append(next(_smoothing().funcs))
    _smoothing().funcs = itertools.cycle(operators)
    assert turns[0] is turns[1], "the operators' next turn"
    assert found[0].dtype == found[1].dtype
    np.testing.assert_array_equal(*found)
    return found[0]


@pytest.mark.thorough
@pytest.mark.parametrize("smoothing", [0, 1, 3, 6])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_any_shape_and_smoothing(gpu, shape, smoothing):
    image = RNG.random(shape)
    levels = RNG.random(shape) - 0.5
    for turn, init in itertools.product((0, 1), ("checkerboard", "disk", levels)):
        options = {"init_level_set": init, "smoothing": smoothing, "turn": turn}
        same(gpu, chan_vese, image, 3, lambda1=2, **options)
        for balloon in (0, 1, -1.5):
            same(gpu, geodesic, image, 3, balloon=balloon, threshold=0.4, **options)


@pytest.mark.parametrize("dtype", [dtype for dtype in DTYPES if dtype != "float16"])
def test_any_dtype(gpu_of_each_kind, dtype):
    image = (COINS > 0.4) if dtype == "bool" else (COINS * 100).astype(dtype)
    assert same(gpu_of_each_kind, chan_vese, image, 5).any()
    same(gpu_of_each_kind, chan_vese, image, 2, init_level_set=image, lambda2=0.5)
    if dtype[0] == "f":
        same(gpu_of_each_kind, geodesic, EDGES.astype(dtype), 9, balloon=-1, smoothing=2)
        same(gpu_of_each_kind, geodesic, EDGES.astype(dtype), 9, balloon=0.5)


@pytest.mark.thorough
@pytest.mark.parametrize("dtype", ["float32", "float64", "uint64"])
@pytest.mark.parametrize("side", [0, 1])
def test_means_are_added_in_scikit_images_order(gpu, dtype, side):
    """Pixels that are equal to the other side's mean stay as they are, those beside it do not."""
    for size in (2, 5, 64, 127, 1000, 16385, 70001, 300_007):
        image = (RNG.random((2, size)) * 10.0 ** RNG.integers(-3, 4, (2, size))).astype(dtype)
        levels = RNG.random(image.shape) < 0.5
        kept = np.int8(levels == side)
        mean = (image * kept).sum() / float(kept.sum() + 1e-8)
        image[levels != side] = mean
        weights = {"lambda1": -1, "lambda2": 0} if side else {"lambda1": 0, "lambda2": -1}
        found = same(gpu, chan_vese, image, 1, levels, smoothing=0, **weights)
        if dtype != "uint64":
            np.testing.assert_array_equal(found[levels != side], 1 - side)


def test_values_that_are_not_finite(gpu):
    for value in (np.nan, np.inf):
        image = RNG.random((40, 70))
        image[12, 20] = value
        with np.errstate(invalid="ignore"):
            same(gpu, chan_vese, image, 2)
            same(gpu, geodesic, image, 2, balloon=1)


def test_layouts(gpu_of_each_kind):
    image = (COINS * 255).astype(np.uint8)
    for view in (np.asfortranarray(image), image[::-1, ::2]):
        same(gpu_of_each_kind, chan_vese, view, 4)


def test_a_callback_takes_each_level_set_and_may_change_it(gpu):
    def run(function, image, **options):
        seen = []

        def callback(levels):
            seen.append(levels.copy())
            levels[:9] = 1

        found = function(image, 3, iter_callback=callback, **options)
        return np.stack([*seen, found])

    operators = list(itertools.islice(_smoothing().funcs, 2))
    for function, image in ((chan_vese, COINS), (geodesic, EDGES)):
        _smoothing().funcs = itertools.cycle(operators)
        expected = run(function, image)
        _smoothing().funcs = itertools.cycle(operators)
        found = run(lambda *a, f=function, **o: gpu(f, *a, **o), image)
        assert len(expected) == 5
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("function", [chan_vese, geodesic])
@pytest.mark.parametrize(
    "options",
    [
        {"image": np.ones(5)},
        {"image": np.ones((1, 5))},
        {"init_level_set": "circle"},
        {"init_level_set": np.ones(5)},
        {"iter_callback": 3},
    ],
    ids=str,
)
def test_what_scikit_image_refuses_it_refuses_itself(gpu, function, options):
    image = options.get("image", np.ones((5, 5)))
    options = {key: value for key, value in options.items() if key != "image"}
    with pytest.raises((ValueError, TypeError)):
        function(image, 1, **options)
    assert gpu.invalid(function, image, 1, **options)


def test_what_is_left_to_scikit_image(gpu):
    image = np.ones((5, 5))
    for function in (chan_vese, geodesic):
        assert "elements" in gpu.declined(function, image[:0], 1)
        assert "length 1" in gpu.declined(function, image[:1], 0)
        assert "float16" in gpu.declined(function, image.astype(np.float16), 1)
        assert "init_level_set" in gpu.declined(function, image, 1, np.ones((1, 5)))
    assert "balloon" in gpu.declined(geodesic, image, 1, balloon=np.float32(1))
    assert "threshold" in gpu.declined(geodesic, image, 1, threshold=None)
    assert gpu.invalid(geodesic, image.astype(np.uint8), 1)
    assert "integers" in gpu.declined(geodesic, image.astype(np.uint8), 0)


@pytest.mark.parametrize("function", [chan_vese, geodesic])
@pytest.mark.parametrize("init", ["checkerboard", "disk", RNG.random((25, 30)) > 0.5], ids=str)
def test_no_iteration_leaves_the_level_set(gpu_of_each_kind, function, init):
    image, heard = RNG.random((25, 30)), []
    for number in (0, -2):
        expected = function(image, number, init)
        found = gpu_of_each_kind(function, image, number, init, iter_callback=heard.append)
        assert found.dtype == expected.dtype
        np.testing.assert_array_equal(found, expected)
        np.testing.assert_array_equal(heard.pop(), expected)


def test_launches_do_not_depend_on_the_image(gpu, counting):
    for image in (np.zeros((128, 192)), RNG.random((128, 192))):
        for function, an_iteration in ((chan_vese, 2), (geodesic, 1)):
            with counting() as counts:
                gpu.cupy(function, image, 10, smoothing=4)
            assert counts.launches == 10 * an_iteration
