"""Co-occurrence matrices on the device: scikit-image's numbers."""

import numpy as np
import pytest
from skimage import data
from skimage.feature import graycomatrix, graycoprops

import cuda_simulator
from tests.functions.feature.textures import equal, layouts
from tests.functions.images import INTEGERS

RNG = np.random.default_rng(0)
PROPERTIES = "contrast dissimilarity homogeneity ASM energy mean variance std entropy correlation"
ANGLES = [0, 0.7, np.pi / 4, np.pi / 2, 3 * np.pi / 4, 4]


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
    monkeypatch.setattr(
        "skimage_gpu_backend.functions.feature.cooccurrence.resident_blocks", lambda threads: 6
    )
    image = RNG.integers(0, 30, (40, 50), np.uint8)
    matrices = graycomatrix(image, [1], [0, 1, 2], 30)
    for order in ("forward", "backward", "shuffled"):
        with cuda_simulator.thread_order(order):
            equal(gpu, graycomatrix, image, [1], [0, 1, 2], 30, symmetric=True)
            equal(gpu, graycomatrix, image, [1], [0, 1])
            result = gpu(graycoprops, matrices, "correlation")
            np.testing.assert_allclose(result, graycoprops(matrices, "correlation"), rtol=1e-10)
