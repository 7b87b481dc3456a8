"""hough_circle on the device: scikit-image's accumulators to the last bit."""

import numpy as np
import pytest
from skimage.draw import circle_perimeter
from skimage.transform import hough_circle

from tests.functions.images import DTYPES

RNG = np.random.default_rng(23)


def edges(shape, dtype="bool", share=0.15):
    image = RNG.random(shape) < share
    if dtype == "bool":
        return image
    sign = np.where(RNG.random(shape) < 0.5, -1, 1) if np.dtype(dtype).kind in "if" else 1
    return (image * sign * RNG.integers(1, 100, shape)).astype(dtype)


def same(run, image, radius, **options):
    expected, found = (
        hough_circle(image, radius, **options),
        run(hough_circle, image, radius, **options),
    )
    assert found.dtype == expected.dtype
    assert found.shape == expected.shape
    assert (found == expected).all()
    return expected


@pytest.mark.parametrize("dtype", DTYPES)
def test_any_dtype_and_layout(gpu_of_each_kind, dtype):
    image = edges((40, 71), dtype)
    for view in (image, np.asfortranarray(image), image[::-2, ::3]):
        for full in (False, True):
            assert same(gpu_of_each_kind, view, [3, 7], full_output=full).any()


@pytest.mark.parametrize(
    "shape", [(1, 1), (1, 50), (50, 1), (7, 31), (33, 32), (20, 33), (64, 65)], ids=str
)
@pytest.mark.parametrize("share", [0, 0.03, 1])
@pytest.mark.parametrize("full", [False, True])
def test_any_shape(gpu, shape, share, full):
    image = edges(shape, share=share)
    for radius in (0, 1, [2, 40], range(5, 9), [31, 32, 33]):
        same(gpu, image, radius, full_output=full)
        same(gpu, image, radius, full_output=full, normalize=False)


@pytest.mark.parametrize(
    "radius",
    [5, 5.9, np.float32(3.2), np.int8(4), np.array([9, 2, 9, 0]), (1.5, 0.2), True, np.array(6)],
    ids=str,
)
def test_radii_of_any_kind(gpu, radius):
    same(gpu, edges((30, 41)), radius)


def test_votes_are_added_one_by_one(gpu):
    """All pixels vote: so many times 1 / n is not what adding it so many times makes."""
    found = same(gpu, np.ones((90, 80), bool), np.arange(1, 30))
    assert (found.max(axis=(1, 2)) != 1).any()


@pytest.mark.parametrize("radius", [170, 200, 1500])
def test_counts_of_more_digits(gpu, radius):
    image = np.zeros((60, 70), bool)
    image[::3, ::2] = True
    same(gpu, image, radius, full_output=radius < 1000)


def test_circles_of_which_every_pixel_votes_for_the_center(gpu):
    """The most that is counted: 1,023 and more votes need another digit."""
    for radius in (20, 150, 181, 184):
        image = np.zeros((2 * radius + 3, 2 * radius + 40), bool)
        image[circle_perimeter(radius + 1, radius + 20, radius)] = True
        found = same(gpu, image, [radius], normalize=False)
        assert found.max() == len(circle_perimeter(0, 0, radius)[0])


def test_values_that_count_as_nonzero(gpu):
    image = np.zeros((9, 8), "float32")
    image[0, 0], image[2, 3], image[4, 4], image[8, 7] = -0.0, np.nan, 1e-45, -np.inf
    for dtype in ("float32", "float64", "float16"):
        same(gpu, image.astype(dtype), [1, 2])


def test_what_scikit_image_refuses_it_refuses_itself(gpu):
    image = edges((6, 7))
    for radius in ([[1, 2]], [[1], [2, 3]]):
        with pytest.raises(ValueError):
            hough_circle(image, radius)
        assert gpu.invalid(hough_circle, image, radius)
    assert gpu.invalid(hough_circle, image[0], 3)
    assert gpu.invalid(hough_circle, image[None], 3)


def test_what_is_left_to_scikit_image(gpu):
    image = edges((6, 7))
    for radius in (-1, [], np.nan, 1e9, None, "5"):
        assert "radius" in gpu.declined(hough_circle, image, radius)
    assert "normalize" in gpu.declined(hough_circle, image, 3, normalize=None)
    assert "full_output" in gpu.declined(hough_circle, image, 3, full_output=300)
    assert "empty" in gpu.declined(hough_circle, image[:0], 3)


def test_threads_share_words(gpu, strict):
    for order in ("forward", "backward", "shuffled"):
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("CUDA_SIMULATOR_ORDER", order)
            same(gpu, edges((40, 200), "uint8", 0.4), [3, 12])


@pytest.mark.parametrize("full", [False, True])
def test_launches_and_bytes(gpu, counting, full):
    image, radii = edges((200, 300), "uint8"), np.arange(5, 25)
    with counting() as counts:
        votes = gpu.cupy(hough_circle, image, radii, full_output=full)
    assert counts.launches == 2
    assert counts.kernel_bytes_read <= 1.8 * image.nbytes + 16 * 20 * 170
    assert counts.kernel_bytes_written <= votes.nbytes + 0.6 * image.nbytes
