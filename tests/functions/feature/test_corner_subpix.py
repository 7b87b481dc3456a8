"""corner_subpix on the device: scikit-image's positions."""

import numpy as np
import pytest
from skimage import data
from skimage.feature import corner_harris, corner_peaks, corner_subpix

import cuda_simulator
from tests.functions.color_agreement import quietly
from tests.functions.feature.textures import layouts
from tests.functions.images import DTYPES, noise

RNG = np.random.default_rng(17)
SQUARES = np.kron(RNG.integers(0, 3, (6, 7)), np.ones((9, 9)))  # flat, edges, corners


def close(gpu, function, image, *args, **options):
    """No place where scikit-image has none; the others within the bound of the largest one."""
    expected = quietly(function, image, *args, **options)
    found = quietly(gpu, function, image, *args, **options)
    assert type(found) is type(expected)
    bound = 1e-5 if expected.dtype == np.float32 else 1e-10
    largest = np.max(abs(expected), initial=1, where=np.isfinite(expected))
    np.testing.assert_allclose(found, expected, rtol=0, atol=bound * largest, strict=True)


def inner(shape, count=25):
    """Places that do not touch the border."""
    return np.stack([RNG.integers(1, length - 1, count) for length in shape], axis=1)


@pytest.mark.parametrize("window_size", [1, 2, 3, 4, 7, 8, 11, 13, 16, 31, 90, 101])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_any_window(gpu_of_each_kind, window_size, dtype):
    for image in (SQUARES, RNG.random((40, 50)), data.camera()[100:150, 100:160] / 255):
        image = image.astype(dtype)
        close(gpu_of_each_kind, corner_subpix, image, inner(image.shape), window_size)


@pytest.mark.parametrize("dtype", DTYPES)
@layouts
def test_any_dtype_and_layout(gpu, dtype, layout):
    image = layout(noise(RNG, (60, 90), dtype))
    for kind in ("int64", "int32", "uint64", "int16"):
        corners = inner(image.shape, 9).astype(kind)
        close(gpu, corner_subpix, image, corners)
        close(gpu, corner_subpix, image, layout(np.asfortranarray(corners.repeat(6, 1)))[:, :2], 7)


@pytest.mark.parametrize("alpha", [0.5, 0.9, 0.9999, 0, 1, 1.5, -1, np.nan, np.float32(0.7)])
def test_any_level(gpu, alpha):
    for image in (SQUARES, RNG.random((40, 50))):
        close(gpu, corner_subpix, image, inner(image.shape), 7, alpha)


def test_corners_of_a_photograph(gpu_of_each_kind):
    image = data.checkerboard()[:90, :100]
    corners = corner_peaks(corner_harris(image), min_distance=3, exclude_border=2)
    expected = corner_subpix(image, corners, window_size=7)
    assert np.isfinite(expected).any()
    close(gpu_of_each_kind, corner_subpix, image, corners, window_size=7)


def test_what_has_no_corner(gpu):
    """Their equations are singular."""
    y, x = np.indices((30, 40))
    for image in (
        0 * x,
        x > 20,
        3 * y,
        x > y,
        2 * x + 7 * y,
        np.minimum(x, y),
        7 * (3 * x > 2 * y),
    ):
        for window_size in (2, 5, 11):
            close(gpu, corner_subpix, image, inner(image.shape), window_size)


def test_nan_and_infinities(gpu):
    image = RNG.random((30, 40))
    image[3, 4], image[8, 19], image[25, 30] = np.nan, np.inf, -np.inf
    close(gpu, corner_subpix, image, inner(image.shape, 60), 5)


def test_small_images(gpu):
    close(gpu, corner_subpix, RNG.random((3, 3)), np.array([[1, 1]]))
    close(gpu, corner_subpix, RNG.random((3, 9)), np.array([[1, 1], [1, 7]]), 31)


def test_what_scikit_image_refuses_it_refuses_itself(gpu):
    image, corners = RNG.random((9, 10)), np.array([[3, 4]])
    assert gpu.invalid(corner_subpix, image[None], corners)
    assert gpu.invalid(corner_subpix, image, corners[0])
    assert gpu.invalid(corner_subpix, image, corners, 0)
    assert gpu.invalid(corner_subpix, image, None)


def test_what_is_left_to_scikit_image(gpu):
    image, corners = RNG.random((9, 10)), np.array([[3, 4]])
    assert "empty" in gpu.declined(corner_subpix, image, corners[:0])
    assert "integers" in gpu.declined(corner_subpix, image, corners / 1)
    assert "bits" in gpu.declined(corner_subpix, np.zeros((9, 250)), corners.astype(np.uint8))
    assert "integer" in gpu.declined(corner_subpix, image, corners, 5.0)
    assert "number" in gpu.declined(corner_subpix, image, corners, 5, "0.9")


@pytest.mark.parametrize("corner", [(0, 4), (3, 0), (8, 4), (3, 9), (-2, 4), (100, 4), (-30, -30)])
def test_corners_on_the_border_are_left_to_scikit_image(gpu, corner):
    from skimage_gpu_backend.trouble import Declined

    with pytest.raises(Declined, match="border"):
        gpu(corner_subpix, RNG.random((9, 10)), np.array([[3, 4], corner]))


@pytest.mark.parametrize("dtype", ["uint8", "float32"])
def test_launches_and_bytes(gpu, counting, dtype):
    image, corners = data.camera().astype(dtype), inner((512, 512), 100)
    with counting() as counts:
        result = gpu(corner_subpix, image, corners)
    assert counts.launches == 1
    assert counts.kernel_bytes_read + counts.kernel_bytes_written <= (
        image.nbytes + corners.nbytes + result.nbytes + 4
    )


def test_no_place_depends_on_the_order_of_threads(gpu, monkeypatch, strict):
    monkeypatch.setattr("skimage_gpu_backend.device.kernels.resident_blocks", lambda _: 2)
    for order in ("forward", "backward", "shuffled"):
        with cuda_simulator.thread_order(order):
            close(gpu, corner_subpix, SQUARES, inner(SQUARES.shape), 13)
