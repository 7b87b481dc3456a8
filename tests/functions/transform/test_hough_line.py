"""hough_line on the device: scikit-image's votes, angles and distances."""

import numpy as np
import pytest
from skimage.draw import line
from skimage.transform import hough_line

from tests.functions.images import DTYPES

RNG = np.random.default_rng(22)
# of these a distance is halfway between two rows at many pixels, or as near as doubles get
SPECIAL = np.deg2rad(np.array([0, 30, 45, 60, 90, 120, 135, 150, 180, -30, -60, -90, 210, 300.0]))


def edges(shape, dtype="bool", share=0.1):
    image = RNG.random(shape) < share
    if dtype == "bool":
        return image
    sign = np.where(RNG.random(shape) < 0.5, -1, 1) if np.dtype(dtype).kind in "if" else 1
    return (image * sign * RNG.integers(1, 100, shape)).astype(dtype)


def same(run, image, theta=None):
    expected, found = hough_line(image, theta), run(hough_line, image, theta)
    assert type(found) is tuple
    for mine, its in zip(found, expected, strict=True):
        assert mine.dtype == its.dtype
        np.testing.assert_array_equal(mine, its)
    return expected[0]


@pytest.mark.parametrize("dtype", DTYPES)
def test_any_dtype_and_layout(gpu_of_each_kind, dtype):
    image = edges((40, 61), dtype)
    for view in (image, np.asfortranarray(image), image[::-2, ::3]):
        assert same(gpu_of_each_kind, view).sum() == 180 * np.count_nonzero(view)


@pytest.mark.parametrize(
    "shape", [(1, 1), (1, 50), (50, 1), (7, 3), (64, 64), (130, 33), (20, 900)], ids=str
)
@pytest.mark.parametrize("share", [0, 0.03, 1])
def test_any_shape(gpu, shape, share):
    same(gpu, edges(shape, share=share))
    same(gpu, edges(shape, "float32", share), SPECIAL)


@pytest.mark.parametrize("count", [1, 2, 3, 5, 6, 359])
def test_any_number_of_angles(gpu, count):
    image = edges((50, 37))
    same(gpu, image, np.linspace(-7, 9, count))
    same(gpu, image, RNG.random(count) * 1e9)
    same(gpu, image, (RNG.random(3 * count) * 7)[::-3])
    same(gpu, image, np.concatenate([SPECIAL, -SPECIAL, np.nextafter(SPECIAL, 9)])[:count])


def test_distances_halfway_between_two_rows_are_rounded_as_scikit_image_rounds_them(gpu):
    """Every pixel of a large plane, at the angles where doubles have to decide."""
    tiny = np.array([1e-17, -1e-17, 1e-9, np.pi / 2 + 1e-9, 2**-31, 3 * 2**-32])
    same(gpu, np.ones((300, 411), bool), np.concatenate([SPECIAL, tiny, np.arcsin([0.25, 0.1])]))


@pytest.mark.parametrize("shape", [(2, 5000), (3100, 4), (2, 13000), (70000, 2)], ids=str)
def test_accumulators_larger_than_shared_memory(gpu, shape):
    """Fewer angles a block, then windows of the distances; the last one has wider places."""
    image = edges(shape, share=0.01)
    image[0, 0] = image[-1, -1] = image[-1, 0] = image[0, -1] = True
    same(gpu, image, np.array([0, 0.5, 0.8, 1.2, np.pi / 2, -0.7, -1.57]))


def test_values_that_count_as_nonzero(gpu):
    image = np.zeros((9, 8), "float32")
    image[0, 0], image[2, 3], image[4, 4], image[8, 7] = -0.0, np.nan, 1e-45, -np.inf
    assert same(gpu, image).sum() == 3 * 180
    same(gpu, image.astype("float64"))
    same(gpu, image.astype("float16"))


def test_a_line_is_found(gpu):
    image = np.zeros((100, 150), bool)
    image[line(5, 7, 80, 120)] = True
    votes, angles, distances = gpu(hough_line, image)
    row, column = np.unravel_index(votes.argmax(), votes.shape)
    normal = np.array([np.cos(angles[column]), np.sin(angles[column])])
    assert abs(normal @ [7, 5] - distances[row]) < 2


def test_what_scikit_image_refuses_it_refuses_itself(gpu):
    image = edges((6, 7))
    for theta in ([0.0, 1.0], np.zeros(3, "f4"), np.zeros((2, 2)), 3.0, np.zeros(2, ">f8"), "x"):
        with pytest.raises((TypeError, ValueError)):
            hough_line(image, theta)
        assert gpu.invalid(hough_line, image, theta)
    assert gpu.invalid(hough_line, image[0])
    assert gpu.invalid(hough_line, image[None])


def test_what_is_left_to_scikit_image(gpu):
    image = edges((6, 7))
    assert "theta" in gpu.declined(hough_line, image, np.array([0, np.nan]))
    assert "theta" in gpu.declined(hough_line, image, np.zeros(0))
    assert "empty" in gpu.declined(hough_line, image[:0])


def test_threads_meet_in_the_list_and_in_the_votes(gpu, strict):
    for order in ("forward", "backward", "shuffled"):
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("CUDA_SIMULATOR_ORDER", order)
            same(gpu, edges((40, 200), "uint8", 0.4), np.linspace(-1, 1, 11))


def test_launches_and_bytes(gpu, counting):
    image = edges((200, 300), "uint8")
    with counting() as counts:
        votes = gpu.cupy(hough_line, image)[0]
    assert counts.launches == 2
    groups = 45
    places = 4 * np.count_nonzero(image)
    assert counts.kernel_bytes_read <= image.nbytes + groups * (4 * image.size + 200)
    assert counts.kernel_bytes_written <= places * 1.01 + votes.nbytes + 8 * image.size
