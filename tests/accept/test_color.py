"""Which calls of skimage.color run on the device."""

import numpy as np
import pytest
from skimage import color

IMAGE = np.full((6, 5, 3), 0.25, np.float32)
TO_AND_FROM_RGB = (
    "hsv",
    "xyz",
    "rgbcie",
    "yuv",
    "yiq",
    "ypbpr",
    "ycbcr",
    "ydbdr",
    "lab",
    "luv",
    "hed",
)
MOVED = [
    *(getattr(color, f"rgb2{space}") for space in (*TO_AND_FROM_RGB, "gray")),
    *(getattr(color, f"{space}2rgb") for space in TO_AND_FROM_RGB),
    *(color.xyz2lab, color.lab2xyz, color.xyz2luv, color.luv2xyz, color.lab2lch, color.lch2lab),
]
WHITE = [color.rgb2lab, color.lab2rgb, color.xyz2lab, color.lab2xyz, color.xyz2luv, color.luv2xyz]
PAIRS = [color.deltaE_cie76, color.deltaE_ciede94, color.deltaE_ciede2000, color.deltaE_cmc]


def refused(gpu, function, *args, **kwargs):
    """scikit-image raises, and the backend leaves it to scikit-image to raise."""
    with pytest.raises(Exception) as raised:
        function(*args, **kwargs)
    assert gpu.invalid(function, *args, **kwargs)
    return raised.type


@pytest.mark.parametrize("function", MOVED)
def test_wrong_arguments_are_refused_by_scikit_image(gpu, function):
    error = refused(gpu, function, IMAGE[..., :2])
    assert error is (IndexError if function is color.ycbcr2rgb else ValueError)
    assert refused(gpu, function, IMAGE, channel_axis=(0, 1)) is ValueError
    assert refused(gpu, function, IMAGE, channel_axis=3) is np.exceptions.AxisError
    assert refused(gpu, function, IMAGE, channel_axis=-4) is np.exceptions.AxisError
    assert refused(gpu, function, IMAGE, no_such_argument=1) is TypeError
    assert refused(gpu, function, IMAGE, 1, 2, 3) is TypeError
    assert refused(gpu, function, np.array(0.5)) is IndexError


@pytest.mark.parametrize("function", [f for f in MOVED if "lch" not in f.__name__])
def test_four_channels_are_refused_by_scikit_image(gpu, function):
    assert refused(gpu, function, np.zeros((4, 5, 4))) is ValueError
    assert refused(gpu, function, np.zeros((4, 3, 5)), channel_axis=0) is ValueError


@pytest.mark.parametrize("function", MOVED)
def test_image_given_by_keyword_keeps_its_axes(gpu, function):
    name = function.__name__.partition("2")[0]
    np.testing.assert_array_equal(gpu(function, **{name: IMAGE}), gpu(function, IMAGE))
    gpu(function, **{name: IMAGE}, channel_axis=-1)
    reason = gpu.declined(function, **{name: IMAGE.T}, channel_axis=0)
    assert reason == "the channels of an image given by keyword are not moved by channel_axis"


@pytest.mark.parametrize("axis", [-1.0, ((2,),), np.array([2])])
def test_odd_ways_to_name_an_axis_are_declined(gpu, axis):
    assert gpu.declined(color.rgb2hsv, IMAGE, channel_axis=axis)


@pytest.mark.parametrize("function", WHITE)
@pytest.mark.parametrize(
    "white",
    [
        {"illuminant": "F2"},
        {"observer": "5"},
        {"observer": 2},
        {"illuminant": None},
        {"illuminant": ["D65"]},
    ],
)
def test_unknown_white_point_is_refused_by_scikit_image(gpu, function, white):
    refused(gpu, function, IMAGE, **white)


@pytest.mark.parametrize("function", [color.lab2rgb, color.lab2xyz])
def test_one_float32_pixel_is_declined(gpu, function):
    negative, positive = np.float32([50, 0, 127]), np.float32([50, 0, 0])
    assert function(positive).dtype == np.float32
    with pytest.warns(UserWarning):
        assert function(negative).dtype == np.float64
    assert "depends on its value" in gpu.declined(function, positive)
    gpu(function, positive.astype(float))


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


@pytest.mark.parametrize("function", [color.separate_stains, color.combine_stains])
def test_matrices_of_other_shapes(gpu, function):
    for shape in ((2, 3), (2,), (), (2, 4, 3)):
        refused(gpu, function, IMAGE, np.ones(shape))
    refused(gpu, function, IMAGE)
    for matrix in (np.ones((3, 2)), np.ones(3), np.ones((2, 3, 3))):
        assert gpu.declined(function, IMAGE, matrix) == "conv_matrix is not 3 x 3"
    for dtype in (complex, np.longdouble):
        reason = gpu.declined(function, IMAGE, np.eye(3, dtype=dtype))
        assert reason.startswith("conv_matrix has dtype")
    assert gpu.declined(function, IMAGE, np.ma.array(np.eye(3))) == "conv_matrix is not an array"


RGBA = np.full((6, 5, 4), 0.25, np.float32)


@pytest.mark.parametrize("background", [(1, 1), (0, 0, 2), [-0.1, 0, 0], np.ones(4), 1])
def test_wrong_backgrounds_are_refused_by_scikit_image(gpu, background):
    with pytest.raises(ValueError):
        color.rgba2rgb(RGBA, background)
    assert gpu.declined(color.rgba2rgb, RGBA, background)


def test_wrong_rgba_images_are_refused_by_scikit_image(gpu):
    assert refused(gpu, color.rgba2rgb, IMAGE) is ValueError
    assert refused(gpu, color.rgba2rgb, RGBA, channel_axis=np.int64(2)) is TypeError
    assert refused(gpu, color.rgba2rgb, RGBA, channel_axis=None) is TypeError
    assert refused(gpu, color.rgba2rgb, RGBA, channel_axis=3) is np.exceptions.AxisError


@pytest.mark.parametrize("function", [color.gray2rgb, color.gray2rgba])
@pytest.mark.parametrize("axis", [4, -5, None, 1.0, (0,)])
def test_wrong_axes_for_grey_images_are_refused_by_scikit_image(gpu, function, axis):
    refused(gpu, function, IMAGE, channel_axis=axis)


def test_alpha_images_that_do_not_fit(gpu):
    image = np.ones((4, 5), np.uint8)
    for shape in ((4, 4), (5, 4), (1, 4, 5), (2,)):
        refused(gpu, color.gray2rgba, image, np.ones(shape, np.uint8))
    assert gpu.declined(color.gray2rgba, image, np.ones((1, 5), np.uint8)) == "alpha is broadcast"
    reason = gpu.declined(color.gray2rgba, image, np.ones((4, 5)))
    assert reason == "alpha has another dtype than the image"


@pytest.mark.parametrize("function", PAIRS)
def test_pairs_that_do_not_fit_are_refused_by_scikit_image(gpu, function):
    refused(gpu, function, IMAGE, IMAGE[:4])
    refused(gpu, function, IMAGE[..., :2], IMAGE[..., :2])
    refused(gpu, function, IMAGE, IMAGE[..., :2])
    refused(gpu, function, np.array(1.0), np.array(1.0))
    refused(gpu, function, IMAGE, IMAGE, channel_axis=1.0)
    if function is not color.deltaE_ciede2000:  # which takes the remainder
        refused(gpu, function, IMAGE, IMAGE, channel_axis=3)


def test_one_colour_with_fewer_axes_is_refused_by_ciede2000(gpu):
    refused(gpu, color.deltaE_ciede2000, IMAGE, IMAGE[0, 0])
    refused(gpu, color.deltaE_ciede2000, IMAGE[0, 0], IMAGE[:2])


@pytest.mark.parametrize("function", PAIRS)
def test_images_broadcast_along_some_axes_are_declined(gpu, function):
    reason = gpu.declined(function, IMAGE, IMAGE[:1])
    assert reason == "one image is broadcast along some of its axes"


def test_weights_that_would_change_the_dtype_are_declined(gpu):
    one = np.float64(1)
    assert color.deltaE_ciede94(IMAGE, IMAGE, kL=one).dtype == np.float64
    assert gpu.declined(color.deltaE_ciede94, IMAGE, IMAGE, kL=one) == "kL is not a plain number"
    gpu(color.deltaE_ciede94, IMAGE.astype(float), IMAGE, kL=one)


def test_two_float32_colours_are_declined_by_cmc(gpu):
    pixel = IMAGE[0, 0]
    assert color.deltaE_cmc(pixel, pixel).dtype == np.float64
    assert gpu.declined(color.deltaE_cmc, pixel, pixel)
