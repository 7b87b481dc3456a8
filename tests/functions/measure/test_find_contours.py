"""skimage.measure.find_contours gives scikit-image's very lines, in its order."""

import cupy as cp
import numpy as np
import pytest
from scipy import ndimage as ndi
from skimage import data
from skimage.measure import find_contours

from skimage_gpu_backend.functions.measure import find_contours as room
from skimage_gpu_backend.trouble import Declined
from tests.functions.images import DTYPES, meander, noise

RNG = np.random.default_rng(55)
SHAPES = [(2, 2), (2, 3), (3, 2), (2, 70), (300, 2), (33, 65), (9, 1024), (9, 1025), (5, 2100)]
WAYS = [(connected, turned) for connected in ("low", "high") for turned in ("low", "high")]
COINS = data.coins()


def same(run, image, *args, **options):
    expected = find_contours(image, *args, **options)
    found = run(find_contours, image, *args, **options)
    assert type(found) is list
    assert [line.shape for line in found] == [line.shape for line in expected]
    for ours, theirs in zip(found, expected, strict=True):
        assert ours.dtype == theirs.dtype
        np.testing.assert_array_equal(ours, theirs)
    return found


def same_or_left(run, image, *args, **options):
    """Whether the call is not left to scikit-image."""
    try:
        same(run, image, *args, **options)
    except Declined as reason:
        assert "another level" in str(reason)
        return False
    return True


def with_nan(image, share=0.05):
    return np.where(RNG.random(image.shape) < share, np.nan, image)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_any_shape(gpu, shape):
    image, mask = RNG.random(shape), RNG.random(shape) < 0.9
    for connected, turned in WAYS:
        options = {"fully_connected": connected, "positive_orientation": turned}
        same(gpu, image, 0.5, **options)
        same(gpu, image, 0.3, mask=mask, **options)
        same(gpu, with_nan(image), **options)
        same(gpu, ndi.gaussian_filter(image, 2), **options)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")
def test_any_dtype(gpu_of_each_kind, dtype):
    image = noise(RNG, (31, 40), dtype)
    if dtype[0] in "iu":
        image[3:9, 4:8], image[12:20, :5] = np.iinfo(dtype).max, np.iinfo(dtype).min
    for view in (image, np.asfortranarray(image), image[::-1, ::2]):
        same(gpu_of_each_kind, view)
        same(gpu_of_each_kind, view, 0.5, mask=np.asfortranarray(view != 7))


@pytest.mark.parametrize("level", [0, True, 99.5, np.float32(0.1), np.nan, np.inf, -np.inf, 1e-320])
def test_any_level(gpu, level):
    same(gpu, COINS[:60, :70], level)
    same(gpu, (COINS[:60, :70] / 1000).astype("f4"), level)


@pytest.mark.thorough
@pytest.mark.parametrize("highest", [2, 3, 6, 12])
@pytest.mark.filterwarnings("ignore:invalid value encountered:RuntimeWarning")
def test_pixels_of_the_level_are_met_in_scikit_images_order(gpu, highest):
    """Up to eight ends are on such a pixel."""
    taken = 0
    for turn in range(40):
        shape = tuple(RNG.integers(2, 30, 2))
        image = RNG.integers(0, highest, shape)
        if turn % 4 == 1:
            image = (ndi.gaussian_filter(RNG.random(shape), 1.5) * 10 * highest).astype(int)
        if turn % 4 == 2:
            image = image + RNG.choice([0, 1e-16, -1e-16, 1e-15, -1e-15, 3e-15], shape)
        mask = RNG.random(shape) < 0.9 if turn % 3 == 1 else None
        if turn % 3 == 2:
            image = with_nan(image)
        level = int(RNG.integers(0, highest))
        connected, turned = WAYS[turn % 4]
        taken += same_or_left(gpu, image, level, connected, turned, mask=mask)
    assert taken >= 35


def test_two_lines_that_are_open_on_one_pixel(gpu):
    """A mask leaves out a square beside a pixel of the level."""
    for _ in range(200):
        image, mask = RNG.integers(0, 3, (6, 6)), RNG.random((6, 6)) < 0.8
        same_or_left(gpu, image, 1, mask=mask)
    image = np.array([[0, 0, 0, 0], [2, 1, 2, 1], [0, 2, 1, 0]])
    mask = np.array([[0, 1, 1, 1], [1, 1, 1, 0], [1, 1, 1, 1]], bool)
    same(gpu, image, 1, mask=mask)


def test_what_hangs_on_lines_elsewhere_is_left_to_scikit_image(gpu):
    image = np.array([[1, 2, 2, 2, 2], [0, 0, 0, 1, 2], [1, 0, 2, 1, 2], [0, 1, 1, 2, 0]])
    mask = np.array([[1, 1, 1, 0, 1], [1, 1, 0, 1, 1], [1, 1, 1, 1, 1], [1, 0, 1, 1, 1]], bool)
    assert not same_or_left(gpu, image, 1, mask=mask)
    assert same_or_left(gpu, image, 1)


@pytest.mark.filterwarnings("ignore:invalid value encountered:RuntimeWarning")
@pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")
def test_infinite_pixels_end_lines(gpu):
    for values in ([0, 1, np.inf], [0, 1, -np.inf], [-np.inf, np.inf, 0, 2], [1e308, -1e308, 1]):
        for level in (0.5, 1):
            same(gpu, RNG.choice(np.array(values, float), (20, 30)), level)


def test_one_line_through_all_of_the_image(gpu, counting):
    """Rounds grow with the logarithm of its length."""
    path = np.pad(meander(101, 99), 1)
    (line,) = same(gpu, path, 0.5)
    assert len(line) > 10_000
    with counting() as counts:
        gpu(find_contours, path, 0.5)
    assert counts.launches <= 9 + 5


@pytest.mark.parametrize("image", [np.zeros((9, 9)), np.full((9, 9), np.nan)], ids=["zeros", "nan"])
def test_no_lines(gpu, image):
    assert same(gpu, image, 0.5) == []
    assert same(gpu.cupy, image, 0.5) == []
    with pytest.raises(Declined, match="level"):
        gpu(find_contours, np.full((9, 9), np.nan))


def test_the_levels_sum_wraps_as_numpys(gpu):
    image = noise(RNG, (20, 30), "uint8") + np.uint8(150)
    with pytest.warns(RuntimeWarning, match="overflow"):
        expected = find_contours(image)
    with pytest.warns(RuntimeWarning, match="overflow"):
        found = gpu(find_contours, image)
    assert len(found) == len(expected)


def test_lines_of_device_arrays_are_there(gpu, enabled):
    lines = find_contours(cp.asarray(COINS), 100.5)
    expected = find_contours(COINS, 100.5)
    assert all(type(line) is cp.ndarray and line.flags.c_contiguous for line in lines)
    assert len(lines) == len(expected)
    np.testing.assert_array_equal(lines[0].get(), expected[0])


def test_what_is_refused(gpu):
    image = RNG.random((9, 9))
    for wrong in (image[:1], image[:, :1], image[None], image[0]):
        assert gpu.invalid(find_contours, wrong, 0.5)
    for options in (
        {"fully_connected": "no"},
        {"positive_orientation": 1},
        {"mask": image},
        {"mask": image[:3] > 0},
        {"mask": 1},
    ):
        assert gpu.invalid(find_contours, image, 0.5, **options)
    assert "level" in gpu.declined(find_contours, image, "0.5")


def test_more_segments_than_indices_are_declined(gpu, monkeypatch):
    monkeypatch.setattr(room, "_MOST_SEGMENTS", 10)
    with pytest.raises(Declined, match="a part of it"):
        gpu(find_contours, COINS, 100)


def test_launches_and_bytes(gpu, counting):
    image = ndi.gaussian_filter(RNG.random((256, 320)), 3).astype("f4")
    points = sum(map(len, gpu(find_contours, image, 0.5)))
    with counting() as counts:
        gpu(find_contours, image, 0.5)
    rounds = -(-points.bit_length() // 3)
    assert counts.launches <= 9 + rounds
    moved = counts.kernel_bytes_read + counts.kernel_bytes_written
    assert moved <= 2 * image.nbytes + points * (200 + 32 * rounds)
    assert counts.to_host == 4  # two numbers, ends of lines, and all points at once


@pytest.mark.parametrize("order", ["forward", "backward", "shuffled"])
def test_any_order_of_threads(gpu, strict, monkeypatch, order):
    monkeypatch.setenv("CUDA_SIMULATOR_ORDER", order)
    same(gpu, RNG.random((40, 50)), 0.5)
    same_or_left(gpu, RNG.integers(0, 4, (20, 1100)), 1, mask=RNG.random((20, 1100)) < 0.9)
    same(gpu, meander(41, 39), 0.5)
