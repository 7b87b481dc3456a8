"""Max-trees on the device, and what they filter, are scikit-image's to the last pixel."""

import numpy as np
import pytest
from skimage import data
from skimage.morphology import (
    area_closing,
    area_opening,
    diameter_closing,
    diameter_opening,
    max_tree,
    max_tree_local_maxima,
)
from skimage.util import invert

import cuda_simulator
from tests.functions.images import DTYPES, meander, noise

RNG = np.random.default_rng(31)
CAMERA = data.camera()[100:300:5, 150:350:5]
SHAPES = [(3,), (40,), (3, 3), (3, 50), (23, 35), (5, 6, 7), (4, 3, 5, 3), (3, 4, 3, 3, 3)]
CROSS = [[0, 1, 0], [1, 1, 1], [0, 1, 0]]
Y, X = np.mgrid[:40, :50]
WORST = {
    "constant": 0 * X,
    "ramp": 50 * Y + X,
    "falling": -50 * Y - X,
    "rows": X,
    "stairs": X + Y,
    "comb": np.where(X % 2, Y, -1),
    "saw": np.where(Y % 2, X, 50 - X),
    "checkers": (X + Y) % 2,
    "path": meander(40, 50).astype(int),
    "climbing path": meander(40, 50) * (50 * Y + np.where(Y % 4, 50 - X, X)),
    "halves": sum((((X + Y) >> bit) & 1) << (6 - bit) for bit in range(7)),  # many rounds
    "noise": RNG.random((40, 50)),
}


def same(run, function, image, *args, **kwargs):
    with np.errstate(invalid="ignore"):
        expected = function(image, *args, **kwargs)
    result = run(function, image, *args, **kwargs)
    if type(expected) is not tuple:
        expected, result = (expected,), (result,)
    for ours, theirs in zip(result, expected, strict=True):
        assert ours.dtype == theirs.dtype
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_any_shape_and_connectivity(gpu, shape):
    image = RNG.integers(0, 9, shape)
    for connectivity in {0, 1, len(shape) - 1, len(shape)}:
        same(gpu, max_tree, image, connectivity)
        same(gpu, max_tree_local_maxima, image, connectivity)
    same(gpu, area_opening, image, 6, len(shape))
    same(gpu, diameter_opening, image, 2, 1)


@pytest.mark.thorough
@pytest.mark.parametrize("dtype", [dtype for dtype in DTYPES if dtype != "float16"])
def test_any_dtype_and_layout(gpu_of_each_kind, dtype):
    image = noise(RNG, (21, 34), dtype)
    for each in (image, image.T[::2, ::-3], np.asfortranarray(image)):
        same(gpu_of_each_kind, max_tree, each)
        same(gpu_of_each_kind, area_opening, each, 9)
        same(gpu_of_each_kind, area_closing, each, 9)
        same(gpu_of_each_kind, diameter_opening, each, 3)
        same(gpu_of_each_kind, diameter_closing, each, 3)
        same(gpu_of_each_kind, max_tree_local_maxima, each)


def test_ends_of_ranges_zeros_of_both_signs_and_nan(gpu):
    for dtype in ("int8", "uint64", "int64"):
        limits = np.iinfo(dtype)
        values = np.array([limits.min, limits.min + 1, limits.max - 1, limits.max], dtype)
        same(gpu, area_closing, RNG.choice(values, (9, 11)), 5)
    for dtype in ("float32", "float64"):
        values = np.array([-np.inf, -1e-40, -0.0, 0, 1, np.inf, np.nan, -np.nan], dtype)
        image = RNG.choice(values, (17, 19))
        for function in (max_tree, area_opening, area_closing, max_tree_local_maxima):
            same(gpu, function, image)
            same(gpu, function, image, connectivity=np.zeros((3, 3)))
        same(gpu, area_opening, np.full((4, 5), np.nan, dtype), 3)
        opened, expected = gpu(area_opening, image, 4), area_opening(image, 4)
        np.testing.assert_array_equal(np.signbit(opened), np.signbit(expected))


@pytest.mark.parametrize("name", WORST)
def test_images_whose_trees_are_deep_or_take_many_rounds(gpu, name):
    for image in (WORST[name], -WORST[name]):
        for connectivity in (1, 2):
            same(gpu, max_tree, image, connectivity)
            same(gpu, area_opening, image, 70, connectivity)
            same(gpu, diameter_opening, image, 9, connectivity)
            same(gpu, max_tree_local_maxima, image, connectivity)


@pytest.mark.parametrize("threshold", [0, 1, 2.5, 64, 1e9, -3, np.nan, np.inf, True, np.float32(7)])
def test_any_threshold(gpu_of_each_kind, threshold):
    for image in (CAMERA, CAMERA / np.float32(255)):
        same(gpu_of_each_kind, area_opening, image, threshold)
        same(gpu_of_each_kind, area_closing, image, threshold, connectivity=2)
        same(gpu_of_each_kind, diameter_opening, image, threshold)
        same(gpu_of_each_kind, diameter_closing, image, threshold, connectivity=2)


@pytest.mark.parametrize(
    "connectivity",
    [
        *(None, 0, -1, 1.5, 3, np.nan, True, np.float32(2), CROSS, np.array(CROSS, bool)),
        *(np.eye(3), np.zeros((3, 3)), [[1, 1, 1]], np.ones((3, 1))),
    ],
    ids=repr,
)
def test_any_connectivity(gpu, connectivity):
    same(gpu, max_tree, CAMERA, connectivity)
    same(gpu, area_opening, CAMERA, 20, connectivity)
    same(gpu, area_closing, CAMERA / 7, 20, connectivity)
    same(gpu, diameter_closing, CAMERA, 20, connectivity)
    same(gpu, max_tree_local_maxima, CAMERA, connectivity)


def test_a_parent_without_an_order_is_ignored(gpu):
    parent, order = max_tree(CAMERA)
    same(gpu, area_opening, CAMERA, parent=parent // 2)
    same(gpu, area_closing, CAMERA, tree_traverser=order[::-1])


def test_what_scikit_image_refuses_it_refuses_itself(gpu):
    even, volume = np.ones((2, 3)), np.ones((3, 3, 3))
    refused = [(np.float16(CAMERA), 1), (CAMERA[:1], 1), (CAMERA[:0], 1), (np.array(3), 1)]
    refused += [(CAMERA, even), (CAMERA, volume), (CAMERA, [1, 1, 1]), (CAMERA, np.array(1))]
    for image, connectivity in refused:
        with pytest.raises((TypeError, ValueError, IndexError)):
            max_tree(image, connectivity)
        assert gpu.invalid(max_tree, image, connectivity)


def test_what_is_left_to_scikit_image(gpu):
    assert "two pixels" in gpu.declined(max_tree, CAMERA[:2])
    assert "three pixels" in gpu.declined(max_tree, CAMERA, np.ones((3, 5)))
    assert "symmetric" in gpu.declined(max_tree, CAMERA, np.tri(3))
    for threshold in (None, "3", 3j, [3], 10**400):
        assert "area_threshold" in gpu.declined(area_opening, CAMERA, threshold)
        assert "diameter_threshold" in gpu.declined(diameter_closing, CAMERA, threshold)
    large = np.broadcast_to(np.uint8(0), (2**16, 2**15))
    assert "2**31" in gpu.declined(max_tree, large)


def test_the_image_is_left_alone(gpu):
    for function in (area_opening, area_closing, diameter_opening, diameter_closing):
        image = invert(CAMERA)
        given = image.copy()
        gpu(function, image, 30)
        np.testing.assert_array_equal(image, given)


def test_rounds_are_at_most_the_bits_of_the_number_of_pixels(gpu, monkeypatch):
    from skimage_gpu_backend.functions.morphology import max_tree as room

    rounds = []

    class Counted(room.MaxTree):
        def __init__(self, *args):
            super().__init__(*args)
            rounds.append(self.rounds)

    monkeypatch.setattr(room, "MaxTree", Counted)
    for image in WORST.values():
        gpu(max_tree, image)
        gpu(max_tree, -image)
    assert 1 <= min(rounds) <= max(rounds) <= (40 * 50 - 1).bit_length()
    assert max(rounds) > 4  # so that the host looks twice


@pytest.mark.parametrize(("name", "launches", "times"), [("ramp", 31, 64), ("noise", 54, 117)])
def test_launches_and_bytes_are_those_of_rounds(gpu, counting, name, launches, times):
    """Of an image whose tree takes 1 round, where 4 are launched, and one that takes 5."""
    with counting() as counts:
        gpu(area_opening, WORST[name])
    assert counts.launches == launches
    moved = counts.kernel_bytes_read + counts.kernel_bytes_written
    assert moved <= times * WORST[name].nbytes


@pytest.mark.thorough
@pytest.mark.parametrize("order", ["backward", "shuffled"])
def test_no_result_depends_on_the_order_of_threads(gpu, monkeypatch, strict, order):
    monkeypatch.setattr("skimage_gpu_backend.device.kernels.resident_blocks", lambda threads: 2)
    monkeypatch.setattr("skimage_gpu_backend.primitives.max_trees.resident_blocks", lambda _: 3)
    with cuda_simulator.thread_order(order):
        for name in ("noise", "halves", "constant", "stairs"):
            same(gpu, max_tree, WORST[name])
            same(gpu, area_opening, WORST[name], 50)
            same(gpu, diameter_opening, WORST[name], 9)
            same(gpu, max_tree_local_maxima, WORST[name])
