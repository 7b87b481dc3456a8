"""Hessians on the device, their determinants, and the shape index."""

import functools

import numpy as np
import pytest
from skimage import data
from skimage.feature import hessian_matrix, hessian_matrix_det, shape_index

import cuda_simulator
from tests.functions.filter_agreement import BORDERS, MODES, agree, same
from tests.functions.images import INTEGERS

CAMERA = data.camera()[90:131, :53]


OF_HESSIAN = [
    (hessian_matrix, {"use_gaussian_derivatives": False}),
    (hessian_matrix_det, {"approximate": False}),
    (shape_index, {}),
]
functions_of_hessians = pytest.mark.parametrize(
    ("function", "options"), OF_HESSIAN, ids=[function.__name__ for function, _ in OF_HESSIAN]
)


@functions_of_hessians
@pytest.mark.parametrize("dtype", ["bool", *INTEGERS, "float32", "float64"])
def test_hessians_of_every_dtype_and_layout(gpu_of_each_kind, function, options, dtype):
    """Flat parts of a mask too, where the shape index is not a number."""
    image = CAMERA > 90 if dtype == "bool" else CAMERA // 2
    image = image.astype(dtype)
    for layout in (image, np.asfortranarray(image), image[::-2, 1::3]):
        with np.errstate(invalid="ignore"):
            same(gpu_of_each_kind, function, layout, **options)


@functions_of_hessians
@pytest.mark.parametrize("sigma", [0, 0.5, 2, 4.1, (1, 3), 5, (9, 2), (1, 29)])
def test_hessians_are_scikit_images_to_the_last_bit(gpu, function, options, sigma):
    for image in (CAMERA, (CAMERA / 255).astype(np.float32)):
        found, expected = (run(image, sigma, **options) for run in (at(gpu, function), function))
        if function is shape_index:
            agree(found, expected)  # but for the arc tangent
        elif function is hessian_matrix and (image.dtype == np.float32 or sigma not in (5, (9, 2))):
            np.testing.assert_array_equal(found, expected)
        else:  # in double, large Gaussians along the first axis add in another order
            agree(np.asarray(found), np.asarray(expected))


def at(gpu, function):
    return lambda *args, **kwargs: gpu(function, *args, **kwargs)


@pytest.mark.parametrize("dtype", ["bool", *INTEGERS, "float32", "float64"])
@pytest.mark.parametrize("sigma", [0.4, 1, 2.5, 10, 30])
def test_determinants_by_boxes(gpu_of_each_kind, dtype, sigma):
    image = (CAMERA > 90 if dtype == "bool" else CAMERA // 2).astype(dtype)
    for layout in (image, np.asfortranarray(image), image[::-2, 1::3], image[:1], image[:, :1]):
        same(gpu_of_each_kind, hessian_matrix_det, layout, sigma)


def test_launches_of_determinants_by_boxes(gpu, counting):
    with counting() as counts:
        gpu(hessian_matrix_det, data.camera(), 3)
    assert counts.launches == 3


@pytest.mark.parametrize("mode", MODES)
def test_modes_of_hessians(gpu, mode):
    for sigma in (0.5, 3, 5):
        same(gpu, shape_index, CAMERA, sigma, mode=mode, cval=0.7)


@pytest.mark.parametrize("length", BORDERS[1:])
def test_hessians_where_tiles_end(gpu, length):
    image = np.random.default_rng(length).random((129, 129))
    for shape in ((length, 19), (19, length)):
        part = image[: shape[0], : shape[1]]
        same(gpu, hessian_matrix, part, order="xy", use_gaussian_derivatives=False)


def test_a_hessian_warns_of_its_default(gpu):
    with pytest.warns(FutureWarning, match="use_gaussian_derivatives currently"):
        gpu(hessian_matrix, CAMERA)


def test_hessians_that_are_left_to_others(gpu):
    assert "box" in gpu.declined(hessian_matrix_det, CAMERA, 0.3)
    assert "number" in gpu.declined(hessian_matrix_det, CAMERA, (1, 2))
    assert "axes" in gpu.declined(shape_index, np.zeros((4, 5, 6)))
    assert "axes" in gpu.declined(hessian_matrix, np.zeros((2,) * 6))
    assert gpu.invalid(hessian_matrix, np.zeros(6))
    by_derivatives = functools.partial(gpu.declined, hessian_matrix, use_gaussian_derivatives=True)
    assert "constant" in by_derivatives(CAMERA, cval=1)
    assert "21" in by_derivatives(CAMERA, sigma=(1, 22))
    assert "positive" in by_derivatives(CAMERA, sigma=0)
    assert "axes" in by_derivatives(np.zeros((3, 4, 5, 6)))
    assert gpu.invalid(hessian_matrix, CAMERA[:1])
    assert gpu.invalid(shape_index, CAMERA, sigma=-1)


@functions_of_hessians
@pytest.mark.parametrize("dtype", ["uint8", "float32"])
@pytest.mark.parametrize(("sigma", "launches"), [(1, 1), (4, 1), (6, 2), (30, 2), (31, 3)])
def test_launches_of_hessians(gpu, counting, function, options, dtype, sigma, launches):
    image = data.camera().astype(dtype)
    with counting() as counts, np.errstate(invalid="ignore"):
        results = gpu(function, image, sigma, **options)
    assert counts.launches == launches
    results = np.asarray(results)
    between = (launches - 1) * image.size * results.itemsize
    assert counts.kernel_bytes_read == image.nbytes + between
    assert counts.kernel_bytes_written == results.nbytes + between


def test_no_hessian_depends_on_the_order_of_threads(gpu, monkeypatch, strict):
    expected = hessian_matrix(CAMERA, use_gaussian_derivatives=False)
    monkeypatch.setattr("skimage_gpu_backend.device.kernels.resident_blocks", lambda threads: 2)
    for order in ("forward", "backward", "shuffled"):
        with cuda_simulator.thread_order(order):
            found = gpu(hessian_matrix, CAMERA, use_gaussian_derivatives=False)
        np.testing.assert_array_equal(found, expected)
