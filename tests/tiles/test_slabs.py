"""Regions, and lines, of images that do not fit on the device are those of the whole image."""

import numpy as np
import pytest
from skimage.measure import label
from skimage.transform import hough_line

from skimage_gpu_backend.tiles import start
from tests.functions.images import noise

from .device import MEGABYTE, on_the_device, on_the_simulator, pieces

pytestmark = [on_the_simulator, pytest.mark.thorough]
RNG = np.random.default_rng(12)


@pytest.fixture(autouse=True)
def in_slabs(monkeypatch):
    """Large images do not fit, and come in slabs of a few rows, which the test counts."""
    seen = []

    def in_pieces(images, free, call, beside=None):
        found = own(images, 24 * (beside + 8) * images[0][0].size, call, beside)
        seen.append(len(found[0]))
        return found

    own = start.in_pieces
    monkeypatch.setattr(start, "in_pieces", in_pieces)
    monkeypatch.setattr(start, "_reads_twice_and_fits", lambda call: False)
    monkeypatch.setenv("SKIMAGE_BACKENDS_MIN_SIZE", "0")
    with pieces(MEGABYTE, large=1):
        yield seen
    assert min(seen) > 2


def same(image, *args, **options):
    expected = label(image, *args, **options)
    found = on_the_device(label, image, *args, **options)
    np.testing.assert_array_equal(found, expected)
    assert found.dtype == expected.dtype


def worms(shape):
    """Regions that wind through many slabs, and meet where the last of them ends."""
    image = np.zeros(shape, np.uint8)
    image[:, ::2] = 1
    image[-1, : shape[1] // 2] = 1
    image[::7] *= RNG.integers(0, 2, shape[1], dtype=np.uint8)
    return image


@pytest.mark.parametrize("connectivity", [1, 2])
@pytest.mark.parametrize("density", [0.3, 0.5, 0.62])
def test_planes(density, connectivity):
    image = RNG.random((61, 47)) < density
    same(image, connectivity=connectivity)
    same(image * RNG.integers(1, 3, image.shape), connectivity=connectivity)
    same(worms((61, 47)), connectivity=connectivity, background=1)
    same(worms((61, 47)), connectivity=connectivity)


@pytest.mark.parametrize("connectivity", [1, 2, 3])
def test_volumes(connectivity):
    same(RNG.integers(0, 3, (19, 13, 11)), connectivity=connectivity)
    same(RNG.random((19, 13, 11)) < 0.35, connectivity=connectivity)


@pytest.mark.parametrize("dtype", ["uint64", "float32", "float16", "int8"])
def test_other_images(dtype):
    same((noise(RNG, (60,), "uint8") % 2).astype(dtype))
    same((RNG.normal(size=(40, 50)) * 2).astype(dtype))
    same(np.zeros((40, 50), dtype))


def test_the_number_of_regions():
    image = RNG.random((61, 47)) < 0.5
    assert on_the_device(label, image, return_num=True)[1] == label(image, return_num=True)[1]


def test_device_arrays_give_device_arrays():
    import cupy as cp

    from skimage_gpu_backend import use_backends

    image = RNG.random((61, 47)) < 0.5
    with use_backends("gpu", output="cupy"):
        found = label(image)
    assert isinstance(found, cp.ndarray)
    np.testing.assert_array_equal(found.get(), label(image))


@pytest.mark.parametrize("dtype", ["bool", "uint8", "float32", "float64"])
def test_votes_for_lines(dtype):
    """Also at angles where doubles decide in which row of the accumulator a vote is."""
    special = np.deg2rad([0, 30, 45, 60, 90, -30, -60, 150])
    for image in (RNG.random((61, 47)) < 0.2, (RNG.random((47, 61)) < 0.7).T):
        for theta in (None, special):
            found = on_the_device(hough_line, image.astype(dtype), theta)
            for ours, theirs in zip(found, hough_line(image, theta), strict=True):
                assert ours.dtype == theirs.dtype
                np.testing.assert_array_equal(ours, theirs)
