"""skimage.color on the device gives scikit-image's numbers: conversions of colour spaces."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from skimage import color, data

from .color_agreement import agree, quietly
from .images import DTYPES, images, layouts

LINEAR = ("rgbcie", "yuv", "yiq", "ypbpr", "ycbcr", "ydbdr")
FROM_RGB = [getattr(color, f"rgb2{s}") for s in (*LINEAR, "hsv", "xyz", "lab", "luv", "hed")]
TO_RGB = [getattr(color, f"{s}2rgb") for s in (*LINEAR, "hsv", "xyz", "lab", "luv", "hed")]
BETWEEN = [color.xyz2lab, color.lab2xyz, color.xyz2luv, color.luv2xyz, color.lab2lch, color.lch2lab]
ALL = [*FROM_RGB, *TO_RGB, *BETWEEN, color.rgb2gray]
SOME_DTYPES = ("uint8", "float32", "float64")
INVERSE = {
    **dict(zip(TO_RGB, FROM_RGB, strict=True)),
    color.xyz2lab: color.rgb2xyz,
    color.xyz2luv: color.rgb2xyz,
    color.lab2xyz: color.rgb2lab,
    color.lab2lch: color.rgb2lab,
    color.luv2xyz: color.rgb2luv,
    color.lch2lab: lambda rgb: color.lab2lch(color.rgb2lab(rgb)),
}
SPACES = ("RGB", "HSV", "RGB CIE", "XYZ", "YUV", "YIQ", "YPbPr", "YCbCr", "YDbDr")
# luv2rgb in float32: scikit-image itself is 3e-5 away from the exact numbers, since dark
# channels of saturated colours are differences that the gamma curve stretches
WIDER = {color.luv2rgb: {"single": 1e-4}}


def typical(function, rgb):
    """Values that occur: `rgb` in the space that `function` converts from."""
    return INVERSE[function](rgb) if function in INVERSE else rgb


def check(gpu, function, image, **kwargs):
    result = quietly(gpu, function, image, **kwargs)
    agree(result, quietly(function, image, **kwargs), image, **WIDER.get(function, {}))


@st.composite
def pixels(draw, dtype, special=()):
    """Colours along the last axis of an image of 1 to 4 dimensions, also without pixels."""
    shape = draw(st.lists(st.integers(0, 12), max_size=3))
    return draw(images((*shape, 3), dtype, special=special))


@pytest.mark.parametrize("function", ALL)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_photograph_there_and_back(gpu_of_each_kind, function, dtype):
    image = typical(function, data.astronaut()[100:200, 150:260] / 255).astype(dtype)
    check(gpu_of_each_kind, function, image)


@pytest.mark.parametrize("function", ALL)
def test_photograph_in_bytes(gpu_of_each_kind, function):
    check(gpu_of_each_kind, function, data.immunohistochemistry()[:90, 200:300])


@pytest.mark.parametrize("function", [color.rgb2hsv, color.rgb2yuv, color.ycbcr2rgb])
@given(st.data())
@settings(max_examples=60, deadline=None)
def test_any_dtype_and_layout(gpu, function, draws):
    wrong = ("bool", "int8") if function is color.ycbcr2rgb else ()
    dtype = draws.draw(st.sampled_from([d for d in DTYPES if d not in wrong]))
    check(gpu, function, draws.draw(pixels(dtype)))


@pytest.mark.parametrize("function", [f for f in ALL if "luv" not in f.__name__])
@given(st.data())
@settings(max_examples=15, deadline=None)
def test_any_image(gpu, function, draws):
    dtype = draws.draw(st.sampled_from(SOME_DTYPES))
    image = draws.draw(pixels(dtype))
    if image.ndim == 1 and function in (color.lab2rgb, color.lab2xyz):
        image = image[None]
    check(gpu, function, image)


@pytest.mark.parametrize("function", [f for f in ALL if "luv" in f.__name__])
@given(st.data())
@settings(max_examples=15, deadline=None)
def test_any_image_of_colours_that_exist(gpu, function, draws):
    dtype = draws.draw(st.sampled_from(SOME_DTYPES))
    shape = draws.draw(st.lists(st.integers(0, 12), max_size=3))
    rng = np.random.default_rng(draws.draw(st.integers(0, 999)))
    image = rng.random((*shape, 3))
    if dtype == "uint8":
        image = (image * 255).astype(dtype)
    else:
        image = typical(function, image).astype(dtype)
    check(gpu, function, draws.draw(layouts(image)))


@pytest.mark.parametrize("function", ALL)
@pytest.mark.parametrize("axis", [0, 1, -2, (2,), [0], np.int64(1), None])
def test_channels_along_any_axis(gpu, function, axis):
    image = typical(function, data.astronaut()[:40, :50] / 255).astype(np.float32)
    place = -1 if axis is None else axis[0] if isinstance(axis, tuple | list) else axis
    image = np.moveaxis(image.reshape(10, 4, 50, 3), -1, place)
    check(gpu, function, image, channel_axis=axis)
    check(gpu, function, np.ascontiguousarray(image), channel_axis=axis)


@pytest.mark.parametrize("function", ALL)
def test_not_a_number_and_infinity_go_where_numpy_sends_them(gpu, function):
    image = typical(function, np.random.default_rng(5).random((40, 40, 3)))
    values = np.random.default_rng(6).choice([np.nan, np.inf, -np.inf, 0.0, -1.0], image.shape)
    image = np.where(np.random.default_rng(7).random(image.shape) < 0.2, values, image)
    for dtype in (np.float32, np.float64):
        image = image.astype(dtype)
        result, expected = quietly(gpu, function, image), quietly(function, image)
        if function is color.rgb2hsv:
            # scikit-image leaves the hue of pixels with a NaN as it was in memory
            expected[np.isnan(image).any(axis=-1), 0] = 0
        agree(result, expected, image, **WIDER.get(function, {}))


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


@pytest.mark.parametrize("space", ["lab", "luv"])
@pytest.mark.parametrize("observer", ["2", "10", "R", "r"])
def test_every_white_point(gpu, space, observer):
    image = data.astronaut()[:30, :30] / 255
    for illuminant in ("A", "B", "c", "D50", "d55", "D65", "D75", "E"):
        white = {"illuminant": illuminant, "observer": observer}
        check(gpu, getattr(color, f"xyz2{space}"), color.rgb2xyz(image), **white)
        check(gpu, getattr(color, f"{space}2xyz"), getattr(color, f"rgb2{space}")(image), **white)
    check(gpu, color.rgb2lab, image, illuminant="D50", observer=observer)


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
    image = data.astronaut()
    assert gpu(color.convert_colorspace, image, "RGB", "rgb") is image


@pytest.mark.parametrize("function", [color.lab2lch, color.lch2lab])
def test_channels_beyond_lab_are_kept(gpu, function):
    image = np.random.default_rng(2).random((6, 5, 7)).astype(np.float32)
    check(gpu, function, image)
    check(gpu, function, np.moveaxis(image, -1, 0), channel_axis=0)
    check(gpu, function, (image * 255).astype(np.uint8), channel_axis=1)


def test_big_endian_images_give_native_ones(gpu):
    image = (data.astronaut()[:20, :20] / 255).astype(">f4")
    check(gpu, color.rgb2lab, image)


def test_input_is_unchanged(gpu_of_each_kind):
    image = (data.astronaut()[:20, :20] / 255).astype(np.float32)
    before = image.copy()
    for function in ALL:
        quietly(gpu_of_each_kind, function, image)
    np.testing.assert_array_equal(image, before)
