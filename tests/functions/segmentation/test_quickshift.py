"""quickshift on the device gives scikit-image's labels, trees and densities."""

import numpy as np
import pytest
from skimage import data, util
from skimage.segmentation import quickshift

from tests.functions.images import DTYPES, noise

RNG = np.random.default_rng(7)
FACE = data.astronaut()[60:130:2, 190:280:2]
SMALL = {"kernel_size": 2, "max_dist": 4}


def same(run, image, exact=True, **options):
    expected = [np.asarray(part) for part in quickshift(image, return_tree=True, **options)]
    found = run(quickshift, image, return_tree=True, **options)
    for mine, its in zip(found, expected, strict=True):
        assert mine.dtype == its.dtype
        if its.dtype.kind == "i" or exact:
            np.testing.assert_array_equal(mine, its)
        else:
            np.testing.assert_allclose(mine, its, rtol=1e-4)
    labels = run(quickshift, image, **options)
    assert labels.dtype == np.int64
    np.testing.assert_array_equal(labels, expected[0])
    return expected[0]


@pytest.mark.parametrize("dtype", DTYPES)
def test_any_dtype(gpu_of_each_kind, dtype):
    image = noise(RNG, (21, 34, 3), dtype)
    ratio = 1 if dtype == "bool" or np.dtype(dtype).kind == "f" else 40
    assert same(gpu_of_each_kind, image, convert2lab=False, ratio=ratio, **SMALL).max() > 3


@pytest.mark.parametrize("dtype", ["uint8", "float64"])
@pytest.mark.parametrize("sigma", [0, 0.8, 6])
def test_photographs_in_lab(gpu, dtype, sigma):
    image = FACE if dtype == "uint8" else util.img_as_float(FACE)
    assert same(gpu, image, exact=False, sigma=sigma, kernel_size=2.5, ratio=0.7).max() > 1
    axis = np.moveaxis(image, -1, 0)
    same(gpu, axis, exact=False, sigma=sigma, channel_axis=0, **SMALL)


def test_photographs_in_single_precision(gpu):
    """Of the colours, whose roots NumPy takes otherwise on each CPU, few decide a parent."""
    image = util.img_as_float32(FACE)
    expected = np.asarray(quickshift(image, return_tree=True)[1])
    found = gpu(quickshift, image, return_tree=True)[1]
    assert (expected != found).mean() < 0.01


@pytest.mark.parametrize("shape", [(1, 1), (1, 40), (40, 1), (7,), (2, 50, 1), (12, 9, 5)], ids=str)
def test_any_shape(gpu, shape):
    for dtype in ("float32", "float64"):
        image = RNG.random(shape).astype(dtype)
        same(gpu, image, convert2lab=False, ratio=20.0, **SMALL)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("value", [0, 0.5], ids=str)
def test_noise_decides_flat_images(gpu, dtype, value):
    """Of equal distances the first one in raster order is taken."""
    image = np.full((30, 43, 2), value, dtype)
    for max_dist in (0, 1, 1.5, 10, np.inf, np.nan):
        same(gpu, image, convert2lab=False, kernel_size=1.2, max_dist=max_dist, rng=3)


def test_windows_larger_than_the_image(gpu):
    image = RNG.random((9, 14, 3))
    same(gpu, image, exact=False, kernel_size=40)
    same(gpu, image, convert2lab=False, kernel_size=40, max_dist=1000)


def test_a_long_way_to_the_root(gpu):
    """Densities that rise all along a row: each pixel hangs below the one beside it."""
    image = np.linspace(0, 1, 3000)[None, :, None] ** 0.2
    assert same(gpu, image, convert2lab=False, kernel_size=1, ratio=500.0).max() < 1000


def test_values_that_are_not_finite(gpu):
    for value in (np.nan, np.inf):
        image = RNG.random((20, 30, 1))
        image[7, 9] = value
        with np.errstate(invalid="ignore"):
            same(gpu, image, convert2lab=False, **SMALL)


def test_layouts(gpu_of_each_kind):
    image = RNG.random((20, 31, 3))
    for view in (np.asfortranarray(image), image[::-1, ::2], image[..., ::-1]):
        same(gpu_of_each_kind, view, convert2lab=False, ratio=9.0, **SMALL)


@pytest.mark.parametrize(
    "options",
    [
        {"image": RNG.random((5, 6, 7, 3))},
        {"image": RNG.random((5, 6))},
        {"image": RNG.random((5, 6, 4))},
        {"channel_axis": 3},
        {"kernel_size": 0.9},
        {"sigma": -1},
        {"rng": -1},
        {"rng": 2**31},
    ],
    ids=str,
)
def test_what_scikit_image_refuses_it_refuses_itself(gpu, options):
    options = dict(options)
    image = options.pop("image", RNG.random((5, 6, 3)))
    with pytest.raises((ValueError, OverflowError)):
        quickshift(image, **options)
    assert gpu.invalid(quickshift, image, **options)


def test_what_is_left_to_scikit_image(gpu):
    image = RNG.random((5, 6, 3))
    assert "empty" in gpu.declined(quickshift, image[:0])
    assert "rng" in gpu.declined(quickshift, image, rng=np.random.default_rng(1))
    assert "kernel_size" in gpu.declined(quickshift, image, kernel_size=1e6)
    assert "ratio" in gpu.declined(quickshift, image.astype("f"), ratio=np.float64(0.5))
    assert "max_dist" in gpu.declined(quickshift, image, max_dist=None)


def test_launches_and_bytes_do_not_depend_on_the_image(gpu, counting):
    rows, columns = 64, 96
    pixels = rows * columns
    for image in (np.zeros((rows, columns, 3)), RNG.random((rows, columns, 3))):
        with counting() as counts:
            gpu.cupy(quickshift, image, kernel_size=1)
        assert counts.launches == 5
        # to Lab, then a density, an index (shortened at the end) and a label a pixel, and ranks
        assert counts.kernel_bytes_written <= pixels * (24 + 8 + 4 + 4 + 8) + 8192 + 64
        with counting() as counts:
            gpu.cupy(quickshift, image, kernel_size=1, sigma=1, ratio=0.5)
        assert counts.launches == 7
