"""Local binary patterns and co-occurrence matrices on the device: scikit-image's numbers."""

import warnings

import numpy as np
import pytest
from skimage import data
from skimage.feature import graycomatrix, graycoprops, local_binary_pattern, multiblock_lbp
from skimage.transform import integral_image

from skimage_gpu_backend import simulator

from .images import DTYPES, INTEGERS

RNG = np.random.default_rng(0)
METHODS = ["default", "ror", "uniform", "nri_uniform", "var"]
PROPERTIES = "contrast dissimilarity homogeneity ASM energy mean variance std entropy correlation"
ANGLES = [0, 0.7, np.pi / 4, np.pi / 2, 3 * np.pi / 4, 4]
LAYOUTS = {"C": lambda a: a, "F": np.asfortranarray, "sliced": lambda a: a[::-2, ::3]}
layouts = pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)


def equal(gpu, function, *args, **kwargs):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = function(*args, **kwargs)
        result = gpu(function, *args, **kwargs)
    assert type(result) is type(expected)
    np.testing.assert_array_equal(result, expected, strict=isinstance(expected, np.ndarray))


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
    assert "inside" in _declined_on_device(gpu, sums, 18, 0, 1, 1)
    assert "36 numbers" in gpu.declined(multiblock_lbp, sums, 0, 0, 1, 1)


def _declined_on_device(gpu, sums, *place):
    import cupy as cp

    return gpu.declined(multiblock_lbp, cp.asarray(sums), *place)


@pytest.mark.parametrize("dtype", INTEGERS)
@layouts
def test_matrices_of_every_type_and_layout(gpu_of_each_kind, dtype, layout):
    image = layout(RNG.integers(0, 100, (40, 50)).astype(dtype))
    for levels in (100, 130):  # in shared memory, and too many for it
        for more in ({}, {"symmetric": True}, {"normed": True, "symmetric": True}):
            equal(gpu_of_each_kind, graycomatrix, image, [1, 3, 2.6], ANGLES, levels, **more)


@pytest.mark.parametrize("shape", [(1, 1), (1, 90), (90, 1), (33, 257)])
@pytest.mark.parametrize("normed", [False, True])
def test_matrices_of_every_shape(gpu, shape, normed):
    image = RNG.integers(0, 7, shape, np.uint8)
    for levels in (None, 7):
        equal(gpu, graycomatrix, image, [0, 1, 40], ANGLES, levels, normed=normed)


def test_matrices_of_even_images(gpu):
    image = np.full((50, 60), 3, np.uint8)
    equal(gpu, graycomatrix, image, [1], [0, 1], 8)
    equal(gpu, graycomatrix, image, [1], [0, 1])


@pytest.mark.parametrize("value", [-1, 7, 300])
@pytest.mark.parametrize("offset", [0, 90])
def test_values_beyond_the_levels_are_refused_as_by_scikit_image(gpu, value, offset):
    image = np.zeros((20, 30), np.int32)
    image[-1, -1] = value
    with pytest.raises(ValueError) as expected:
        graycomatrix(image, [offset], [0], 7)
    with pytest.raises(ValueError, match=str(expected.value)):
        gpu(graycomatrix, image, [offset], [0], 7)


@pytest.mark.parametrize("prop", PROPERTIES.split())
@pytest.mark.parametrize("dtype", ["uint32", "float64", "float32", "uint8"])
def test_properties(gpu_of_each_kind, prop, dtype):
    for levels, image in ((256, data.camera()[::4, ::4]), (5, RNG.integers(0, 5, (9, 10)))):
        matrices = graycomatrix(image, [1, 2], ANGLES, levels, normed=dtype[0] == "f")
        matrices = matrices.astype(dtype)
        matrices[..., 0, 1] = 0
        for each in (matrices, matrices.transpose(1, 0, 3, 2)):
            expected = graycoprops(each, prop)
            result = gpu_of_each_kind(graycoprops, each, prop)
            assert result.dtype == expected.dtype
            np.testing.assert_allclose(result, expected, rtol=1e-10, atol=1e-12)


def test_arguments_of_matrices_that_are_left_to_scikit_image(gpu):
    image = np.zeros((6, 7), np.uint8)
    assert gpu.invalid(graycomatrix, image.astype(float), [1], [0], 8)
    assert gpu.invalid(graycomatrix, image.astype("i4"), [1], [0])
    assert gpu.invalid(graycomatrix, image, [], [0])
    assert gpu.invalid(graycomatrix, image, [1], np.zeros((1, 1)))
    assert gpu.invalid(graycoprops, np.zeros((3, 4, 1, 1)))
    assert gpu.invalid(graycoprops, np.zeros((3, 3, 1, 1)), "no such")
    assert "large" in gpu.declined(graycomatrix, image, [1], [0], 1 << 20)


@pytest.mark.parametrize("dtype", ["uint8", "float32"])
def test_launches_and_bytes_of_patterns(gpu, counting, dtype):
    image = data.camera().astype(dtype)
    with warnings.catch_warnings(), counting() as counts:
        warnings.simplefilter("ignore")
        gpu(local_binary_pattern, image, 8, 1)
    assert counts.launches == 1
    assert counts.kernel_bytes_read == image.nbytes
    assert counts.kernel_bytes_written == 8 * image.size


def test_launches_and_bytes_of_matrices(gpu, counting):
    image = data.camera()
    with counting() as counts:
        matrices = gpu(graycomatrix, image, [1, 2], [0, 1], symmetric=True)
    assert counts.launches == 1
    assert counts.to_host == 1
    assert counts.kernel_bytes_read == image.nbytes + 4 * 16
    assert counts.kernel_bytes_written == matrices.nbytes + 4
    with counting() as counts:
        gpu(graycomatrix, image, [1], [0], normed=True)
    assert counts.launches == 2
    with counting() as counts:
        gpu(graycoprops, matrices, "correlation")
    assert counts.launches == 1
    assert counts.kernel_bytes_read == matrices.nbytes
    assert counts.kernel_bytes_written == 4 * 8


def test_no_result_depends_on_the_order_of_threads(gpu, monkeypatch, strict):
    monkeypatch.setattr("skimage_gpu_backend.device.kernels.resident_blocks", lambda threads: 2)
    monkeypatch.setattr("skimage_gpu_backend.ops._cooccurrence.resident_blocks", lambda threads: 6)
    image = RNG.integers(0, 30, (40, 50), np.uint8)
    matrices = graycomatrix(image, [1], [0, 1, 2], 30)
    for order in ("forward", "backward", "shuffled"):
        with simulator.thread_order(order):
            equal(gpu, graycomatrix, image, [1], [0, 1, 2], 30, symmetric=True)
            equal(gpu, graycomatrix, image, [1], [0, 1])
            result = gpu(graycoprops, matrices, "correlation")
            np.testing.assert_allclose(result, graycoprops(matrices, "correlation"), rtol=1e-10)
