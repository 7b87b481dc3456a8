"""Structure tensors and Hessians of volumes and of more axes, and by derivatives of Gaussians."""

import numpy as np
import pytest
from skimage import data
from skimage.feature import hessian_matrix, hessian_matrix_det, structure_tensor

import cuda_simulator
from skimage_gpu_backend.trouble import Declined
from tests.functions.filter_agreement import BORDERS, MODES, same
from tests.functions.images import INTEGERS

CAMERA = data.camera()[90:131, :53]
RNG = np.random.default_rng(5)
NOISE = RNG.random((11, 13, 39))
# a photograph, moved from plane to plane: neighbours are alike
VOLUME = np.stack([data.camera()[90 + k : 112 + k, : 2 * 19 : 2] for k in range(13)]) // 2
FOUR = RNG.random((4, 5, 6, 17))
FIVE = RNG.random((2, 3, 4, 5, 6))

DIFFERENCES = {"use_gaussian_derivatives": False}
DERIVATIVES = {"use_gaussian_derivatives": True}
FUNCTIONS = {
    "differences": (hessian_matrix, DIFFERENCES),
    "derivatives": (hessian_matrix, DERIVATIVES),
    "determinant": (hessian_matrix_det, {}),
    "tensor": (structure_tensor, {}),
}
each_function = pytest.mark.parametrize(("function", "options"), FUNCTIONS.values(), ids=FUNCTIONS)


@each_function
@pytest.mark.parametrize("dtype", ["bool", *INTEGERS, "float16", "float32", "float64"])
def test_volumes_of_every_dtype_and_layout(gpu_of_each_kind, function, options, dtype):
    image = VOLUME > 45 if dtype == "bool" else VOLUME
    image = image.astype(dtype)
    for layout in (image, np.asfortranarray(image), image[::-2, :, 1::3]):
        same(gpu_of_each_kind, function, layout, **options)


@pytest.mark.parametrize("mode", MODES)
def test_modes_and_sigmas_of_each_axis(gpu, mode):
    for image in (NOISE, VOLUME.astype(np.float32), NOISE[:2, :3, :4]):
        for sigma in (0.7, (2, 0.5, 1), (1, 6, 3)):
            same(gpu, hessian_matrix, image, sigma, mode=mode, **DERIVATIVES)
            same(gpu, hessian_matrix, image, sigma, mode=mode, cval=0.7, **DIFFERENCES)
            same(gpu, structure_tensor, image, sigma, mode=mode)


@pytest.mark.parametrize("sigma", [0, 1, 3, 4.1, 6, 12, 29, 31])
def test_differences_in_single_precision_are_scikit_images_to_the_last_bit(gpu, sigma):
    """They are small beside the smoothed elements: nothing else would be within the bound."""
    plane = (data.camera()[90:190, :153] / 255).astype(np.float32)
    for image in (plane, (VOLUME / 255).astype(np.float16), NOISE.astype(np.float32)):
        found = gpu(hessian_matrix, image, sigma, **DIFFERENCES)
        np.testing.assert_array_equal(found, hessian_matrix(image, sigma, **DIFFERENCES))


@pytest.mark.parametrize("image", [FOUR, FIVE, FOUR.astype("f4"), RNG.random((2, 2, 2))])
def test_more_axes(gpu, image):
    for sigma in (0, 1, range(image.ndim)):
        same(gpu, hessian_matrix, image, sigma, **DIFFERENCES)
        same(gpu, hessian_matrix_det, image, sigma)


def test_determinants_of_odd_matrices(gpu):
    flat = np.zeros((5, 6, 7))
    ramp = flat + np.arange(7) ** 2
    for image in (flat, ramp):
        assert not gpu(hessian_matrix_det, image, 0).any()
    # its first element is tiny: no pivot
    z, y, x = np.mgrid[:7, :8, :9].astype(float)
    bowl = 2.0**-41 * z**2 + (y**2 + x**2) / 2 + 3 * z * y + z * x + 2 * y * x
    same(gpu, hessian_matrix_det, bowl, 0)
    with np.errstate(invalid="ignore"):
        same(gpu, hessian_matrix_det, np.where(NOISE > 0.97, np.nan, NOISE), 0)


@pytest.mark.parametrize("dtype", ["bool", *INTEGERS, "float16", "float32", "float64"])
@pytest.mark.parametrize("order", ["rc", "xy"])
def test_planes_by_derivatives(gpu_of_each_kind, dtype, order):
    image = CAMERA > 90 if dtype == "bool" else CAMERA // 2
    image = image.astype(dtype)
    for layout in (image, np.asfortranarray(image), image[::-2, 1::3], image[:1]):
        same(gpu_of_each_kind, hessian_matrix, layout, order=order, **DERIVATIVES)


@each_function
@pytest.mark.parametrize("dtype", ["int8", "int16", "int64"])
def test_the_most_negative_integer_is_minus_one(gpu, function, options, dtype):
    image = RNG.integers(-128, 127, (6, 7, 9)).astype(dtype)
    image[2:4, 3:6, 4] = np.iinfo(dtype).min
    same(gpu, function, image, **options)


@pytest.mark.parametrize("mode", MODES)
def test_modes_of_planes_by_derivatives(gpu, mode):
    for image in (CAMERA, (CAMERA / 255).astype(np.float32), CAMERA[:3, :5]):
        for sigma in (0.3, 1, (3, 0.5), [2, 9], 21):
            same(gpu, hessian_matrix, image, sigma, mode=mode, order="xy", **DERIVATIVES)


@pytest.mark.parametrize("size", [1e-30, 1, 3.4e38, "few large", "few small"])
@pytest.mark.parametrize(("image", "bound"), [(CAMERA, 2e-6), (VOLUME, 2e-5)], ids=["2-D", "3-D"])
def test_derivatives_where_cards_are_slow_in_double(gpu, strict, image, bound, size):
    """Sums of floats in two floats, and in double where these would hold too little."""
    image = (image / 255).astype(np.float32)
    if size == "few large":
        image *= np.where(RNG.random(image.shape) < 0.5, np.float32(1e-30), np.float32(1))
    elif size == "few small":
        image[..., 17:] *= np.float32(1e-30)
    else:
        image *= np.float32(size)
    for sigma in (0.8, 3):
        expected = hessian_matrix(image, sigma, mode="reflect", **DERIVATIVES)
        found = gpu(hessian_matrix, image, sigma, mode="reflect", **DERIVATIVES)
        for one, other in zip(found, expected, strict=True):
            assert np.abs(one - other).max() <= bound * np.abs(expected).max()


def test_derivatives_of_what_is_not_finite_are_left_to_others(gpu):
    image = CAMERA / 255
    image[20, 30] = np.inf
    with pytest.raises(Declined, match="infinities"):
        gpu(hessian_matrix, image, **DERIVATIVES)


# launches for sigmas of 1 and 4, and above; arrays that are written and read between
BUDGETS = {
    "differences": (2, 3, 1, 2),
    "derivatives": (3, 3, 9, 9),
    "determinant": (2, 3, 1, 2),
    "tensor": (2, 4, 6, 18),
}


@pytest.mark.parametrize("dtype", ["uint8", "float32", "float64"])
@pytest.mark.parametrize("name", BUDGETS)
@pytest.mark.parametrize("sigma", [1, 4, 6])
def test_launches_of_volumes(gpu, counting, dtype, name, sigma):
    function, options = FUNCTIONS[name]
    image = VOLUME.astype(dtype)
    with counting() as counts:
        results = gpu(function, image, sigma, **options)
    assert counts.launches == BUDGETS[name][sigma > 4]
    itemsize = 8 if name == "derivatives" else results[0].itemsize
    between = BUDGETS[name][2 + (sigma > 4)] * image.size * itemsize
    assert counts.kernel_bytes_read == image.nbytes + between
    written = between + np.asarray(results).nbytes
    assert written <= counts.kernel_bytes_written <= written + 16


def test_launches_of_four_axes(gpu, counting):
    for image in (FOUR, FOUR.astype("f4"), (FOUR * 9).astype("u1")):
        with counting() as counts:
            gpu(hessian_matrix, image, **DIFFERENCES)
        assert counts.launches == 3


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_tensor_of_what_is_not_finite(gpu, value):
    image = NOISE.copy()
    image[5, 6, 20] = value
    with np.errstate(invalid="ignore"):
        same(gpu, structure_tensor, image)


@pytest.mark.parametrize("length", BORDERS[1:])
def test_volumes_where_runs_of_planes_and_tiles_end(gpu, length):
    for shape in ((length, 3, 4), (3, length, 4), (2, 5, length)):
        image = RNG.random(shape)
        same(gpu, structure_tensor, image)
        same(gpu, structure_tensor, image.astype(np.float32), 3)
        same(gpu, hessian_matrix, image, **DIFFERENCES)
        same(gpu, hessian_matrix, image.astype(np.float32), 4, **DIFFERENCES)
        same(gpu, hessian_matrix, image, (9, 0, 2), mode="wrap", **DIFFERENCES)


@pytest.mark.parametrize("dtype", ["uint8", "float32"])
def test_two_launches_by_derivatives(gpu, counting, dtype):
    image = data.camera().astype(dtype)
    with counting() as counts:
        results = np.asarray(gpu(hessian_matrix, image, 2, **DERIVATIVES))
    assert counts.launches == 2
    between = 3 * image.size * 8
    assert counts.kernel_bytes_read <= image.nbytes + between
    assert counts.kernel_bytes_written <= between + results.nbytes + 16


@each_function
def test_no_hessian_depends_on_the_order_of_threads(gpu, monkeypatch, strict, function, options):
    image = NOISE[:6, :7, :19]
    monkeypatch.setattr("skimage_gpu_backend.device.kernels.resident_blocks", lambda threads: 2)
    for order in ("forward", "backward", "shuffled"):
        with cuda_simulator.thread_order(order):
            same(gpu, function, image, **options)
