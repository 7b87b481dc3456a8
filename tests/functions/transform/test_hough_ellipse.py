"""hough_ellipse on the device: scikit-image's ellipses, in its order, to the last bit."""

import numpy as np
import pytest
from skimage.draw import ellipse_perimeter
from skimage.transform import hough_ellipse

import skimage_gpu_backend.functions.transform.hough_ellipse as room
from tests.functions.images import DTYPES

RNG = np.random.default_rng(24)


def drawn(shape, *ellipses, share=0.02):
    image = RNG.random(shape) < share
    for ellipse in ellipses:
        image[ellipse_perimeter(*ellipse, shape=shape)] = True
    return image


def same(run, image, **options):
    expected, found = hough_ellipse(image, **options), run(hough_ellipse, image, **options)
    assert found.dtype == expected.dtype
    assert found.shape == expected.shape
    assert found.tobytes() == expected.tobytes()
    return expected


@pytest.mark.parametrize("dtype", DTYPES)
def test_any_dtype_and_layout(gpu, dtype):
    image = drawn((23, 30), (10, 12, 6, 9)).astype(dtype)
    for view in (image, np.asfortranarray(image), image[::-1, ::-1], image[:, ::2]):
        assert len(same(gpu, view, threshold=5))


@pytest.mark.parametrize("turn", [0, 0.5, -1.1, 1.5])
@pytest.mark.parametrize("accuracy", [1, 0.3, 2.5, 20])
def test_ellipses_of_any_orientation(gpu, turn, accuracy):
    image = drawn((32, 34), (15, 16, 7, 11, turn))
    assert len(same(gpu, image, threshold=3, accuracy=accuracy, min_size=8))


@pytest.mark.parametrize("shape", [(1, 1), (1, 30), (30, 1), (5, 4), (12, 40)], ids=str)
def test_any_shape(gpu, shape):
    for share in (0, 0.2):
        same(gpu, drawn(shape, share=share), threshold=1, min_size=2)


@pytest.mark.parametrize(
    "options",
    [
        {"threshold": 0},
        {"threshold": -3},
        {"threshold": 1000},
        {"min_size": 0},
        {"min_size": -5},
        {"min_size": 12},
        {"max_size": 3},
        {"max_size": 7.5},
        {"max_size": 0},
        {"max_size": -6},
        {"max_size": 500},
        {"max_size": 60, "accuracy": 0.1},
        {"accuracy": -2},
        {"accuracy": np.float32(1.7), "max_size": np.int64(9)},
    ],
    ids=str,
)
def test_any_option(gpu, options):
    same(gpu, drawn((24, 26), (11, 12, 5, 8), share=0.04), **{"threshold": 2, **options})


def test_histograms_larger_than_shared_memory(gpu, monkeypatch):
    image = drawn((24, 26), (11, 12, 5, 8))
    expected = same(gpu, image, threshold=3, accuracy=0.05)
    assert len(expected)
    monkeypatch.setattr(room, "_MOST_BINS", 7)
    same(gpu, image, threshold=3, accuracy=0.5)
    same(gpu, image, threshold=3)


def test_squares_at_edges_of_bins(gpu):
    """A lattice, of which many squares are integers, or as near as doubles get."""
    image = np.zeros((21, 21), bool)
    image[::4, ::4] = image[10, 10] = True
    for accuracy in (1, 2, 0.5, np.sqrt(2), np.sqrt(0.1)):
        for size in (None, 20):
            same(gpu, image, threshold=0, min_size=1, accuracy=accuracy, max_size=size)


def test_pairs_that_are_more_than_a_launch_takes(gpu, monkeypatch, counting):
    image = drawn((24, 26), (11, 12, 5, 8))
    pairs = np.count_nonzero(image) * (np.count_nonzero(image) - 1) // 2
    with counting() as counts:
        gpu(hough_ellipse, image, threshold=5)
    assert counts.launches == 2
    monkeypatch.setattr(room, "_PAIRS", 100)
    with counting() as counts:
        same(gpu, image, threshold=5)
    assert counts.launches == 1 + -(-pairs // 100)
    monkeypatch.setattr(room, "_VOTES", 50 * np.count_nonzero(image))
    with counting() as counts:
        same(gpu, image, threshold=5)
    assert counts.launches == 1 + -(-pairs // 50)


def test_threads_count_together(gpu, strict):
    image = drawn((20, 22), (9, 10, 4, 7))
    for order in ("forward", "backward", "shuffled"):
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("CUDA_SIMULATOR_ORDER", order)
            same(gpu, image, threshold=3)


def test_an_image_on_the_device(gpu):
    import cupy as cp

    image = drawn((23, 30), (10, 12, 6, 9))
    found = gpu(hough_ellipse, cp.asarray(image), threshold=5)
    assert type(found) is np.ndarray  # no device array has fields
    assert found.tobytes() == hough_ellipse(image, threshold=5).tobytes()
    empty = gpu(hough_ellipse, cp.zeros((5, 6)))
    assert type(empty) is cp.ndarray
    assert empty.shape == (0, 6)


def test_what_scikit_image_refuses_it_refuses_itself(gpu):
    assert gpu.invalid(hough_ellipse, np.ones(5))
    assert gpu.invalid(hough_ellipse, np.ones((2, 3, 4)))


def test_what_is_left_to_scikit_image(gpu):
    image = drawn((9, 8))
    assert "threshold" in gpu.declined(hough_ellipse, image, threshold=2.5)
    assert "min_size" in gpu.declined(hough_ellipse, image, min_size=2**40)
    assert "accuracy" in gpu.declined(hough_ellipse, image, accuracy=0)
    assert "accuracy" in gpu.declined(hough_ellipse, image, accuracy=1e-9)
    assert "max_size" in gpu.declined(hough_ellipse, image, max_size="3")
    assert "empty" in gpu.declined(hough_ellipse, image[:0])
