"""Structural similarity on the device."""

import numpy as np
import pytest
from skimage import data
from skimage.metrics import structural_similarity

import cuda_simulator
from skimage_gpu_backend.trouble import Declined

RNG = np.random.default_rng(0)
# around the strips of 128 columns, the chunks of 16 rows and more, and the runs of 4 elements
SHAPES = [(7,), (300,), (7, 7), (15, 127), (16, 128), (65, 129), (130, 9), (9, 260)]
ASKED = {"full": True, "gradient": True}


def pair(shape, dtype="float32"):
    first = RNG.random(shape)
    second = np.clip(first + 0.2 * RNG.random(shape), 0, 1)
    scale = 1 if np.dtype(dtype).kind == "f" else 100
    return [(scale * image).astype(dtype) for image in (first, second)]


def same(gpu, *args, **kwargs):
    """Results are scikit-image's; in single precision nearly always to the last bit."""
    expected = structural_similarity(*args, **kwargs)
    found = gpu(structural_similarity, *args, **kwargs)
    if not isinstance(expected, tuple):
        expected, found = (expected,), (found,)
    for result, wanted in zip(found, expected, strict=True):
        assert result.dtype == wanted.dtype
        assert np.shape(result) == np.shape(wanted)
        bound = 1e-6 if args[0].dtype.kind == "f" and args[0].dtype.itemsize < 8 else 1e-11
        assert np.abs(result - wanted).max() <= bound * np.abs(wanted).max()


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("gaussian_weights", [False, True])
def test_tile_borders(gpu, shape, gaussian_weights):
    for dtype in ("float32", "float64"):
        weights = {"gaussian_weights": gaussian_weights, "sigma": 0.8}
        same(gpu, *pair(shape, dtype), data_range=1, **weights, **ASKED)


@pytest.mark.parametrize("win_size", [3, 5, 31, 99, 201])
def test_windows_of_any_size(gpu, win_size):
    same(gpu, *pair((203, 230), "float64"), data_range=1, win_size=win_size, **ASKED)


INTEGERS = {"bool": 33, "int8": 183, "uint8": 181, "int16": 15, "uint16": 11}


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("slow_in_double", [False, True])
def test_integers_up_to_windows_whose_sums_are_exact(gpu, request, dtype, slow_in_double):
    largest, edge = np.iinfo("uint8" if dtype == "bool" else dtype).max, INTEGERS[dtype]
    images = [(image * largest).astype(dtype) for image in pair((edge + 4, edge + 30), "float64")]
    images[0][:, edge:] = dtype == "bool" or largest  # the largest sums
    if slow_in_double:
        request.getfixturevalue("strict")
    for win_size in (3, edge, edge + 2):
        same(gpu, *images, data_range=largest, win_size=win_size, full=True)
        same(gpu, *images, data_range=largest, win_size=win_size, use_sample_covariance=False)


@pytest.mark.parametrize("data_range", [1e-9, 1e-3, 1, 1e4, 1e12, 1e25])
def test_integers_and_ranges_that_are_not_theirs(gpu, strict, data_range):
    for dtype in INTEGERS:
        images = pair((20, 40), dtype)
        if dtype == "bool":
            images = [image > 0 for image in np.random.default_rng(0).integers(0, 2, (2, 20, 40))]
        same(gpu, *images, data_range=data_range, full=True)
        same(gpu, *images, data_range=data_range, K1=0.3, full=True)


FEW_DIGITS = {
    "steps": np.arange(30 * 260).reshape(30, 260) % 64 / 64,
    "steps across a power of two": 0.97 + np.arange(30 * 260).reshape(30, 260) % 16 / 256,
    "bytes": data.camera()[100:140, 100:360] / 255,
    "dark below light": np.where(np.arange(40) < 20, 3.3, 1e-4)[:, None] * data.camera()[:40, :260],
    "black below light": np.where(np.arange(40) < 20, 1, 0)[:, None] * data.camera()[:40, :260],
    "black beside light": np.where(np.arange(260) < 100, 1, 0) * data.camera()[:40, :260],
    "hardly anything": 1e-18 * data.camera()[:40, :260],
}


@pytest.mark.parametrize("name", FEW_DIGITS)
def test_single_precision_where_cards_are_slow_in_double(gpu, strict, name):
    """Sums in two floats, and means of few digits, which are often between two floats."""
    first = FEW_DIGITS[name].astype(np.float32)
    second = first * np.float32(0.75)
    for win_size in (3, 7, 11):
        same(gpu, first, second, data_range=1, win_size=win_size, full=True)
    for sigma in (0.7, 1.5):
        bells = {"gaussian_weights": True, "sigma": sigma}
        same(gpu, first, second, data_range=1, **bells, full=True)


@pytest.mark.parametrize("sigma", [0.3, 1.5, 6])
@pytest.mark.parametrize("use_sample_covariance", [True, False])
def test_gaussian_windows(gpu_of_each_kind, sigma, use_sample_covariance):
    arguments = {"sigma": sigma, "use_sample_covariance": use_sample_covariance}
    images = pair((50, 60))
    same(gpu_of_each_kind, *images, data_range=1, gaussian_weights=True, **arguments, **ASKED)


@pytest.mark.parametrize("axis", [0, 1, 2, -1])
@pytest.mark.parametrize("shape", [(9, 20, 30), (3, 140, 7), (140, 8, 7)])
def test_channels_along_any_axis(gpu, axis, shape):
    images = [np.moveaxis(np.stack(pair(shape[:2]) * 2), 0, axis) for _ in range(2)]
    same(gpu, *images, data_range=1, channel_axis=axis, win_size=3, **ASKED)


def test_volumes_and_more_axes(gpu):
    same(gpu, *pair((8, 20, 30)), data_range=1, **ASKED)
    bells = {"gaussian_weights": True, "sigma": 0.5}
    same(gpu, *pair((7, 8, 9, 10), "float64"), data_range=1, **bells, **ASKED)
    images = pair((5, 6, 7, 4), "float64")
    for axis in (0, 1, 3):
        same(gpu, *images, data_range=1, win_size=3, channel_axis=axis, **ASKED)


@pytest.mark.parametrize("layout", [np.asfortranarray, lambda a: a[::-2, ::3]])
@pytest.mark.parametrize("dtype", ["uint8", "float32"])
def test_layouts(gpu_of_each_kind, layout, dtype):
    first, second = map(layout, pair((60, 70), dtype))
    same(gpu_of_each_kind, first, second, data_range=100, **ASKED)
    same(gpu_of_each_kind, first, np.ascontiguousarray(second), data_range=100)


def test_equal_images_and_flat_ones(gpu):
    image = data.camera()[::4, ::4]
    assert gpu(structural_similarity, image, image) == 1
    flat = np.full((20, 30), 0.3)
    same(gpu, flat, flat + 0.1, data_range=1, full=True)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_what_running_sums_spread_is_left_to_scikit_image(gpu, value):
    first, second = pair((20, 30))
    second[3, 4] = value
    with pytest.raises(Declined, match="infinit"):
        gpu(structural_similarity, first, second, data_range=1)


def test_warnings_and_refusals(gpu):
    first, second = pair((20, 30), "uint16")
    with pytest.warns(UserWarning, match="data_range = 65535"):
        gpu(structural_similarity, first, second)
    with pytest.warns(UserWarning, match="mismatched"):
        gpu(structural_similarity, first, second.astype("uint8"))
    for arguments in (
        {"win_size": 4},
        {"win_size": 21},
        {"K1": -1},
        {"win_size": 1},
        {"channel_axis": 2},
        {"sigma": 0, "gaussian_weights": True},
    ):
        assert gpu.invalid(structural_similarity, first, second, data_range=1, **arguments)
    assert gpu.invalid(structural_similarity, first, second[:-1])
    assert gpu.invalid(structural_similarity, first, second / 1.0)
    wide = {"data_range": np.float64(1)}
    assert "wider" in gpu.declined(structural_similarity, *pair((20, 30)), **wide)
    large = pair((500, 500), "uint8")
    assert "at most 401" in gpu.declined(structural_similarity, *large, win_size=403)


@pytest.mark.parametrize(("dtype", "item"), [("uint8", 8), ("float32", 4)])
def test_both_images_are_read_once_by_one_launch(gpu, counting, dtype, item):
    first, second = pair((200, 300), dtype)
    pixels, both = first.size, first.nbytes + second.nbytes
    little = 4000
    for arguments in ({}, {"gaussian_weights": True}):
        gpu(structural_similarity, first, second, data_range=1, **arguments)
        with counting() as counted:
            gpu(structural_similarity, first, second, data_range=1, **arguments)
        assert counted.launches == counted.to_host == 1
        assert both <= counted.kernel_bytes_read <= both + little
        assert counted.kernel_bytes_written <= little
        with counting() as counted:
            gpu(structural_similarity, first, second, data_range=1, full=True, **arguments)
        assert counted.launches == 1
        assert counted.kernel_bytes_written <= pixels * item + little
        with counting() as counted:
            gpu(structural_similarity, first, second, data_range=1, gradient=True, **arguments)
        assert counted.launches == 2
        assert counted.kernel_bytes_read <= 2 * both + 3 * pixels * item + little
        assert counted.kernel_bytes_written <= 4 * pixels * item + little


def test_windows_of_one_element_lose_no_digits_of_large_integers(gpu):
    rng = np.random.default_rng(0)
    images = [rng.integers(0, 2**31, (9, 4), np.int32) for _ in range(2)]
    options = {"win_size": 1, "data_range": 255, "use_sample_covariance": False, "full": True}
    expected = structural_similarity(*images, **options)
    actual = gpu(structural_similarity, *images, **options)
    np.testing.assert_allclose(actual[1], expected[1], rtol=1e-10, atol=0)


def test_channels_cost_no_launch(gpu, counting):
    images = [np.stack(pair((50, 60), "uint8") * 2, -1) for _ in range(2)]
    with counting() as counted:
        gpu(structural_similarity, *images, channel_axis=-1)
    assert counted.launches == 1


@pytest.mark.usefixtures("strict")
@pytest.mark.parametrize("gaussian_weights", [False, True])
def test_no_result_depends_on_the_order_of_threads(gpu, monkeypatch, gaussian_weights):
    # few blocks: each has several tiles to do, one after the other in the same shared memory
    monkeypatch.setattr("skimage_gpu_backend.device.kernels.resident_blocks", lambda threads: 2)
    images = pair((40, 140))
    means = set()
    for order in ("forward", "backward", "shuffled"):
        with cuda_simulator.thread_order(order):
            same(gpu, *images, data_range=1, gaussian_weights=gaussian_weights, **ASKED)
            volumes = [image.reshape(8, 10, 70) for image in images]
            means.add(gpu(structural_similarity, *volumes, data_range=1))
    assert len(means) == 1
