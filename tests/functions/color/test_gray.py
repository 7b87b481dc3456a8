"""skimage.color on the device: grey images and alpha."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from skimage import color, data

from tests.functions.color_agreement import agree, messages, quietly
from tests.functions.images import DTYPES, FLOATS, images

from .refused import IMAGE, refused

GREY_SHAPES = st.lists(st.integers(0, 20), max_size=3)


def same(result, expected):
    assert type(result) is type(expected)
    assert result.dtype == expected.dtype
    np.testing.assert_array_equal(result, expected)


@given(st.data())
@settings(max_examples=80)
def test_grey_of_any_dtype_and_layout_is_spread(gpu, draws):
    image = draws.draw(images(draws.draw(GREY_SHAPES), draws.draw(st.sampled_from(DTYPES))))
    axis = draws.draw(st.integers(-image.ndim - 1, image.ndim))
    same(gpu(color.gray2rgb, image, channel_axis=axis), color.gray2rgb(image, channel_axis=axis))
    same(gpu(color.gray2rgba, image, channel_axis=axis), color.gray2rgba(image, channel_axis=axis))


@given(st.data())
@settings(max_examples=60)
def test_alpha_image_of_any_dtype_is_copied(gpu, draws):
    dtype = draws.draw(st.sampled_from(DTYPES))
    shape = draws.draw(GREY_SHAPES)
    image, alpha = draws.draw(images(shape, dtype)), draws.draw(images(shape, dtype))
    axis = draws.draw(st.integers(-image.ndim - 1, image.ndim))
    result = gpu(color.gray2rgba, image, alpha, channel_axis=axis)
    same(result, color.gray2rgba(image, alpha, channel_axis=axis))


@pytest.mark.parametrize("size", [4095, 4096, 5001])
@pytest.mark.parametrize("dtype", ["uint8", "uint16", "float32", "float64"])
def test_images_larger_than_a_tile(gpu_of_each_kind, dtype, size):
    image = np.random.default_rng(0).uniform(0, 99, size).astype(dtype)
    same(gpu_of_each_kind(color.gray2rgb, image), color.gray2rgb(image))
    same(gpu_of_each_kind(color.gray2rgba, image, alpha=3), color.gray2rgba(image, alpha=3))


@pytest.mark.parametrize(
    "alpha",
    [0, 7, 1.0, 0.5, 300, -1, True, np.nan, 1e30, np.array(3), np.array([2.5]), np.array([[1]])],
)
@pytest.mark.parametrize("dtype", ["bool", "uint8", "int16", "float16", "float64"])
def test_alpha_that_cannot_be_cast_is_told(gpu_of_each_kind, dtype, alpha):
    image = data.camera()[:20, :20].astype(dtype)
    result = quietly(gpu_of_each_kind, color.gray2rgba, image, alpha)
    same(result, quietly(color.gray2rgba, image, alpha))
    told = messages(gpu_of_each_kind, color.gray2rgba, image, alpha)
    expected = messages(color.gray2rgba, image, alpha)
    assert [t[:2] for t in told] == [t[:2] for t in expected]


@pytest.mark.parametrize("dtype", FLOATS)
def test_alpha_image_with_nan_is_told(gpu_of_each_kind, dtype):
    image = np.ones((9, 9), dtype)
    alpha = image.copy()
    assert messages(gpu_of_each_kind, color.gray2rgba, image, alpha) == []
    alpha[3, 4] = np.nan
    told = messages(gpu_of_each_kind, color.gray2rgba, image, alpha)
    assert [t[0] for t in told] == [t[0] for t in messages(color.gray2rgba, image, alpha)]
    result = quietly(gpu_of_each_kind, color.gray2rgba, image, alpha)
    same(result, quietly(color.gray2rgba, image, alpha))


def test_grey_of_one_pixel_is_a_scalar(gpu_of_each_kind):
    for pixel in (np.array([9, 8, 7], np.uint8), np.float32([0.1, 0.5, 0.2])):
        result, expected = gpu_of_each_kind(color.rgb2gray, pixel), color.rgb2gray(pixel)
        agree(result, expected, pixel)


@pytest.mark.parametrize("axis", [-1, 0, 1])
@pytest.mark.parametrize("dtype", ["uint8", "float16", "float32", "float64"])
def test_alpha_is_blended_with_the_background(gpu_of_each_kind, dtype, axis):
    image = np.random.default_rng(1).uniform(0, 1, (20, 31, 4))
    image = (image * 255 if dtype == "uint8" else 1.5 * image - 0.2).astype(dtype)
    if dtype != "uint8":
        image[0, 0], image[1, 1, 3] = np.nan, np.inf
    image = np.moveaxis(image, -1, axis)
    for background in ((1, 1, 1), [0, 0.5, 1], np.array([[0.25, 0, 1]]), np.array([1, 0, 1], "u1")):
        result = quietly(
            gpu_of_each_kind, color.rgba2rgb, image, background=background, channel_axis=axis
        )
        expected = quietly(color.rgba2rgb, image, background=background, channel_axis=axis)
        agree(result, expected, image)


@pytest.mark.usefixtures("enabled")
def test_background_on_the_device_is_checked_as_any_other():
    import cupy as cp

    image = np.zeros((2, 2, 4))
    with pytest.raises(ValueError) as expected:
        color.rgba2rgb(image, (0, 2, 0))
    with pytest.raises(ValueError) as raised:
        color.rgba2rgb(cp.asarray(image), cp.asarray([0.0, 2.0, 0.0]))
    assert str(raised.value) == str(expected.value)


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
@pytest.mark.parametrize("axis", [4, -5])
def test_wrong_axes_for_grey_images_are_refused_by_scikit_image(gpu, function, axis):
    refused(gpu, function, IMAGE, channel_axis=axis)


@pytest.mark.parametrize("function", [color.gray2rgb, color.gray2rgba])
@pytest.mark.parametrize("axis", [None, 1.0, (0,)])
def test_axes_of_another_type_are_left_to_scikit_image(gpu, function, axis):
    reason = gpu.declined(function, IMAGE, channel_axis=axis)
    assert reason == f"channel_axis={axis} is not an integer; give one"


def test_alpha_images_that_do_not_fit(gpu):
    image = np.ones((4, 5), np.uint8)
    for shape in ((4, 4), (5, 4), (1, 4, 5), (2,)):
        refused(gpu, color.gray2rgba, image, np.ones(shape, np.uint8))
    assert (
        gpu.declined(color.gray2rgba, image, np.ones((1, 5), np.uint8))
        == "alpha has another shape than the image; give numpy.broadcast_to(alpha, image.shape)"
    )
    assert "numpy.asarray(image)" in gpu.declined(color.gray2rgba, None, np.array(22, np.uint8))
    reason = gpu.declined(color.gray2rgba, image, np.ones((4, 5)))
    assert reason == "alpha has another dtype than the image; give alpha.astype(image.dtype)"
