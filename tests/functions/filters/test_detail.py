"""Unsharp masking and the difference of Gaussians on the device."""

import numpy as np
import pytest
from skimage import data
from skimage.filters import difference_of_gaussians, unsharp_mask

import cuda_simulator
from tests.functions.filter_agreement import BORDERS, agree, same
from tests.functions.images import DTYPES, low_contrast

RNG = np.random.default_rng(0)
SHAPES = [(1,), (300,), (1, 1), (1, 40), (15, 63), (16, 64), (17, 65), (33, 129), (5, 9, 20)]


def photograph(dtype):
    image = data.camera()[::6, ::6]
    if dtype == "bool":
        return image > 100
    if np.dtype(dtype).kind == "f":
        return (image / 255).astype(dtype)
    limits = np.iinfo(dtype)
    return (image / 256 * (limits.max - limits.min) + limits.min).astype(dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("preserve_range", [False, True])
@pytest.mark.parametrize("radius", [1, 5])
def test_unsharp_mask_of_every_dtype(gpu_of_each_kind, dtype, preserve_range, radius):
    image = photograph(dtype)
    same(gpu_of_each_kind, unsharp_mask, image, radius, 2.5, preserve_range)
    same(gpu_of_each_kind, unsharp_mask, image[::-1, ::2], radius, -0.7, preserve_range)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("radius", [0, 1, 5])
def test_unsharp_mask_clips_at_minus_one_where_something_is_negative(gpu, dtype, radius):
    image = (3 * RNG.random((30, 40))).astype(dtype)
    for value in (0.0, -0.0, -1e-3, np.nan):
        image[-1, -1] = value
        same(gpu, unsharp_mask, image, radius, 2)
        same(gpu, unsharp_mask, image - 1, radius, 2)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("sigma", [0, 1, 4, 9])
def test_tiles_and_axes(gpu, shape, sigma):
    image = RNG.random(shape)
    same(gpu, unsharp_mask, image, sigma)
    same(gpu, difference_of_gaussians, image, sigma / 2, sigma)
    same(gpu, difference_of_gaussians, image, sigma)


@pytest.mark.parametrize("length", BORDERS)
def test_axis_that_ends_at_the_borders_of_tiles(gpu, length):
    image = RNG.random((length, 20), np.float32)
    for each in (image, image.T):
        same(gpu, unsharp_mask, each, (1, 3), 1.5)
        agree(gpu(difference_of_gaussians, each, 2) + 1, difference_of_gaussians(each, 2) + 1)


@pytest.mark.parametrize("function", [unsharp_mask, difference_of_gaussians])
@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("sigma", [1, 5, (1, 2)])
def test_channels_are_not_mixed(gpu_of_each_kind, function, axis, sigma):
    image = np.moveaxis(data.astronaut()[::9, ::9], -1, axis)
    same(gpu_of_each_kind, function, image, sigma, channel_axis=axis)


@pytest.mark.parametrize("name", low_contrast())
def test_single_precision_is_scikit_images_to_the_last_bit(gpu, name):
    """What a Gaussian takes away is a difference of numbers that are nearly equal."""
    plane = low_contrast()[name]
    volume = np.stack([plane[k : k + 20, k : k + 30] for k in range(9)])
    for image in (plane, volume):
        for low, high in ((0.5, 1), (1, 3), (2, 6), (5, 9), (0, 8)):
            found = gpu(difference_of_gaussians, image, low, high)
            np.testing.assert_array_equal(found, difference_of_gaussians(image, low, high))
        for radius in (1, 6, (0, 9, 1)[: image.ndim]):
            found = gpu(unsharp_mask, image, radius, 3, preserve_range=True)
            expected = unsharp_mask(image, radius, 3, preserve_range=True)
            np.testing.assert_array_equal(found, expected)


def test_arguments_that_are_left_to_scikit_image(gpu):
    image = RNG.random((5, 6, 3))
    assert "negative" in gpu.declined(unsharp_mask, image, channel_axis=-1)
    assert "wider" in gpu.declined(unsharp_mask, image.astype("f4"), 1, np.float64(2))
    for arguments in ({"radius": -1}, {"radius": (1, 2)}, {"channel_axis": 3}):
        assert gpu.invalid(unsharp_mask, image, **arguments)
    for sigmas in ((-1,), (2, 1), ((1, 2),), (1, (2, 3)), (1, (2, 3, 0.5))):
        assert gpu.invalid(difference_of_gaussians, image, *sigmas)


@pytest.mark.parametrize("low", [(0, 1), (1, 0), [2, 1], np.array([0, 0])])
@pytest.mark.parametrize("high", [None, 3, (2, 1.5), np.float32(2), (7, 2), 20])
@pytest.mark.parametrize("mode", ["constant", "wrap", ["mirror", "reflect"]])
def test_sigmas_for_each_axis_and_modes(gpu, low, high, mode):
    arguments = {"mode": mode, "cval": 0.3, "truncate": 3}
    same(gpu, difference_of_gaussians, RNG.random((40, 70)), low, high, **arguments)


@pytest.mark.parametrize("function", [unsharp_mask, difference_of_gaussians])
@pytest.mark.parametrize("shape", [(0,), (0, 5), (3, 0)])
def test_image_without_elements(gpu, function, shape):
    assert gpu(function, np.zeros(shape, np.float32), 1.0).shape == shape


@pytest.mark.parametrize("dtype", ["uint8", "float32"])
@pytest.mark.parametrize(
    ("function", "sigmas", "launches"),
    [
        (unsharp_mask, (1,), 1),
        (unsharp_mask, (5,), 2),
        (difference_of_gaussians, (1,), 1),
        (difference_of_gaussians, (2, 4), 1),
        (difference_of_gaussians, (2, 10), 2),
        (difference_of_gaussians, (6,), 2),
    ],
)
def test_launches_and_bytes(gpu, counting, dtype, function, sigmas, launches):
    image = photograph(dtype)
    with counting() as counts:
        result = gpu(function, image, *sigmas)
    signed = function is unsharp_mask and dtype == "float32"
    assert counts.launches == launches + signed
    if launches == 1:
        flag = 4 * (function is unsharp_mask)
        assert counts.kernel_bytes_read == image.nbytes * (1 + signed) + flag
        assert counts.kernel_bytes_written == result.nbytes + 4 * signed
    elif function is unsharp_mask:  # one array between, the image twice
        assert counts.kernel_bytes_read == (2 + signed) * image.nbytes + result.nbytes + 4
        assert counts.kernel_bytes_written == 2 * result.nbytes + 4 * signed
    else:  # two arrays between
        assert counts.kernel_bytes_read == image.nbytes + 2 * result.nbytes
        assert counts.kernel_bytes_written == 3 * result.nbytes
    assert (counts.to_device, counts.to_host) == (1, 1)


@pytest.mark.parametrize(
    ("function", "sigma"),
    [
        (unsharp_mask, 2),
        (unsharp_mask, 6),
        (difference_of_gaussians, 2),
        (difference_of_gaussians, 6),
    ],
)
def test_no_result_depends_on_the_order_of_threads(gpu, monkeypatch, strict, function, sigma):
    monkeypatch.setattr("skimage_gpu_backend.device.kernels.resident_blocks", lambda threads: 2)
    image = RNG.random((45, 140)) - 0.1
    for order in ("forward", "backward", "shuffled"):
        with cuda_simulator.thread_order(order):
            agree(gpu(function, image, sigma), function(image, sigma))
