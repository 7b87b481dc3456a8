"""skimage.color.label2rgb on the device paints scikit-image's colours, to the last bit."""

import itertools

import numpy as np
import pytest
from skimage import data, measure
from skimage.color import label2rgb

from skimage_gpu_backend.trouble import Declined
from tests.functions.images import DTYPES, INTEGERS, noise

RNG = np.random.default_rng(24)
LABELS = measure.label(data.coins()[40:65, 20:57] > 120).astype(np.int32)
GRAY = data.coins()[40:65, 20:57]
COLOR = data.astronaut()[60:85, 100:137]


def same(run, *args, **options):
    expected = label2rgb(*args, **options)
    result = run(label2rgb, *args, **options)
    assert result.dtype == expected.dtype
    assert result.shape == expected.shape
    if options.get("kind") != "avg":
        np.testing.assert_array_equal(result, expected)
        return
    small = any(getattr(a, "dtype", None) in (np.float16, np.float32) for a in args)
    bound = 2e-6 if small else 1e-13
    if expected.dtype == np.float16:
        bound = 1e-3
    scale = max(1, np.abs(expected.astype(float)).max(initial=1))
    np.testing.assert_allclose(result, expected, rtol=0, atol=bound * scale)


@pytest.mark.parametrize("dtype", ["bool", *INTEGERS])
def test_labels_of_any_dtype(gpu_of_each_kind, dtype):
    labels = LABELS.astype(dtype)
    for background, color in itertools.product((0, 1, 5, 99, 10**6), ((0, 0, 0), "red", None)):
        same(gpu_of_each_kind, labels, bg_label=background, bg_color=color)
        same(gpu_of_each_kind, labels, GRAY, bg_label=background, bg_color=color)


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "int64"])
def test_labels_below_zero_and_backgrounds_below_these(gpu, dtype):
    labels = (LABELS % 9).astype(dtype) - 4
    for background, color in itertools.product((-100, -5, -4, -1, 0, 4, 5), ((0, 1, 0), None)):
        same(gpu, labels, COLOR, bg_label=background, bg_color=color)


def test_more_labels_than_their_narrowest_dtype_numbers(gpu):
    labels = np.arange(256).reshape(16, 16)
    for background in (300, 255, 0):
        same(gpu, labels, bg_label=background)
        same(gpu, labels, bg_label=background, bg_color=None)
    same(gpu, 10**6 * labels)


@pytest.mark.parametrize("kind", ["overlay", "avg"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_images_of_any_dtype(gpu_of_each_kind, dtype, kind):
    image = (
        noise(RNG, COLOR.shape, dtype) if np.dtype(dtype).kind != "f" else RNG.random(COLOR.shape)
    )
    image = np.abs(image) if np.dtype(dtype).kind == "i" else image
    if kind == "avg" and dtype in ("int64", "uint64"):
        return
    same(gpu_of_each_kind, LABELS, image.astype(dtype), kind=kind)


@pytest.mark.parametrize("saturation", [0, 0.4, 1])
def test_saturation_and_opacity(gpu, saturation):
    for alpha, below in itertools.product((0, 0.3, 1), (0, 0.5, 1)):
        for image in (COLOR, GRAY, COLOR.astype(np.float32)):
            same(gpu, LABELS, image, alpha=alpha, image_alpha=below, saturation=saturation)


@pytest.mark.parametrize(
    "colors",
    [
        ["red", "blue"],
        [(0, 0, 1), (0.5, 1, 0)],
        [(1, 0, 0)],
        np.eye(3),
        [(1, 0.5, 0, 0.2)],
        ("pink",),
    ],
)
def test_any_colours(gpu, colors):
    same(gpu, LABELS, COLOR, colors, bg_color=(0.1, 0.2, 0.3))
    same(gpu, LABELS, None, colors, bg_color=[1, 0, 0])


@pytest.mark.parametrize("kind", ["overlay", "avg"])
def test_channels_along_any_axis(gpu, kind):
    for axis in (0, 1, 2, -3):
        same(gpu, LABELS, np.moveaxis(COLOR, -1, axis), kind=kind, channel_axis=axis)
    same(gpu, LABELS, np.ascontiguousarray(GRAY.T), channel_axis=0)
    volume = RNG.choice(5, (4, 5, 6))
    same(gpu, volume, RNG.random((4, 5, 6, 3)), kind=kind)
    same(gpu, RNG.choice(5, 40), RNG.random((40, 3)), kind=kind)


def test_means_with_another_background(gpu):
    for background, color in ((0, (1, 2, 3)), (3, 7), (99, 1)):
        same(gpu, LABELS, COLOR, bg_label=background, bg_color=color, kind="avg")


def test_warnings_are_scikit_images(gpu):
    image = RNG.random(COLOR.shape) - 0.5
    for options, match in (({"saturation": 2}, "saturation"), ({}, "Negative")):
        with pytest.warns(UserWarning, match=match) as theirs:
            label2rgb(LABELS, image, **options)
        with pytest.warns(UserWarning, match=match) as ours:
            gpu(label2rgb, LABELS, image, **options)
        assert [str(w.message) for w in ours] == [str(w.message) for w in theirs]


@pytest.mark.parametrize(
    "args, options",
    [
        ((LABELS, COLOR[1:]), {}),
        ((LABELS, np.zeros((*LABELS.shape, 4))), {}),
        ((LABELS,), {"kind": "no such"}),
        ((LABELS,), {"colors": ["no such"]}),
        ((LABELS.astype(np.uint8),), {"bg_label": -1}),
        ((LABELS.astype(np.int8),), {"bg_label": -300}),
        ((LABELS, COLOR), {"channel_axis": 3}),
        ((LABELS,), {"kind": "avg"}),
    ],
)
def test_what_scikit_image_refuses_it_refuses_itself(gpu, args, options):
    with pytest.raises(Exception) as error:
        label2rgb(*args, **options)
    assert isinstance(error.value, ValueError | KeyError | OverflowError | AttributeError)
    assert gpu.invalid(label2rgb, *args, **options)


def test_what_is_left_to_scikit_image(gpu):
    assert "label" in gpu.declined(label2rgb, LABELS.astype(float))
    assert "bg_label" in gpu.declined(label2rgb, LABELS, bg_label=0.5)
    with pytest.raises(Declined, match="beyond"):  # where scikit-image counts from the least label
        gpu(label2rgb, LABELS.astype(np.uint8) + 1, bg_label=300)
    assert "alpha" in gpu.declined(label2rgb, LABELS, COLOR, alpha=np.float64(0.5))
    assert "colors" in gpu.declined(label2rgb, LABELS, colors=[])
    assert "kind" in gpu.declined(label2rgb, LABELS, GRAY, kind="avg")
    assert "bg_color" in gpu.declined(label2rgb, LABELS, COLOR, kind="avg", bg_color=(1, 2, 300))
    with pytest.raises(Declined, match="True everywhere"):
        gpu(label2rgb, np.ones((3, 4), bool), bg_label=3)
    with pytest.raises(Declined, match="wrap"):
        gpu(label2rgb, np.array([[-100, 100]], np.int8))


def test_the_number_of_labels_does_not_decide_about_launches(gpu, counting):
    def launched(labels, kind):
        with counting() as counts:
            gpu(label2rgb, labels, RNG.random((60, 70, 3)), kind=kind)
        return counts.launches

    few, many = RNG.integers(0, 3, (60, 70)), RNG.integers(0, 900, (60, 70))
    assert launched(few, "overlay") == launched(many, "overlay") == 9
    assert launched(few, "avg") == launched(many, "avg")
