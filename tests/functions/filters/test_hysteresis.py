"""skimage.filters.apply_hysteresis_threshold on the device finds scikit-image's very pixels."""

import warnings

import numpy as np
import pytest
from skimage import data
from skimage.filters import apply_hysteresis_threshold

import cuda_simulator
from tests.functions.images import DTYPES, meander

RNG = np.random.default_rng(7)
# around the tiles of 32 x 64 pixels, and axes that no tile has
SHAPES = [
    (1,), (64,), (65,), (1000,), (1, 129), (33, 1), (31, 63), (32, 64), (33, 65), (97, 200),
    (2, 33, 65), (5, 4, 3), (3, 2, 34, 66), (2, 3, 2, 2, 3, 2, 5, 7),
]  # fmt: skip


def same(run, *args):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = apply_hysteresis_threshold(*args)
        result = run(apply_hysteresis_threshold, *args)
    assert result.dtype == expected.dtype
    np.testing.assert_array_equal(result, expected)
    return expected


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("share", [0.45, 0.62])  # many small components; few that wind far
def test_any_shape(gpu_of_each_kind, shape, share):
    image = RNG.random(shape).astype(np.float32)
    same(gpu_of_each_kind, image, 1 - share, 0.99)


@pytest.mark.parametrize("dtype", DTYPES)
def test_any_dtype(gpu_of_each_kind, dtype):
    image = data.coins()[:90, :150]
    image = image > 120 if dtype == "bool" else (image // 2).astype(dtype)
    for low, high in [(50, 80), (50.5, 80.5), (0.1, 0.5), (np.float32(40), np.int16(70))]:
        same(gpu_of_each_kind, image, low, high)


@pytest.mark.parametrize("dtype", DTYPES)
def test_thresholds_beside_and_beyond_what_a_dtype_holds(gpu, dtype):
    if np.dtype(dtype).kind == "f":
        tenth = np.array(0.1, dtype)
        image = np.array(
            [tenth, np.nextafter(tenth, np.array(9, dtype)), np.nan, -np.inf, np.inf, 1, 0]
        )
        image = image.astype(dtype)
    else:
        limits = np.iinfo("uint8" if dtype == "bool" else dtype)
        image = np.array([limits.min, 0, 1, limits.max // 2, limits.max], dtype)
    image = np.stack([image, image[::-1]])
    numbers = [0.1, np.float64(0.1), -0.5, -1, 0, 1 - 1e-9, 254.5, 1e30, -1e30, np.inf, -np.inf]
    numbers += [float(number) for number in np.unique(image[np.isfinite(image)])]
    for low in numbers:
        for high in map(np.float64, numbers):
            same(gpu, image, low, high)


@pytest.mark.parametrize("end", [0, -1])
@pytest.mark.parametrize("transposed", [False, True])
def test_one_pixel_lights_a_path_through_all_tiles(gpu, end, transposed):
    image = meander(131, 257).astype(np.uint8)
    image.flat[np.flatnonzero(image)[end]] = 2
    assert same(gpu, image.T if transposed else image, 0, 1).sum() > 17_000


def test_a_path_through_planes(gpu):
    image = np.zeros((9, 40, 70), np.uint8)
    image[::2] = meander(40, 70)
    image[1::4, 0, 0] = image[3::4, 38, 69] = 1
    image[8, 0, 0] = 2
    assert same(gpu, image, 0, 1).sum() > 7_000


def test_diagonal_neighbours_are_not_connected(gpu):
    image = np.eye(70)
    image[3, 3] = 2
    assert same(gpu, image, 0.5, 1.5).sum() == 1


@pytest.mark.parametrize("ways", ["F", "reversed", "sliced"])
def test_strided_images_and_thresholds(gpu_of_each_kind, ways):
    def view(array):
        if ways == "F":
            return np.asfortranarray(array)
        return array[::-1, ::-1] if ways == "reversed" else np.repeat(array, 2, 1)[:, ::2]

    image = RNG.random((50, 90))
    same(gpu_of_each_kind, view(image), view(image.T.reshape(50, 90) / 2), view(image * 0 + 0.8))


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "uint8"])
@pytest.mark.parametrize("threshold", ["float16", "float32", "float64"])
def test_thresholds_are_compared_in_the_dtype_that_numpy_takes(gpu, dtype, threshold):
    """The image holds both thresholds and their neighbours."""
    low, high = 0.3, 0.7
    near = np.array([low, high], threshold).astype(np.float64)
    values = np.concatenate([near, [low, high], np.float16([low, high]), np.float32([low, high])])
    image = np.resize(values, (5, 40)).astype(dtype)
    if dtype == "uint8":
        image = np.resize(np.arange(4, dtype=dtype), (5, 40))
        low, high = 1.1, 2.1
    lows, highs = (np.full(image.shape, value, threshold) for value in (low, high))
    pairs = [(low, high), (lows, high), (low, highs), (lows, highs)]
    for limits in [*pairs, (high, low), (highs, low), (high, lows), (highs, lows)]:
        same(gpu, image, *limits)
        same(gpu, image, *(np.float32(x) if isinstance(x, float) else x for x in limits))


def test_nan_is_in_no_component_but_as_a_threshold(gpu):
    image = RNG.random((40, 80))
    image[RNG.random(image.shape) < 0.2] = np.nan
    same(gpu, image, 0.4, 0.9)
    low = np.where(RNG.random(image.shape) < 0.1, np.nan, 0.4)
    same(gpu, image, low, 0.9)
    same(gpu, image, low, low + 0.2)


def test_what_is_left_to_others(gpu):
    image = np.ones((4, 5))
    for low, high in [(np.nan, 1), (np.ones((1, 5)), 2), (np.ones((4, 5), int), 2), ([1], 2)]:
        assert gpu.declined(apply_hysteresis_threshold, image, low, high)
    assert gpu.declined(apply_hysteresis_threshold, np.ones((0, 3)), 0, 1)
    assert gpu.declined(apply_hysteresis_threshold, np.ones((4, 5), int), 0, 2**60)
    # NumPy warns of it where it compares
    assert "beyond" in gpu.declined(apply_hysteresis_threshold, image.astype("f2"), 0, 1e6)
    assert "beyond" in gpu.declined(apply_hysteresis_threshold, image, np.float16(1), 1e6)


@pytest.mark.parametrize("dtype", ["uint8", "float32"])
@pytest.mark.parametrize("content", ["noise", "meander", "dark"])
def test_launches_and_bytes_do_not_depend_on_the_image(gpu, counting, dtype, content):
    image = {
        "noise": 2 * RNG.random((512, 512)),
        "meander": meander(512, 512),
        "dark": np.zeros((512, 512)),
    }[content].astype(dtype)
    with counting() as counts:
        gpu(apply_hysteresis_threshold, image, 0.5, 1.5)
    assert counts.launches == 3
    labels = 4 * image.size
    assert counts.kernel_bytes_read == image.nbytes + labels
    assert counts.kernel_bytes_written == 2 * labels + image.size


@pytest.mark.parametrize("order", ["forward", "backward", "shuffled"])
@pytest.mark.parametrize("blocks", [1, 3])
def test_no_result_depends_on_the_order_of_threads(gpu, monkeypatch, strict, order, blocks):
    monkeypatch.setattr(
        "skimage_gpu_backend.device.kernels.resident_blocks", lambda threads: blocks
    )
    path = meander(70, 130).astype(np.uint8)
    path[0, 0] = 2
    with cuda_simulator.thread_order(order):
        same(gpu, path, 0, 1)
        same(gpu, RNG.random((75, 140)), 0.4, 0.99)
        same(gpu, RNG.random((3, 40, 70)), 0.6, 0.99)
