"""skimage.segmentation.mark_boundaries on the device paints scikit-image's pixels."""

import itertools

import numpy as np
import pytest
from skimage import data, measure
from skimage.segmentation import mark_boundaries

from skimage_gpu_backend.trouble import Declined
from tests.functions.images import DTYPES, noise

RNG = np.random.default_rng(22)
MODES = ("thick", "inner", "outer", "subpixel")
LABELS = measure.label(data.coins()[40:65, 20:57] > 120).astype(np.int32)
COLOR = data.astronaut()[60:85, 100:137]


def same(run, image, labels, *args, **options):
    expected = mark_boundaries(image, labels, *args, **options)
    result = run(mark_boundaries, image, labels, *args, **options)
    assert result.dtype == expected.dtype
    assert result.shape == expected.shape
    exact = options.get("mode") != "subpixel"
    close = 0 if exact else 1e-6 if result.dtype == np.float32 else 1e-13
    scale = np.abs(expected, where=np.isfinite(expected), out=np.zeros_like(expected)).max(
        initial=1
    )
    np.testing.assert_allclose(result, expected, 1e-15 * exact, close * scale)
    return expected


@pytest.mark.parametrize("dtype", DTYPES)
def test_any_dtype(gpu_of_each_kind, dtype):
    color = noise(RNG, COLOR.shape, dtype)
    for image, mode in itertools.product((color, color[..., 0]), MODES):
        same(gpu_of_each_kind, image, LABELS, mode=mode, outline_color=(0.1, 1, 0))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("shape", [(1, 1), (1, 9), (9, 1), (2, 3), (3, 2), (30, 41)], ids=str)
def test_any_shape(gpu, shape, mode):
    labels = RNG.choice(3, shape)
    for channels in ((), (1,), (2,), (3,), (4,)):
        image = RNG.random((*shape, *channels))
        color = 0.3 if channels and channels[0] != 3 else (0, 0.5, 1)
        same(gpu, image, labels, color, mode=mode)
        same(gpu, image, labels, color, 0.7, mode=mode)


@pytest.mark.parametrize(
    "color",
    [
        0.3,
        True,
        [1, 0, 0],
        np.array([0.2, 0.4, 0.6]),
        np.float32(0.1),
        [[0, 1, 0]],
        (np.nan, 2, -1),
    ],
)
def test_any_colour(gpu_of_each_kind, color):
    for image in (COLOR, COLOR.astype(np.float32)):
        same(gpu_of_each_kind, image, LABELS, color)
        same(gpu_of_each_kind, image, LABELS, (1, 0, 1), color)


def test_colours_may_lie_on_the_device(gpu):
    import cupy as cp

    color = np.array([0.2, 0.4, 0.6])
    result = gpu.cupy(mark_boundaries, COLOR, LABELS, cp.asarray(color))
    np.testing.assert_array_equal(result, mark_boundaries(COLOR, LABELS, color))


def test_another_background(gpu):
    for mode, background in itertools.product(MODES[1:3], (1, -1, 2.0, 1.5, 2**70)):
        same(gpu, COLOR, LABELS, mode=mode, background_label=background)


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int64", "uint64", "float32"])
def test_labels_of_any_dtype(gpu, dtype):
    for mode in MODES[: 2 if dtype == "float32" else 4]:
        same(gpu, COLOR, LABELS.astype(dtype), mode=mode)


def test_volumes_with_a_number_for_each_channel(gpu):
    labels = RNG.choice(3, (5, 6, 7))
    same(gpu, RNG.random((5, 6, 7, 3)), labels)
    same(gpu, RNG.random((5, 6, 7)), labels, 0.5)
    same(gpu, RNG.random(40), RNG.choice(3, 40), 0.5)


def test_images_of_any_layout(gpu):
    for image, labels in ((COLOR[::-1], LABELS.T.copy().T), (np.asfortranarray(COLOR), LABELS)):
        same(gpu, image, labels)
        same(gpu, image[:, ::2], labels[:, ::2], mode="subpixel")


def test_the_image_is_left_as_it_is(gpu):
    image = RNG.random((*LABELS.shape, 3))
    before = image.copy()
    for mode in MODES:
        gpu(mark_boundaries, image, LABELS, mode=mode)
    np.testing.assert_array_equal(image, before)


def test_numbers_that_are_not_finite_reach_what_they_reach_in_scikit_image(gpu):
    image = RNG.random((20, 31, 3))
    image[4, 5, 1] = np.nan
    labels = RNG.choice(3, image.shape[:2])
    for mode in MODES:
        same(gpu, image, labels, mode=mode)


def test_images_without_elements(gpu):
    same(gpu, np.zeros((0, 4)), np.zeros((0, 4), int))
    assert "elements" in gpu.declined(mark_boundaries, np.zeros((3, 4, 0)), LABELS, mode="subpixel")


@pytest.mark.parametrize(
    "image, labels, options",
    [
        (COLOR, LABELS[1:], {}),
        (COLOR, LABELS[:1, :1], {"mode": "subpixel"}),
        (COLOR, LABELS.astype(float), {}),
        (COLOR, LABELS.astype(np.float16), {}),
        (COLOR, np.ones(COLOR.shape, int), {"outline_color": 1}),
    ],
)
def test_what_scikit_image_refuses_it_refuses_itself(gpu, image, labels, options):
    with pytest.raises((ValueError, IndexError, RuntimeError)):
        mark_boundaries(image, labels, **options)
    assert gpu.invalid(mark_boundaries, image, labels, **options)


def test_what_is_left_to_scikit_image(gpu):
    assert "color" in gpu.declined(mark_boundaries, COLOR, LABELS, (1, 0))
    assert "color" in gpu.declined(mark_boundaries, COLOR, LABELS, "red")
    assert "outline_color" in gpu.declined(mark_boundaries, COLOR, LABELS, 1, (1, 0))
    single = COLOR.astype(np.float32)
    assert "color" in gpu.declined(mark_boundaries, single, LABELS, 1e39)
    assert "background_label" in gpu.declined(mark_boundaries, COLOR, LABELS, background_label="0")
    volume = RNG.random((3, 4, 5, 3))
    labels = np.ones((3, 4, 5), int)
    assert "mode" in gpu.declined(mark_boundaries, volume, labels, mode="subpixel")
    labels = LABELS.astype(np.int64)
    labels[3, 4] = 2**63 - 1
    with pytest.raises(Declined, match="largest"):
        gpu(mark_boundaries, COLOR, labels)


@pytest.mark.parametrize("mode, launches", [("outer", 2), ("subpixel", 5)])
def test_launches_and_bytes(gpu, counting, mode, launches):
    labels, image = RNG.choice(3, (60, 81)).astype(np.int32), RNG.random((60, 81, 3))
    with counting() as counts:
        result = gpu(mark_boundaries, image, labels, mode=mode, outline_color=(1, 0, 0))
    assert counts.launches == launches
    between = result.nbytes // 24 + (launches - 2) * image.nbytes
    assert counts.kernel_bytes_read <= image.nbytes + labels.nbytes + between + 64
    assert counts.kernel_bytes_written <= result.nbytes + between + 64
