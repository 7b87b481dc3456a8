"""Filters by a max-tree that is given have scikit-image's results, whatever tree it is."""

import numpy as np
import pytest
from skimage import morphology
from skimage.morphology import max_tree, max_tree_local_maxima
from skimage.util import invert

import cuda_simulator
from skimage_gpu_backend.trouble import Declined
from tests.functions.images import DTYPES, noise
from tests.functions.morphology.test_max_tree import CAMERA, RNG, SHAPES, WORST

OPENINGS = [morphology.area_opening, morphology.diameter_opening]
CLOSINGS = [morphology.area_closing, morphology.diameter_closing]


def same(run, function, image, *args, **kwargs):
    expected = function(image, *args, **kwargs)
    result = run(function, image, *args, **kwargs)
    assert result.dtype == expected.dtype
    np.testing.assert_array_equal(result, expected)
    return expected


def all_of(run, image, connectivity, threshold):
    """Every function with its own tree."""
    tree, inverse = max_tree(image, connectivity), max_tree(invert(image), connectivity)
    for functions, given in ((OPENINGS, tree), (CLOSINGS, inverse)):
        for function in functions:
            same(run, function, image, threshold, 1, *given)
    same(run, max_tree_local_maxima, image, 1, *tree)


def random_tree(n, deep):
    """Of each pixel a parent that comes before it in an order of no meaning."""
    order, parent = RNG.permutation(n), np.empty(n, np.int64)
    places = np.maximum(np.arange(n) - RNG.integers(1, deep + 1, n), 0)
    parent[order] = order[places]
    return parent, order


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_trees_of_any_shape_and_connectivity(gpu, shape):
    image = RNG.integers(0, 9, shape)
    for connectivity in {1, len(shape)}:
        all_of(gpu, image, connectivity, 3)


@pytest.mark.parametrize("name", WORST)
def test_trees_that_are_deep(gpu, name):
    all_of(gpu, WORST[name], 1, 9)
    all_of(gpu, -WORST[name], 2, 70)


@pytest.mark.thorough
@pytest.mark.parametrize("dtype", [dtype for dtype in DTYPES if dtype != "float16"])
def test_any_dtype_and_layout(gpu_of_each_kind, dtype):
    image = noise(RNG, (21, 34), dtype)
    for each in (image, image.T[::2, ::-3], np.asfortranarray(image)):
        all_of(gpu_of_each_kind, each, 1, 5)
    parent, order = max_tree(image)
    for each in (np.asfortranarray(parent), parent.ravel(), parent[::-1][::-1]):
        same(gpu_of_each_kind, OPENINGS[0], image, 5, 1, each, order)


@pytest.mark.parametrize("deep", [1, 2, 30, 700])
def test_a_tree_that_has_nothing_to_do_with_the_image(gpu, deep):
    """Its plateaus are no plateaus of the image's; in the order it has any pixel before another."""
    for image in (RNG.integers(0, 3, (25, 28)), RNG.random((5, 1, 140)), np.ones((700, 1))):
        tree = random_tree(image.size, deep)
        for function in (*OPENINGS, *CLOSINGS):
            for threshold in (2, 5, 1e9):
                same(gpu, function, image, threshold, "not looked at", *tree)
        same(gpu, max_tree_local_maxima, np.arange(700.0)[RNG.permutation(700)], 1, *tree)


def test_a_root_that_is_its_own_or_another_ones_child_and_roots_beside_it(gpu):
    image = RNG.integers(0, 4, (9, 8))
    parent, order = max_tree(image)
    parent.ravel()[order[0]] = order[5]
    parent.ravel()[order[[20, 30, 41]]] = order[[20, 30, 41]]
    for function in OPENINGS:
        same(gpu, function, image, 4, 1, parent, order)
    empty = np.zeros((3, 3))  # each pixel is a root
    tree = max_tree(image / 4, empty)
    same(gpu, OPENINGS[0], image / 4, 2, 1, *tree)
    same(gpu, max_tree_local_maxima, image / 4, 1, *tree)
    with_nan = np.where(image == 3, np.nan, image)
    all_of(gpu, with_nan, 2, 3)
    same(gpu, max_tree_local_maxima, with_nan, 1, *max_tree(with_nan, empty))


def test_what_is_no_tree_is_left_to_scikit_image(gpu):
    """Which reads beyond its arrays, or what it has not written yet; it is not asked here."""
    parent, order = max_tree(CAMERA)
    n = CAMERA.size
    late = parent.copy()
    late.ravel()[order[7]] = order[-1]
    wrong = [(parent + n, order), (parent - n, order), (late, order), (parent, order + 1)]
    wrong += [(parent, order - 1), (parent, order // 2), (parent, order[::-1].copy())]
    for tree in wrong:
        for function in (*OPENINGS, max_tree_local_maxima):
            with pytest.raises(Declined, match="no tree"):
                gpu(function, CAMERA, parent=tree[0], tree_traverser=tree[1])
    loose = random_tree(n, 9)
    with pytest.raises(Declined, match="that of max_tree"):
        gpu(max_tree_local_maxima, np.zeros_like(CAMERA), 1, *loose)
    for tree in ((parent[1:], order), (parent, order[1:])):
        assert "number for each" in gpu.declined(OPENINGS[0], CAMERA, 64, 1, *tree)
    nothing = np.zeros((0, 3)), np.zeros(0, np.int64), np.zeros(0, np.int64)
    assert "elements" in gpu.declined(OPENINGS[0], nothing[0], 64, 1, *nothing[1:])


def test_what_scikit_image_refuses_it_refuses_itself(gpu):
    parent, order = max_tree(CAMERA)
    plane = order.reshape(CAMERA.shape)
    refused = [(parent.tolist(), order), (parent, order.tolist()), (parent, plane), (3, order)]
    refused += [(parent.astype(dtype), order) for dtype in ("i4", "u8", "f8", ">i8")]
    refused += [(parent, order.astype(dtype)) for dtype in ("i4", "u8", "f8", ">i8")]
    refused += [(parent, np.repeat(order, 2)[::2])]
    for tree in refused:
        for function in (OPENINGS[1], max_tree_local_maxima):
            with pytest.raises((TypeError, ValueError, AttributeError)):
                function(CAMERA, parent=tree[0], tree_traverser=tree[1])
            assert gpu.invalid(function, CAMERA, parent=tree[0], tree_traverser=tree[1])
    assert gpu.invalid(OPENINGS[0], np.float16(CAMERA), 64, 1, parent, order)


@pytest.mark.parametrize(("name", "times"), [("ramp", 18), ("noise", 18)])
def test_launches_do_not_depend_on_the_image(gpu, counting, name, times):
    tree = max_tree(WORST[name])
    with counting() as counts:
        gpu(OPENINGS[0], WORST[name], 64, 1, *tree)
    assert counts.launches == 10
    moved = counts.kernel_bytes_read + counts.kernel_bytes_written
    assert moved <= times * WORST[name].nbytes


@pytest.mark.thorough
@pytest.mark.parametrize("order", ["backward", "shuffled"])
def test_no_result_depends_on_the_order_of_threads(gpu, monkeypatch, strict, order):
    monkeypatch.setattr("skimage_gpu_backend.device.kernels.resident_blocks", lambda threads: 2)
    with cuda_simulator.thread_order(order):
        for name in ("noise", "halves", "constant", "stairs"):
            all_of(gpu, WORST[name], 1, 50)
