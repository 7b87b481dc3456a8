"""skimage.exposure.match_histograms on the device."""

import numpy as np
import pytest
from skimage import data

from skimage_gpu_backend.functions.exposure import match_histograms
from skimage_gpu_backend.trouble import Declined

from .levels import AXES, MATCH, color, photograph, same

INTEGER_PAIRS = [
    ("uint8", "uint8"),
    ("uint8", "uint16"),
    ("int8", "uint8"),
    ("int16", "int16"),
    ("uint16", "uint32"),
    ("int32", "int8"),
    ("uint64", "uint8"),
    ("bool", "bool"),
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("dtype", "other"), INTEGER_PAIRS)
def test_matching_gray_images(gpu_of_each_kind, dtype, other):
    image = photograph(dtype)
    reference = photograph(other, np.s_[300:40:-3, ::2])
    if other[0] == "i":
        reference -= 70
    try:
        MATCH(image, reference)
    except TypeError:  # NumPy does not count 64 bits without a sign
        return
    same(gpu_of_each_kind, MATCH, image, reference, bound=1e-11)


@pytest.mark.parametrize("dtype", ["uint8", "int16", "int32"])
@pytest.mark.parametrize("layout", AXES)
def test_matching_channels(gpu, dtype, layout):
    image = color(dtype, layout)
    if dtype[0] == "i":
        image = image - image.dtype.type(90)
    for reference in (image[::-1, :1:-1] // 2, image.copy(), image[1:] + 5):
        if reference.shape[AXES[layout]] == image.shape[AXES[layout]]:
            same(gpu, MATCH, image, reference, channel_axis=AXES[layout])


FLOATS = [("float16", 1e-5), ("float32", 1e-5), ("float64", 1e-11)]


@pytest.mark.parametrize(("dtype", "bound"), FLOATS)
def test_matching_floats(gpu_of_each_kind, dtype, bound):
    rng = np.random.default_rng(6)
    few, reference = photograph(dtype), photograph(dtype, np.s_[300:40:-3, ::2]) ** 2
    many = rng.normal(size=(90, 101)).astype(dtype)
    for image, other in ((few, reference), (many, reference), (few, many), (many, many[:50] * 3)):
        same(gpu_of_each_kind, MATCH, image, other, bound=bound)


@pytest.mark.parametrize(("dtype", "bound"), FLOATS[1:])
@pytest.mark.parametrize("layout", AXES)
def test_matching_channels_of_floats(gpu, dtype, bound, layout):
    image = color(dtype, layout)
    reference = image[::-1] ** 2 if layout == "planes" else image[3::2] - 1
    same(gpu, MATCH, image, reference, channel_axis=AXES[layout], bound=bound)


@pytest.mark.parametrize(("dtype", "bound"), FLOATS)
def test_matching_large_images_in_buckets(gpu, monkeypatch, dtype, bound):
    monkeypatch.setattr(match_histograms, "_SEARCHED", 1)
    rng = np.random.default_rng(5)
    few = rng.integers(0, 9, (70, 80)).astype(dtype)
    many = rng.normal(size=(90, 101)).astype(dtype)
    far = many.copy()
    far[3, 4] = 6e4  # the others are in one bucket
    for image, other in ((few, many), (many, few), (far, many), (few[:1, :1], many)):
        same(gpu, MATCH, image, other, bound=bound)
    if dtype != "float16":
        image = color(dtype, next(iter(AXES)))
        same(gpu, MATCH, image, image**2, channel_axis=next(iter(AXES.values())), bound=bound)


def test_matching_sorts_both_images_and_takes_two_launches_more(gpu, counting):
    image = data.camera().astype(np.float32)
    with counting() as counts:
        result = gpu(MATCH, image, image[::-1] / 2)
    assert counts.launches == 4
    assert counts.kernel_bytes_read <= 7 * image.nbytes + 4
    assert counts.kernel_bytes_written <= 4 * result.nbytes + 4


def test_large_channels_are_sorted_one_by_one(gpu, counting):
    image = np.random.default_rng(0).random((2, 512, 513))
    with counting() as counts:
        same(gpu, MATCH, image, image[:, ::-1] / 2, channel_axis=0)
    assert counts.sorts == 4


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_matching_with_what_is_not_finite_is_left_to_others(gpu, value):
    image, other = photograph("float32"), photograph("float32")
    other[3, 5] = value
    with pytest.raises(Declined, match="infinities"):
        gpu(MATCH, image, other)
    if np.isnan(value):
        with pytest.raises(Declined, match="infinities"):
            gpu(MATCH, other, image)
    else:
        same(gpu, MATCH, other, image, bound=1e-6)


def test_matching_colors_takes_three_launches(gpu, counting):
    image = data.astronaut()
    with counting() as counts:
        gpu(MATCH, image, image[::-1] // 2, channel_axis=-1)
    assert counts.launches == 3
    assert counts.kernel_bytes_read <= 3 * image.nbytes + 3 * 256 * 8
    assert counts.kernel_bytes_written <= image.nbytes + 2 * 3 * 256 * 8
