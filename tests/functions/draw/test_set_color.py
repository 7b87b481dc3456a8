"""set_color on the device: scikit-image's pixels, to the last bit, and no others."""

import warnings

import cupy as cp
import numpy as np
import pytest
from skimage.draw import disk, line_aa, set_color

import cuda_simulator
from skimage_gpu_backend.trouble import Declined
from tests.functions.images import DTYPES, noise

RNG = np.random.default_rng(5)
ROWS, COLUMNS = RNG.integers(-5, 30, (2, 400))  # beyond both borders; most pixels several times
COLOR = [7, 20, 33]
VIEWS = [np.s_[:, :], np.s_[::-1, ::2], np.s_[3:20, 4:9], np.s_[:, :, ::-1]]


def same(gpu, image, coords, color, alpha=1, view=np.s_[:]):
    """Also the pixels beside a view, and a call with lists and alpha on the device."""
    expected = image.copy()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert set_color(expected[view], coords, color, alpha) is None
    for there in (lambda a: a, cp.asarray):
        given = cp.asarray(image)
        values = there(alpha) if isinstance(alpha, np.ndarray) else alpha
        places = tuple(there(each) for each in coords)
        assert gpu(set_color, given[view], places, color, values) is None
        np.testing.assert_array_equal(given.get(), expected)


@pytest.mark.parametrize(
    "alpha", [1, 0, 0.3, 2, -1, True, np.float32(0.7), np.float16(0.3)], ids=str
)
@pytest.mark.parametrize("dtype", DTYPES)
def test_every_dtype(gpu, dtype, alpha):
    image = noise(RNG, (25, 27, 3), dtype)
    inside = ((ROWS % 25)[:9], (COLUMNS % 27)[:9])
    for color in (COLOR, np.array(COLOR, dtype), np.array([0.5, 3.7, 1], np.float32)):
        if not 0 <= alpha <= 1 and (np.asarray(color).dtype.kind == "f" or dtype == "uint64"):
            continue  # integers that do not hold all blends have a test of their own
        for coords in ((ROWS, COLUMNS), (ROWS.astype(np.int8), COLUMNS.astype(np.int16)), inside):
            same(gpu, image, coords, color, alpha)


@pytest.mark.parametrize("kind", ["bool", "uint8", "int8", "int32", "uint64", *DTYPES[-3:]])
@pytest.mark.parametrize("dtype", DTYPES)
def test_an_alpha_for_each_place_and_the_last_of_a_pixel_counts(gpu, dtype, kind):
    image = noise(RNG, (25, 27), dtype)
    alpha = RNG.random(len(ROWS)) if kind.startswith("float") else RNG.integers(0, 2, len(ROWS))
    for color in (9, np.array([100], np.int8), 60.5):
        same(gpu, image, (ROWS, COLUMNS), color, alpha.astype(kind))


def test_integers_wrap_as_those_of_numpy(gpu):
    """In the type of each product and sum, which color, places and alpha decide."""
    alpha = RNG.integers(-100, 100, len(ROWS)).astype(np.int8)
    for dtype in ("bool", "uint8", "int64", "uint64", "int16"):
        image = noise(RNG, (25, 27, 2), dtype)
        for color in (
            np.array([100, 77], np.int8),
            np.array([-3, 2**40]),
            np.array([255, 3], "u1"),
        ):
            if np.result_type(dtype, color, alpha).kind != "f":
                same(gpu, image, (ROWS.astype(np.int8), COLUMNS), color, alpha)


@pytest.mark.parametrize("view", VIEWS, ids=str)
def test_views_are_coloured_where_they_lie(gpu, view):
    image = noise(RNG, (30, 31, 3), "uint16")
    for alpha in (1, 0.25):
        color = COLOR
        same(gpu, image, (ROWS, COLUMNS), color, alpha, view)
        same(gpu, np.asfortranarray(image), (ROWS[::-2], COLUMNS[::2]), color, alpha, view)
    same(gpu, image, np.stack([ROWS, COLUMNS]), COLOR, 0.5)
    same(gpu, image, (ROWS.reshape(20, 20).T, COLUMNS.reshape(20, 20).T), COLOR, 0.5)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_nan_and_infinities(gpu, dtype):
    image = noise(RNG, (25, 27), dtype)
    image[::3], image[1::3, ::2], image[2::3, 1::2] = np.nan, np.inf, -0.0
    for color in (3, -0.0, np.inf, np.nan, 1e30):
        for alpha in (1, 0.5, np.nan, np.inf):
            same(gpu, image, (ROWS, COLUMNS), color, alpha)


def test_numbers_that_an_image_of_integers_does_not_hold(gpu):
    image, there = noise(RNG, (25, 27), "uint8"), cp.zeros((25, 27), "uint8")
    for color, alpha in ((300.5, 1.0), (7, np.nan), (7, -3.5), (-9, RNG.random(len(ROWS)))):
        with pytest.raises(Declined, match="hold"):
            gpu(set_color, there, (ROWS, COLUMNS), color, alpha)
    assert not there.any()  # nothing was written
    same(gpu, image, (ROWS, COLUMNS), 300.5, 0.5 * (ROWS < 0))
    same(gpu, noise(RNG, (25, 27), "int64"), (ROWS, COLUMNS), 2.0**50, 0.5)
    same(gpu, image, (ROWS, COLUMNS), -0.9, 1.0)


def test_lines_and_disks(gpu):
    rows, columns, values = line_aa(-3, 2, 28, 40)
    image = noise(RNG, (25, 27, 4), "uint8")
    same(gpu, image, (rows, columns), (255, 0, 0, 255), values)
    same(gpu, image, disk((3, 20), 11), np.array([9, 8, 7, 6], "u1"))
    same(gpu, image, (rows[:0], columns[:0]), (1, 2, 3, 4), 0.5)
    same(gpu, image[:0], (rows, columns), (1, 2, 3, 4))
    same(gpu, image[:, :, :0], (rows, columns), ())


def test_what_is_refused_or_left_to_scikit_image(gpu):
    image, coords = cp.zeros((9, 10, 3)), (ROWS, COLUMNS)
    for wrong in (
        (image[0, 0], coords, COLOR),
        (image, coords, 1),
        (image, (ROWS,), COLOR),
        (image, coords, [[1], [2, 3]]),
        (image, coords, COLOR, "most"),
        (image, (ROWS.astype("u1"), COLUMNS), COLOR, 300),
    ):
        assert gpu.invalid(set_color, *wrong)
    for wrong, reason in (
        ((image[None], coords, COLOR), "axes"),
        ((image, (ROWS, COLUMNS[1:]), COLOR), "shapes"),
        ((image, (3, 4), COLOR), "arrays"),
        ((image, (ROWS / 2, COLUMNS), COLOR), "integers"),
        ((image, (ROWS > 2, COLUMNS), COLOR), "integers"),
        ((image, coords, [COLOR]), "axes"),
        ((image, coords, [1j, 2, 3]), "real"),
        ((image, coords, COLOR, 1j), "real"),
        ((image, coords, COLOR, [1, 2]), "neither"),
        ((image, coords, COLOR, ROWS[:3]), "shape"),
        ((image.get(), coords, COLOR), "NumPy"),
    ):
        assert reason in gpu.declined(set_color, *wrong)


def test_launches_and_bytes(gpu, counting):
    image, coords = cp.zeros((100, 90, 3), "uint8"), (cp.asarray(ROWS), cp.asarray(COLUMNS))
    alpha = cp.asarray(RNG.random(len(ROWS)))
    for values, launches in ((1, 1), (0.5, 3), (alpha, 4)):
        with counting() as counts:
            gpu(set_color, image, coords, COLOR, values)
        assert counts.launches <= launches + 1  # an array of one zero is none of ours
        assert counts.to_device <= 1
        assert counts.to_host == (values is alpha)
        owners = 0 if launches == 1 else 2 * 8 * 9000
        assert counts.kernel_bytes_written <= image.nbytes + owners + 8


def test_the_last_place_counts_in_any_order_of_threads(gpu, monkeypatch, strict):
    monkeypatch.setattr("skimage_gpu_backend.device.kernels.resident_blocks", lambda _: 2)
    image, alpha = noise(RNG, (25, 27, 3), "float32"), RNG.random(len(ROWS))
    for order in ("forward", "backward", "shuffled"):
        with cuda_simulator.thread_order(order):
            for each in (1, 0.5, alpha):
                same(gpu, image, (ROWS % 5, COLUMNS % 4), COLOR, each)
