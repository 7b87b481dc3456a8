"""skimage.measure.label on the device gives scikit-image's very numbers."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from skimage import measure

import cuda_simulator
from skimage_gpu_backend.trouble import Declined
from tests.functions.images import DTYPES, FLOATS, INTEGERS, layouts, meander

RNG = np.random.default_rng(19)
# around the boxes of 32 x 64, 8 x 8 x 32 and 2048 pixels, and of thin images
PLANES = [(1, 1), (1, 129), (31, 63), (32, 64), (33, 65), (97, 200), (3, 2100), (2100, 3)]
SHAPES = [(1,), (65,), (2048,), (5000,), *PLANES]
VOLUMES = [(9, 9, 33), (8, 8, 32), (17, 24, 65), (2, 40, 70), (20, 3, 100), (33, 1, 65)]
HYPERVOLUMES = [(3, 4, 5, 6), (2, 3, 9, 9, 33), (2, 1, 3, 2, 2, 3, 2, 5)]
WITH_ONE = [(7, 9, 1), (70, 40, 1), (1, 9, 1), (9, 1, 1), (5, 1), (9, 1, 7)]


def same(run, image, **options):
    expected = measure.label(image, **options)
    result = run(measure.label, image, **options)
    if options.get("return_num"):
        assert type(result[1]) is type(expected[1])
        assert result[1] == expected[1]
        result, expected = result[0], expected[0]
    assert result.dtype == expected.dtype
    np.testing.assert_array_equal(result, expected)
    return expected


def spiral(side):
    """One path from the corner to the middle, a pixel wide."""
    path = np.zeros((side, side), bool)
    y = x = 0
    length, step = side - 1, (0, 1)
    path[0, 0] = True
    for turn in itertools.count():
        for _ in range(length):
            y, x = y + step[0], x + step[1]
            path[y, x] = True
        step = step[1], -step[0]
        if turn >= 2 and turn % 2 == 0:
            length -= 2
        if length < 1:
            return path


HARD = {
    "spiral": spiral(133),
    "meander": meander(131, 140),
    "checkerboard": np.indices((90, 131)).sum(0) % 2 == 0,
    "comb": (np.arange(200) % 2 == 0) | (np.arange(70) == 69)[:, np.newaxis],
    "diagonals": np.indices((80, 130)).sum(0) % 3 == 0,
    "one": np.ones((70, 140), bool),
    "none": np.zeros((70, 140), bool),
}


@pytest.mark.parametrize("shape", [*SHAPES, *VOLUMES], ids=str)
@pytest.mark.parametrize("dtype", ["bool", "uint8"])
def test_any_shape_and_connectivity(gpu, shape, dtype):
    for connectivity in range(1, len(shape) + 1):
        for share in (0.2, 0.5, 0.65):  # around where components begin to wind through the image
            image = (RNG.random(shape) < share).astype(dtype)
            if dtype != "bool":
                image += (RNG.random(shape) < 0.1).astype(dtype)
            same(gpu, image, connectivity=connectivity, return_num=True)


@pytest.mark.parametrize("shape", HYPERVOLUMES, ids=str)
@pytest.mark.parametrize("share", [0.02, 0.1, 0.3])
def test_masks_of_more_axes(gpu, shape, share):
    image = RNG.random(shape) < share
    for connectivity in range(1, len(shape) + 1):
        same(gpu, image, connectivity=connectivity, return_num=True)


@pytest.mark.parametrize("name", HARD)
@pytest.mark.parametrize("connectivity", [1, 2])
def test_hard_images(gpu, name, connectivity):
    for image in (HARD[name], ~HARD[name]):
        same(gpu, image, connectivity=connectivity, return_num=True)
        same(gpu, image.astype(np.uint8), background=-1, connectivity=connectivity)


@pytest.mark.parametrize("connectivity", [1, 2, 3])
def test_a_path_through_planes(gpu, connectivity):
    image = np.zeros((19, 40, 70), np.uint8)
    image[::2] = meander(40, 70)
    image[1::4, 0, 0] = image[3::4, 38, 69] = 1
    same(gpu, image, connectivity=connectivity, return_num=True)
    same(gpu, 1 - image.transpose(2, 0, 1), connectivity=connectivity, return_num=True)


@pytest.mark.thorough
@pytest.mark.parametrize("connectivity", [1, 2, 3])
def test_each_pair_of_neighbours_across_boxes(gpu, connectivity):
    """Two pixels alone, around a corner at which eight boxes meet."""
    corner = (8, 8, 32)
    for steps in itertools.product((-1, 0, 1), repeat=3):
        image = np.zeros((17, 17, 65), bool)
        image[corner] = True
        image[tuple(np.add(corner, steps))] = True
        same(gpu, image, connectivity=connectivity)
        same(gpu, np.roll(image, (-1, -1, -1), (0, 1, 2)), connectivity=connectivity)
        same(gpu, np.roll(image, (0, -1, 0), (0, 1, 2)), connectivity=connectivity)


@pytest.mark.parametrize("dtype", DTYPES)
def test_any_dtype_and_background(gpu_of_each_kind, dtype):
    values = [0, 1] if dtype == "bool" else [0, 1, 2, 5]
    image = RNG.choice(values, (40, 71)).astype(dtype)
    for background in (None, 0, 1, True, 2, -1, 300, 1.9, np.int8(5), np.float32(1), -(2**63)):
        same(gpu_of_each_kind, image, background=background, return_num=True)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_ends_of_integers(gpu, dtype):
    limits = np.iinfo(dtype)
    image = RNG.choice(np.array([limits.min, limits.max, 0, limits.max - 1], dtype), (20, 33))
    for background in (0, -1, 2**63 - 1, limits.min):
        same(gpu, image, background=background)


@pytest.mark.parametrize("dtype", FLOATS)
def test_floats_are_compared_without_their_fractions(gpu, dtype):
    image = RNG.uniform(-3, 3, (40, 70)).astype(dtype)
    image[:5] = RNG.choice(np.array([-0.0, 0.0, -0.9, 0.9, 2049, -60_000], dtype), (5, 70))
    for background in (0, 1, -2, 2.7):
        same(gpu, image, background=background, return_num=True)
    if dtype != "float16":
        same(gpu, np.array([[2.0**53, 2.0**62, -(2.0**63), 0]], dtype), background=-(2**63))


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 2.0**63, -1e19])
def test_values_that_no_integer_holds_are_left_to_scikit_image(gpu, dtype, value):
    with np.errstate(over="ignore"):
        image = np.array([[1, 2], [value, 0]]).astype(dtype)
    with pytest.raises(Declined, match="nan_to_num"):
        gpu(measure.label, image)


@pytest.mark.parametrize("shape", WITH_ONE, ids=str)
@pytest.mark.parametrize("dtype", ["bool", "int16", "float32"])
def test_axes_of_one_pixel_change_the_order_of_numbers(gpu_of_each_kind, shape, dtype):
    image = (RNG.random(shape) < 0.4).astype(dtype)
    for connectivity in range(1, len(shape) + 1):
        same(gpu_of_each_kind, image, connectivity=connectivity, return_num=True)
    same(gpu_of_each_kind, np.asfortranarray(image))


@pytest.mark.parametrize("shape", [(0,), (0, 3), (5, 1, 0), (0, 5, 1), (3, 0, 1)], ids=str)
@pytest.mark.parametrize("dtype", ["bool", "uint16", "float64"])
def test_images_without_pixels(gpu, shape, dtype):
    same(gpu, np.zeros(shape, dtype), return_num=True)


@pytest.mark.thorough
@settings(max_examples=25)
@given(st.data())
def test_any_layout(gpu, data):
    shape = tuple(data.draw(st.lists(st.integers(1, 40), min_size=1, max_size=3)))
    image = np.random.default_rng(data.draw(st.integers(0, 99))).integers(0, 3, shape)
    image = data.draw(layouts(image.astype(data.draw(st.sampled_from(DTYPES)))))
    connectivity = data.draw(st.sampled_from([None, 1, 1.5, len(shape), np.int8(1), True]))
    if connectivity is not None and connectivity > len(shape):
        connectivity = 1
    same(gpu, image, connectivity=connectivity, return_num=data.draw(st.booleans()))


@pytest.mark.parametrize(
    "shape, dtype, options",
    [
        ((4, 5), "uint8", {"connectivity": 0}),
        ((4, 5), "bool", {"connectivity": 3}),
        ((4, 5), "uint8", {"connectivity": 0.5}),
        ((4, 5), "uint8", {"connectivity": np.nan}),
        ((), "bool", {}),
        ((), "uint8", {}),
        ((2, 2, 2, 2), "uint8", {}),
        ((4, 5), "uint8", {"background": 2**63}),
        ((4, 5), "uint8", {"background": np.nan}),
        ((4, 5), "int8", {"background": np.inf}),
    ],
)
def test_what_scikit_image_refuses_it_refuses_itself(gpu, shape, dtype, options):
    image = np.ones(shape, dtype)
    with pytest.raises((ValueError, NotImplementedError, OverflowError)):
        measure.label(image, **options)
    assert gpu.invalid(measure.label, image, **options)


@pytest.mark.parametrize(
    "options",
    [
        {"background": "x"},
        {"background": [1]},
        {"connectivity": np.array([2])},
        {"return_num": np.ones(2)},
    ],
)
def test_what_is_left_to_scikit_image(gpu, options):
    assert gpu.declined(measure.label, np.ones((4, 5), bool), **options)


@pytest.mark.parametrize("content", [*HARD, "noise"])
@pytest.mark.parametrize("dtype", ["bool", "uint16", "float32"])
def test_launches_and_bytes_do_not_depend_on_the_image(gpu, counting, content, dtype):
    image = np.zeros((256, 320), dtype)
    pattern = RNG.random(image.shape) * 9 if content == "noise" else HARD[content]
    image[: pattern.shape[0], : pattern.shape[1]] = pattern[:256, :320]
    with counting() as counts:
        gpu(measure.label, image, return_num=True)
    assert counts.launches == 4
    result = image.size * (4 if dtype == "bool" else 8)
    indices, ranks = 4 * image.size, image.size // 4 + 4 * (image.size // 8192)
    assert counts.kernel_bytes_read == 2 * image.nbytes + indices + ranks
    assert counts.kernel_bytes_written - (3 * indices + ranks + result) <= 40


def test_only_the_count_comes_to_the_host(gpu, counting):
    import cupy as cp

    mask = cp.asarray(HARD["spiral"])
    with counting() as counts:
        gpu(measure.label, mask)
    assert counts.bytes_to_host == 0
    with counting() as counts:
        gpu(measure.label, mask, return_num=True)
    assert counts.bytes_to_host == 16


@pytest.mark.parametrize("order", ["forward", "backward", "shuffled"])
@pytest.mark.parametrize("blocks", [1, 3])
def test_no_result_depends_on_the_order_of_threads(gpu, monkeypatch, strict, order, blocks):
    monkeypatch.setattr(
        "skimage_gpu_backend.device.kernels.resident_blocks", lambda threads: blocks
    )
    volume = RNG.random((9, 17, 40)) < 0.3
    with cuda_simulator.thread_order(order):
        same(gpu, meander(70, 130).astype(np.uint8), background=3, connectivity=1, return_num=True)
        same(gpu, spiral(69), return_num=True)
        same(gpu, volume, connectivity=2, return_num=True)


@pytest.mark.thorough
def test_more_chunks_of_roots_than_one_scan_takes(gpu):
    """Ranks are counted in chunks of 8192 pixels, 256 of which are scanned at a time."""
    image = np.zeros(8192 * 300 + 17, bool)
    image[::50] = True
    same(gpu, image, return_num=True)


def test_morphology_has_the_same_function(gpu):
    from skimage import morphology

    assert morphology.label is measure.label


@pytest.mark.thorough
def test_indices_of_64_bits_give_the_same(gpu, monkeypatch):
    """As images of 2**31 pixels or more have them."""
    from skimage_gpu_backend.primitives import components

    monkeypatch.setattr(components, "INT", np.dtype(np.int64))
    from skimage_gpu_backend.functions.measure import label

    label._planned.cache_clear()
    components.volumes_of.cache_clear()
    try:
        for image in (HARD["meander"], RNG.random((9, 17, 70)) < 0.3, RNG.random(9000) < 0.5):
            same(gpu, image.astype(np.int16), return_num=True)
    finally:
        label._planned.cache_clear()
