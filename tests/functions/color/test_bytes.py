"""8-bit images, whose values are looked up: the results of their float64 images."""

import cupy as cp
import numpy as np
import pytest
from skimage import color, util

from tests.functions.color_agreement import agree, quietly

from .test_conversions import ALL

# Values whose neighbours, thirds and halves are there, for colours of each with each.
SOME = np.array([0, 1, 2, 3, 10, 11, 31, 85, 127, 128, 170, 254, 255], np.uint8)
# Takes values as they are stored.
UNSCALED = (color.ycbcr2rgb,)


def colours_of(red, green, blue):
    return np.stack(np.meshgrid(red, green, blue, indexing="ij"), axis=-1).reshape(-1, 1, 3)


def pairwise():
    """Colours in which each two values of a channel meet each value of another one."""
    every = np.arange(256, dtype=np.uint8)
    first, second = np.meshgrid(every, every)
    return np.stack([first, second, first * 7 + second * 13], axis=-1)


@pytest.mark.parametrize(
    ("function", "dtype"),
    [(f, "uint8") for f in ALL if f not in UNSCALED]
    + [(f, "int8") for f in (color.rgb2hsv, color.rgb2lab, color.rgb2yuv)],
)
def test_an_8_bit_image_gives_what_its_float64_image_gives(gpu, function, dtype):
    image = colours_of(SOME, SOME, SOME).view(dtype)
    for some in (image, np.repeat(np.arange(256, dtype="u1").view(dtype), 3).reshape(16, 16, 3)):
        result = quietly(gpu, function, some)
        expected = quietly(gpu, function, util.img_as_float64(some))
        agree(result, expected, image)


def test_hues_of_8_bit_images_are_scikit_images(gpu):
    image = pairwise()
    for some in (image, np.roll(image, 1, axis=-1), np.roll(image, 2, axis=-1)):
        agree(gpu(color.rgb2hsv, some), color.rgb2hsv(some), some)


@pytest.mark.exhaustive
@pytest.mark.parametrize("function", [color.rgb2hsv, color.rgb2lab, color.rgb2gray, color.rgb2hed])
def test_all_colours(gpu, function):
    """2^24 of them: as float64 images, and hues as scikit-image."""
    every = np.arange(256, dtype=np.uint8)
    for red in range(0, 256, 8):
        image = colours_of(np.arange(red, red + 8, dtype=np.uint8), every, every)
        result = gpu(function, image)
        agree(result, gpu(function, util.img_as_float64(image)), image)
        if function is color.rgb2hsv:
            agree(result, function(image), image)


def test_a_table_is_filled_by_blocks_of_any_size(gpu):
    from unittest import mock

    from skimage_gpu_backend import again
    from skimage_gpu_backend.device import launches

    image, launch = pairwise(), launches.launch
    expected = gpu(color.rgb2lab, image)
    for block in (1, 33, 320):
        smaller = mock.Mock(side_effect=lambda *a, b=block, **k: launch(*a, **{**k, "block": b}))
        with mock.patch.object(launches, "launch", smaller), mock.patch.object(again, "_known", {}):
            np.testing.assert_array_equal(gpu(color.rgb2lab, cp.asarray(image)).get(), expected)
        assert smaller.called
