"""Corner responses on the device: Harris', Shi and Tomasi's, Foerstner's, Kitchen's."""

import numpy as np
import pytest
from skimage import data
from skimage.feature import (
    corner_foerstner,
    corner_harris,
    corner_kitchen_rosenfeld,
    corner_shi_tomasi,
    structure_tensor,
)

import cuda_simulator
from tests.functions.filter_agreement import BORDERS, MODES, same
from tests.functions.images import INTEGERS, low_contrast

BY_TENSOR = [corner_harris, corner_shi_tomasi, corner_foerstner]
RESPONSES = [*BY_TENSOR, corner_kitchen_rosenfeld]
CAMERA = data.camera()[90:131, :53]


@pytest.mark.parametrize("function", RESPONSES)
@pytest.mark.parametrize("dtype", ["bool", *INTEGERS, "float32", "float64"])
def test_every_dtype_and_layout(gpu_of_each_kind, function, dtype):
    image = CAMERA > 90 if dtype == "bool" else CAMERA // 2
    image = image.astype(dtype)
    for layout in (image, np.asfortranarray(image), image[::-2, 1::3]):
        same(gpu_of_each_kind, function, layout)


@pytest.mark.parametrize("function", BY_TENSOR)
@pytest.mark.parametrize("sigma", [0, 0.3, 2, 3, 4, 4.1, 6, (1, 4), (0, 2)])
def test_sigmas_around_what_fits_on_the_chip(gpu, function, sigma):
    same(gpu, function, CAMERA, sigma=sigma)
    same(gpu, function, CAMERA.astype(np.float32), sigma=sigma)


@pytest.mark.parametrize("sigma", [0, 0.3, 1, (0.5, 3), 4.1, 31])
@pytest.mark.parametrize("name", low_contrast())
def test_single_precision_is_scikit_images_to_the_last_bit(gpu, name, sigma):
    """Responses are differences of numbers that are nearly equal."""
    image = low_contrast()[name]
    for function, arguments in (
        (structure_tensor, {}),
        (corner_harris, {}),
        (corner_harris, {"method": "eps"}),
        (corner_shi_tomasi, {}),
        (corner_foerstner, {}),
    ):
        found = gpu(function, image, sigma=sigma, **arguments)
        np.testing.assert_array_equal(found, function(image, sigma=sigma, **arguments))


@pytest.mark.parametrize("parameters", [{"k": 0.2}, {"method": "eps", "eps": 1e-3}])
def test_parameters_of_harris(gpu, parameters):
    same(gpu, corner_harris, CAMERA, **parameters)
    single, wide = CAMERA.astype(np.float32), {**parameters, "k": np.float64(1)}
    if "eps" in parameters:
        wide["eps"] = np.float64(1)
    assert "wider" in gpu.declined(corner_harris, single, **wide)


@pytest.mark.parametrize("length", BORDERS)
def test_lengths_at_which_tiles_end(gpu, length):
    image = np.random.default_rng(length).random((129, 129))
    for shape in ((length, 19), (19, length)):
        same(gpu, corner_kitchen_rosenfeld, image[: shape[0], : shape[1]])
        if length > 1:
            same(gpu, corner_foerstner, image[: shape[0], : shape[1]])


@pytest.mark.parametrize("mode", MODES)
def test_modes_of_kitchen_rosenfeld(gpu, mode):
    """Flat elements too, in floating images: the sums are scikit-image's to the last bit."""
    for image in (CAMERA, CAMERA / 255, (CAMERA / 255).astype(np.float32)):
        result = gpu(corner_kitchen_rosenfeld, image, mode=mode)
        np.testing.assert_array_equal(result, corner_kitchen_rosenfeld(image, mode=mode))


@pytest.mark.parametrize("function", BY_TENSOR)
def test_flat_and_drawn_images(gpu, function):
    square = np.zeros((40, 45))
    square[11:23, 9:30] = 0.7
    for image in (square, np.full((20, 21), 0.4), np.eye(30)):
        same(gpu, function, image)


@pytest.mark.parametrize("function", RESPONSES)
def test_calls_that_are_left_to_others(gpu, function):
    assert "2-D" in gpu.declined(function, np.zeros((4, 5, 6)))
    assert "empty" in gpu.declined(function, np.zeros((0, 6)))
    if function is corner_kitchen_rosenfeld:
        assert "constant" in gpu.declined(function, CAMERA, cval=1)
        assert gpu.invalid(function, CAMERA, mode="no such")
    else:
        assert gpu.invalid(function, np.zeros((1, 6)))
        assert gpu.invalid(function, CAMERA, sigma=-1)


@pytest.mark.parametrize("dtype", ["uint8", "float32"])
@pytest.mark.parametrize("function", RESPONSES)
def test_one_launch_reads_the_image_once(gpu, counting, function, dtype):
    image = data.camera().astype(dtype)
    with counting() as counts:
        results = gpu(function, image)
    assert counts.launches == 1
    assert counts.kernel_bytes_read == image.nbytes
    size = np.asarray(results).nbytes
    assert size <= counts.kernel_bytes_written <= size + 8


@pytest.mark.parametrize("function", [corner_foerstner, corner_kitchen_rosenfeld])
def test_no_result_depends_on_the_order_of_threads(gpu, monkeypatch, strict, function):
    monkeypatch.setattr("skimage_gpu_backend.device.kernels.resident_blocks", lambda threads: 2)
    for order in ("forward", "backward", "shuffled"):
        with cuda_simulator.thread_order(order):
            np.testing.assert_array_equal(gpu(function, CAMERA), function(CAMERA))


@pytest.mark.parametrize("function", BY_TENSOR)
def test_launches_of_large_gaussians(gpu, counting, function):
    with counting() as counts:
        gpu(function, data.camera(), sigma=6)
    assert counts.launches == 3
