"""skimage.color on the device: HSV, and conversions from one space to another through RGB."""

import cupy as cp
import numpy as np
import pytest
from skimage import color, data

from tests.functions.color_agreement import agree

from .refused import IMAGE, refused
from .test_conversions import check

SPACES = ("RGB", "HSV", "RGB CIE", "XYZ", "YUV", "YIQ", "YPbPr", "YCbCr", "YDbDr")


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_hues_of_any_size_choose_the_sector_that_numpy_chooses(gpu, dtype):
    hues = [-1, -0.1, 1, 1.1, 42.5, 43, -43, 1e5, 3e8, 3.6e8, 1e15, -1e15, 1e30, np.nan, np.inf]
    image = np.array([[hue, 0.4, 0.9] for hue in hues], dtype)
    check(gpu, color.hsv2rgb, image)


@pytest.mark.parametrize("dtype", ["uint8", "float64"])
def test_ties_between_channels_and_greys_have_the_same_hue(gpu, dtype):
    levels = np.array([0, 1, 2, 255], dtype)
    image = np.stack(np.meshgrid(levels, levels, levels), axis=-1)
    result, expected = gpu(color.rgb2hsv, image), color.rgb2hsv(image)
    np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize("fromspace", SPACES)
def test_every_pair_of_spaces(gpu, fromspace):
    rgb = (data.astronaut()[:30, 100:140] / 255).astype(np.float32)
    image = color.convert_colorspace(rgb, "RGB", fromspace)
    for tospace in SPACES:
        for spelled in (tospace, tospace.lower()):
            result = gpu(color.convert_colorspace, image, fromspace, spelled)
            expected = color.convert_colorspace(image, fromspace, spelled)
            if tospace == "HSV" and fromspace != "RGB":
                # rounding in RGB decides on which side of 0 the hue of a red lies
                result, expected = cylinder(result), cylinder(expected)
            agree(result, expected, image)


def cylinder(hsv):
    """Hue as direction, saturation times value as length, value as height."""
    hue, saturation, value = np.moveaxis(hsv, -1, 0)
    direction = np.cos(2 * np.pi * hue), np.sin(2 * np.pi * hue)
    return np.stack([direction[0] * saturation * value, direction[1] * saturation * value, value])


def test_same_space_gives_the_image_itself(gpu):
    for image in (data.astronaut(), cp.ones((3, 4, 3)), cp.asarray(np.uint8(7))):
        assert gpu(color.convert_colorspace, image, "RGB", "rgb") is image


@pytest.mark.parametrize(("dtype", "error"), [("bool", TypeError), ("int8", OverflowError)])
def test_ycbcr_offsets_that_do_not_fit_are_refused_by_scikit_image(gpu, dtype, error):
    assert issubclass(refused(gpu, color.ycbcr2rgb, IMAGE.astype(dtype)), error)
    args = IMAGE.astype(dtype), "YCbCr", "HSV"
    assert issubclass(refused(gpu, color.convert_colorspace, *args), error)


@pytest.mark.parametrize(
    "spaces", [("RGB", "CMYK"), ("Lab", "RGB"), (None, "RGB"), ("RGB",), ("HSV", 3)]
)
def test_unknown_spaces_are_refused_by_scikit_image(gpu, spaces):
    refused(gpu, color.convert_colorspace, IMAGE, *spaces)


def test_wrong_channels_for_convert_colorspace_are_refused_by_scikit_image(gpu):
    refused(gpu, color.convert_colorspace, IMAGE[..., :2], "RGB", "HSV")
    refused(gpu, color.convert_colorspace, IMAGE, "YUV", "RGB", channel_axis=0)
