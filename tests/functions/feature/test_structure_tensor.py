"""Structure tensors on the device."""

import numpy as np
import pytest
from skimage import data
from skimage.feature import structure_tensor

import cuda_simulator
from tests.functions.filter_agreement import BORDERS, MODES, same
from tests.functions.images import INTEGERS

CAMERA = data.camera()[90:131, :53]


@pytest.mark.parametrize("dtype", ["bool", *INTEGERS, "float32", "float64"])
def test_tensor_of_every_dtype_and_layout(gpu_of_each_kind, dtype):
    image = CAMERA > 90 if dtype == "bool" else CAMERA // 2
    image = image.astype(dtype)
    for layout in (image, np.asfortranarray(image), image[::-2, 1::3]):
        same(gpu_of_each_kind, structure_tensor, layout)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("sigma", [0, 0.5, (3, 1), 6, (2, 29), (9, 1), 31])
def test_tensor_modes(gpu, mode, sigma):
    same(gpu, structure_tensor, CAMERA, sigma, mode=mode)
    # smaller than the halo
    same(gpu, structure_tensor, CAMERA[:3, :5], sigma, mode=mode)


@pytest.mark.parametrize("length", BORDERS[1:])
def test_tensor_where_tiles_end(gpu, length):
    image = np.random.default_rng(length).random((129, 129))
    for shape in ((length, 19), (19, length)):
        same(gpu, structure_tensor, image[: shape[0], : shape[1]], order="xy")


def test_tensor_of_axes_of_length_one(gpu):
    same(gpu, structure_tensor, CAMERA[np.newaxis])
    assert gpu.invalid(structure_tensor, CAMERA[:1])
    assert gpu.invalid(structure_tensor, CAMERA[np.newaxis], sigma=(1, 2, 3))


def test_tensor_spreads_nan_and_infinity_as_scipy_does(gpu):
    for value in (np.nan, np.inf):
        image = CAMERA / 255
        image[20, 30] = value
        with np.errstate(invalid="ignore"):
            same(gpu, structure_tensor, image, 2)


def test_tensors_that_are_left_to_others(gpu):
    assert "constant" in gpu.declined(structure_tensor, CAMERA, cval=0.5)
    assert "axes" in gpu.declined(structure_tensor, np.zeros((2, 3, 4, 5)))
    assert "empty" in gpu.declined(structure_tensor, np.zeros((0, 5, 6)))
    assert gpu.invalid(structure_tensor, np.zeros((2,) * 6))
    for wrong in ({"order": "no such"}, {"mode": "no such"}, {"sigma": -1}, {"sigma": (1, 2, 3)}):
        assert gpu.invalid(structure_tensor, CAMERA, **wrong)


@pytest.mark.parametrize("dtype", ["uint8", "float32"])
@pytest.mark.parametrize(("sigma", "launches"), [(1, 1), (4, 1), (6, 2), (30, 2), (31, 3)])
def test_launches_of_the_tensor(gpu, counting, dtype, sigma, launches):
    image = data.camera().astype(dtype)
    with counting() as counts:
        results = gpu(structure_tensor, image, sigma)
    assert counts.launches == launches
    assert counts.kernel_bytes_read == image.nbytes + (launches - 1) * 3 * results[0].nbytes
    assert counts.kernel_bytes_written == launches * 3 * results[0].nbytes


def test_no_tensor_depends_on_the_order_of_threads(gpu, monkeypatch, strict):
    expected = structure_tensor(CAMERA)
    monkeypatch.setattr("skimage_gpu_backend.device.kernels.resident_blocks", lambda threads: 2)
    for order in ("forward", "backward", "shuffled"):
        with cuda_simulator.thread_order(order):
            for ours, theirs in zip(gpu(structure_tensor, CAMERA), expected, strict=True):
                np.testing.assert_array_equal(ours, theirs)
