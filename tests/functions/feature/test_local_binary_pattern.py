"""Local binary patterns on the device: scikit-image's numbers."""

import warnings

import numpy as np
import pytest
from skimage import data
from skimage.feature import local_binary_pattern, multiblock_lbp
from skimage.transform import integral_image

from tests.functions.feature.textures import equal, layouts
from tests.functions.images import DTYPES

RNG = np.random.default_rng(0)
METHODS = ["default", "ror", "uniform", "nri_uniform", "var"]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("shape", [(1, 1), (1, 300), (300, 1), (2, 3), (31, 70)])
def test_patterns_of_every_shape_are_equal(gpu_of_each_kind, method, shape):
    for image in (RNG.integers(0, 9, shape, np.uint8), RNG.random(shape)):
        for points, radius in ((8, 1), (5, 0.3), (31, 4.7), (1, 90)):
            equal(gpu_of_each_kind, local_binary_pattern, image, points, radius, method)


@pytest.mark.parametrize("dtype", DTYPES)
@layouts
def test_patterns_of_every_type_and_layout(gpu, dtype, layout):
    image = layout(RNG.integers(0, 2 if dtype == "bool" else 90, (40, 50)).astype(dtype))
    equal(gpu, local_binary_pattern, image, 8, 1.5, "uniform")


@pytest.mark.parametrize("points", [32, 33, 90, 127])
def test_weights_beyond_the_bits_of_an_integer(gpu, points):
    for method in ("default", "nri_uniform", "uniform"):
        equal(gpu, local_binary_pattern, RNG.integers(0, 9, (20, 30)), points, 2, method)


@pytest.mark.parametrize("radius", [np.uint8(2), np.uint64(3), np.int8(-2), np.float16(1.7)])
def test_a_radius_of_any_type(gpu, radius):
    equal(gpu, local_binary_pattern, RNG.integers(0, 9, (20, 30)), 8, radius)
    equal(gpu, local_binary_pattern, RNG.integers(0, 9, (20, 30)), 8, np.True_)


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "float16", "float32"])
@pytest.mark.parametrize("contrast", [1, 1e-3, 1e-6])
def test_neighbours_that_single_precision_does_not_tell_from_the_pixel(gpu, dtype, contrast):
    """Each ninth pixel's neighbour between it and three others is as it but for rounding."""
    right = 0.70711  # and below: of the second of eight
    image = 1 + contrast * RNG.random((60, 90))
    pixel, beside, under = (image[y::3, x::3] for y, x in ((1, 1), (1, 2), (2, 1)))
    image[2::3, 2::3] = pixel - (1 - right) / right * (beside + under - 2 * pixel)
    image = image / 4 if dtype.startswith("float") else np.iinfo(dtype).max / 4 * image
    for scale in (1, 1e-34) if dtype == "float32" else (1,):
        equal(gpu, local_binary_pattern, (scale * image).astype(dtype), 8, 1)


def test_patterns_of_nan_and_infinities(gpu):
    image = RNG.random((20, 30))
    image[3, 4], image[8, 9], image[15, 2] = np.nan, np.inf, -np.inf
    for method in METHODS:
        equal(gpu, local_binary_pattern, image, 8, 1.5, method)


def test_patterns_of_floating_images_warn_as_scikit_image_does(gpu):
    with pytest.warns(UserWarning, match="unexpected results"):
        gpu(local_binary_pattern, np.zeros((4, 5)), 8, 1)


def test_arguments_of_patterns_that_are_not_taken(gpu):
    image = np.zeros((6, 7), np.uint8)
    assert gpu.invalid(local_binary_pattern, image, 8, 1, "no such")
    assert gpu.invalid(local_binary_pattern, image[0], 8, 1)
    assert gpu.invalid(local_binary_pattern, image[:0], 8, 1)
    assert "from 1" in gpu.declined(local_binary_pattern, image, 128, 1)
    assert "overflow" in gpu.declined(local_binary_pattern, image, 32, 1, "ror")


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "uint8"])
def test_multiblock_patterns(gpu, dtype):
    sums = integral_image(RNG.integers(0, 3, (20, 30))).astype(dtype)
    for place in ((0, 0, 4, 3), (2, 3, 9, 6), (17, 27, 1, 1), (0, 5, 1, 6), (7, 0, 2, 4)):
        equal(gpu.cupy, multiblock_lbp, sums, *place)
    assert "within" in _declined_on_device(gpu, sums, 18, 0, 1, 1)
    assert "36 numbers" in gpu.declined(multiblock_lbp, sums, 0, 0, 1, 1)


def _declined_on_device(gpu, sums, *place):
    import cupy as cp

    return gpu.declined(multiblock_lbp, cp.asarray(sums), *place)


@pytest.mark.parametrize("dtype", ["uint8", "float32"])
def test_launches_and_bytes_of_patterns(gpu, counting, dtype):
    image = data.camera().astype(dtype)
    with warnings.catch_warnings(), counting() as counts:
        warnings.simplefilter("ignore")
        gpu(local_binary_pattern, image, 8, 1)
    assert counts.launches == 1
    assert counts.kernel_bytes_read == image.nbytes
    assert counts.kernel_bytes_written == 8 * image.size
