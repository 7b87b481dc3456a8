"""Canny's edges on the device: scikit-image's, pixel for pixel."""

import numpy as np
import pytest
from skimage import data
from skimage.draw import disk
from skimage.feature import canny

import cuda_simulator
from tests.functions.filter_agreement import BORDERS, MODES

CAMERA = data.camera()[60:190, 100:233]
RNG = np.random.default_rng(0)
DTYPES = ["bool", "uint8", "int8", "uint16", "int16", "uint32", "int32", "float32", "float64"]


def same(gpu, image, *args, **kwargs):
    before = image.copy()
    result = gpu(canny, image, *args, **kwargs)
    np.testing.assert_array_equal(image, before)
    expected = canny(image, *args, **kwargs)
    assert result.dtype == expected.dtype
    np.testing.assert_array_equal(result, expected)
    return expected


def drawn():
    """Squares and a disk: many gradients beside each other are equal."""
    image = np.zeros((80, 90))
    image[10:40, 12:50] = 1
    image[20:30, 20:30] = 0.25
    image[disk((55, 60), 18)] = 0.5
    image[50:60, 50:60] += 0.1
    return image


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_dtype_and_layout(gpu_of_each_kind, dtype):
    image = CAMERA > 90 if dtype == "bool" else CAMERA.astype(dtype)
    if dtype == "int8":
        image = (CAMERA // 2).astype(dtype)
    thresholds = (0.02, 0.1) if image.dtype.kind == "f" else (3, 12)
    image = image / np.array(255, dtype) if image.dtype.kind == "f" else image
    for layout in (image, np.asfortranarray(image), image[::-2, 1::3]):
        assert same(gpu_of_each_kind, layout, 1, *thresholds).any() or dtype == "bool"


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("sigma", [0, 0.1, 0.5, 1, 2, 3, 4, (0.5, 2)])
def test_ties_of_drawn_images_and_flat_parts(gpu, dtype, sigma):
    for mode in ("constant", "nearest"):
        assert same(gpu, drawn().astype(dtype), sigma, mode=mode).any()


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("dtype", ["uint8", "float32"])
def test_modes_and_masks(gpu, mode, masked, dtype):
    image = CAMERA if dtype == "uint8" else (CAMERA / 255).astype(dtype)
    mask = RNG.random(image.shape) > 0.001 if masked else None
    for sigma in (0.7, 2, 4):
        for cval in (0, 0.75):
            same(gpu, image, sigma, mask=mask, mode=mode, cval=cval)


@pytest.mark.parametrize("dtype", ["uint8", "int64", "float64"])
def test_masks_of_numbers(gpu, dtype):
    mask = (RNG.random(CAMERA.shape) > 0.001) * np.array(3, dtype)
    same(gpu, CAMERA, 1, mask=mask)
    same(gpu, CAMERA, 1, mask=np.asfortranarray(mask), mode="reflect")


@pytest.mark.parametrize("dtype", ["uint8", "float32", "float64"])
@pytest.mark.parametrize("quantiles", [(None, None), (0.5, 0.9), (0, 1), (0.3, 0.3)])
def test_quantiles(gpu, dtype, quantiles):
    image = CAMERA if dtype == "uint8" else (CAMERA / 255).astype(dtype)
    same(gpu, image, 1.5, *quantiles, use_quantiles=True)
    same(gpu, image, 1.5, *quantiles, use_quantiles=True, mask=image > image.mean() / 3)


@pytest.mark.parametrize(
    "thresholds", [(0, 0), (-1, 0.1), (0.1, 0.1), (np.float64(0.05), np.float64(0.1))]
)
def test_thresholds(gpu, thresholds):
    for dtype in (np.float32, np.float64):
        same(gpu, (CAMERA / 255).astype(dtype), 1, *thresholds)


@pytest.mark.parametrize("length", BORDERS)
def test_lengths_at_which_tiles_end(gpu, length):
    image = np.random.default_rng(length).random((129, 129))
    for shape in ((length, 70), (70, length), (length, length)):
        same(gpu, image[: shape[0], : shape[1]], 1, 0.2, 0.5)


def test_edges_are_connected_along_diagonals_across_tiles(gpu):
    """One strong end of a long, weak diagonal edge keeps all of it, in both directions."""
    y, x = np.mgrid[:150, :170]
    for along in (x - y, x + y - 150):
        image = np.where(along > 0, 0.3, 0.0)
        image[:6] *= 3
        kept = same(gpu, image, 1, 0.1, 1.5)
        assert kept.any()
        assert kept.sum() > 100


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_what_is_not_finite(gpu, value):
    image = CAMERA / 255
    image[20, 30] = value
    with np.errstate(invalid="ignore"):
        same(gpu, image)


# Where both slopes are equal, or one is zero, only one neighbour on each side counts, with a
# weight of 1; which of the others takes part, with a weight of 0, matters where it is infinite.
Y, X = np.mgrid[-9:10, -9:10]
TIES = {
    "equal slopes, falling": (Y + X > 0, (-1, 2)),
    "equal slopes, rising": (Y - X > 0, (2, 1)),
    "no slope down, bright left": (X < 0, (2, 1)),
    "no slope down, bright right": (X > 0, (2, 1)),
    "no slope across, bright above": (Y < 0, (1, 2)),
    "no slope across, bright below": (Y > 0, (1, 2)),
}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(("bright", "overflow"), TIES.values(), ids=TIES)
def test_ties_beside_magnitudes_that_overflow(gpu, dtype, bright, overflow):
    image = bright.astype(dtype)
    centre = (9, 9)
    with np.errstate(over="ignore", invalid="ignore"):
        assert same(gpu, image, 0, 0.1, 0.2, mode="nearest")[centre]
        image[9 + overflow[0], 9 + overflow[1]] = np.finfo(dtype).max / 1e9
        assert not same(gpu, image, 0, 0.1, 0.2, mode="nearest")[centre]


def test_calls_that_are_left_to_others(gpu):
    assert "farther" in gpu.declined(canny, CAMERA, 4.2)
    assert "single" in gpu.declined(canny, CAMERA.astype("f4"), cval=0.7)
    for wrong in (
        {"sigma": -1},
        {"mode": "no such"},
        {"low_threshold": 90, "high_threshold": 10},
        {"low_threshold": 2, "use_quantiles": True},
        {"mask": np.ones((3, 4), bool)},
    ):
        assert gpu.invalid(canny, CAMERA, **wrong)
    assert gpu.invalid(canny, CAMERA.astype("int64"))
    assert gpu.invalid(canny, np.zeros((4, 5, 6)))


@pytest.mark.parametrize("dtype", ["uint8", "float32", "float64"])
def test_four_launches_whatever_the_image_shows(gpu, counting, dtype):
    for image in (data.camera().astype(dtype), np.zeros((512, 512), dtype)):
        with counting() as counts:
            gpu(canny, image, 1, 0, 0.1)
        assert counts.launches == 4
        assert counts.to_host <= 1  # the result
        assert counts.kernel_bytes_read <= image.nbytes + (1 + 4) * image.size
        assert counts.kernel_bytes_written <= (1 + 4 + 4 + 1) * image.size + 8


def test_no_edge_depends_on_the_order_of_threads(gpu, monkeypatch, strict):
    image = CAMERA[:70, :90]
    monkeypatch.setattr("skimage_gpu_backend.device.kernels.resident_blocks", lambda threads: 2)
    for order in ("forward", "backward", "shuffled"):
        with cuda_simulator.thread_order(order):
            same(gpu, image, 1, 2, 20)
            same(gpu, image, 1, 2, 20, mask=image > 20)
