"""skimage.color on the device: colour differences."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from skimage import color, data

from tests.functions.color_agreement import agree, quietly
from tests.functions.images import DTYPES, layouts

from .refused import IMAGE, refused

ALL = [color.deltaE_cie76, color.deltaE_ciede94, color.deltaE_ciede2000, color.deltaE_cmc]
# The square is what agrees: for nearly equal colours the formula takes the square root of
# a difference of large numbers, in scikit-image as here.
ROOTS = (color.deltaE_ciede94, color.deltaE_cmc)
LAB = color.rgb2lab(data.astronaut()[100:140, 150:200])
OTHER = color.rgb2lab(data.astronaut()[140:180, 150:200])


def check(gpu, function, lab1, lab2, **kwargs):
    result = quietly(gpu, function, lab1, lab2, **kwargs)
    expected = quietly(function, lab1, lab2, **kwargs)
    wider = max(lab1, lab2, key=lambda lab: lab.dtype.itemsize if lab.dtype.kind == "f" else 8)
    assert result.dtype == expected.dtype
    if function in ROOTS:
        # in units of the colours' own squares, which cancel
        scale = max(1, np.nanmax(np.abs(lab1.astype(float)), initial=0)) ** 2
        result, expected = (np.asarray(x) ** 2 / scale for x in (result, expected))
        bound = 1e-5 if wider.dtype.itemsize <= 4 and wider.dtype.kind == "f" else 1e-10
        np.testing.assert_allclose(result, expected, rtol=bound, atol=bound)
    else:
        agree(result, expected, wider)


@pytest.mark.parametrize("function", ALL)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_two_photographs(gpu_of_each_kind, function, dtype):
    check(gpu_of_each_kind, function, LAB.astype(dtype), OTHER.astype(dtype))


@pytest.mark.parametrize("function", ALL)
def test_channels_along_any_axis(gpu, function):
    for axis in (0, 1, -2):
        pair = (np.moveaxis(lab, -1, axis) for lab in (LAB, OTHER))
        check(gpu, function, *pair, channel_axis=axis)
    further = [np.concatenate([lab, lab], axis=-1) for lab in (LAB, OTHER)]
    check(gpu, function, *further)


@pytest.mark.parametrize("function", ALL)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_photograph_against_one_colour(gpu_of_each_kind, function, dtype):
    image, colour = LAB.astype(dtype), np.array([[[60, 20, -30]]], dtype)
    check(gpu_of_each_kind, function, image, colour)
    check(gpu_of_each_kind, function, colour, image)
    if function is not color.deltaE_ciede2000:  # which wants as many axes
        check(gpu_of_each_kind, function, image[0], colour)
        check(gpu_of_each_kind, function, image, colour[0, 0])
        check(gpu_of_each_kind, function, colour[0, 0], image)


@pytest.mark.parametrize("function", ALL)
def test_two_colours_differ_by_a_scalar(gpu_of_each_kind, function):
    pair = np.array([60.0, 20, -30]), np.array([50.0, -20, 30])
    result, expected = gpu_of_each_kind(function, *pair), function(*pair)
    assert type(result) is type(expected)
    np.testing.assert_allclose(result, expected, rtol=1e-10)


@pytest.mark.parametrize("function", ALL)
@given(st.data())
@settings(max_examples=15)
def test_any_layout_and_shape(gpu, function, draws):
    shape = draws.draw(st.lists(st.integers(0, 9), min_size=1, max_size=3))
    rng = np.random.default_rng(draws.draw(st.integers(0, 999)))
    dtype = draws.draw(st.sampled_from(["float32", "float64"]))
    pair = rng.uniform([0, -100, -100], [100, 100, 100], (2, *shape, 3)).astype(dtype)
    check(gpu, function, *(draws.draw(layouts(lab)) for lab in pair))


@pytest.mark.parametrize("dtype", DTYPES)
def test_images_of_any_dtype(gpu, dtype):
    pair = [np.abs(lab).astype(dtype) for lab in (LAB, OTHER)]
    check(gpu, color.deltaE_cie76, *pair)


def test_images_of_two_dtypes(gpu):
    check(gpu, color.deltaE_cie76, LAB.astype(np.float32), OTHER)
    check(gpu, color.deltaE_cie76, LAB.astype(np.float16), OTHER.astype(np.float32))
    check(gpu, color.deltaE_cie76, np.abs(LAB).astype(np.uint8), OTHER.astype(np.float32))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_weights(gpu, dtype):
    pair = LAB.astype(dtype), OTHER.astype(dtype)
    check(gpu, color.deltaE_ciede94, *pair, kH=2, kC=0.5, kL=2.0, k1=0.048, k2=0.014)
    check(gpu, color.deltaE_ciede2000, *pair, kL=2, kC=0.5, kH=1.5)
    check(gpu, color.deltaE_cmc, *pair, kL=2, kC=0.5)


@pytest.mark.parametrize("function", ALL)
def test_equal_colours_and_greys(gpu, function):
    grey = LAB * [1, 0, 0]
    for pair in ((LAB, LAB), (grey, grey[::-1]), (LAB, grey), (grey, LAB), (LAB * 0, LAB * 0)):
        check(gpu, function, *pair)


@pytest.mark.parametrize("function", ALL)
def test_not_a_number_and_infinity_go_where_numpy_sends_them(gpu, function):
    odd = LAB.copy()
    places = np.random.default_rng(3).random(LAB.shape) < 0.1
    odd[places] = np.random.default_rng(4).choice([np.nan, np.inf, -np.inf], places.sum())
    result, expected = quietly(gpu, function, odd, OTHER), quietly(function, odd, OTHER)
    np.testing.assert_allclose(result, expected, rtol=1e-8)


def test_data_of_sharma_wu_and_dalal(gpu):
    # pairs whose hues are opposite, nearly so, or without chroma (Color Res. Appl. 30, 2005)
    lab1 = np.array([[50, 2.6772, -79.7751], [50, -1, 2], [50, 2.49, -0.001], [50, 0, 0]])
    lab2 = np.array([[50, 0, -82.7485], [50, 0, 0], [50, -2.49, 0.0009], [50, -1, 2]])
    check(gpu, color.deltaE_ciede2000, lab1, lab2)
    lab2[2, 2] = 0.0011
    check(gpu, color.deltaE_ciede2000, lab1, lab2)
    reds = np.array([[50, 20, 4], [50, 20, 1]]), np.array([[50, 20, -4], [50, 20, -3]])
    check(gpu, color.deltaE_ciede2000, *reds)
    check(gpu, color.deltaE_ciede2000, *reds[::-1])


@pytest.mark.parametrize("function", ALL)
def test_pairs_that_do_not_fit_are_refused_by_scikit_image(gpu, function):
    refused(gpu, function, IMAGE, IMAGE[:4])
    refused(gpu, function, IMAGE[..., :2], IMAGE[..., :2])
    refused(gpu, function, IMAGE, IMAGE[..., :2])
    refused(gpu, function, np.array(1.0), np.array(1.0))
    reason = gpu.declined(function, IMAGE, IMAGE, channel_axis=1.0)
    assert reason == "channel_axis=1.0 is not an integer; give one"
    if function is not color.deltaE_ciede2000:  # which takes the remainder
        refused(gpu, function, IMAGE, IMAGE, channel_axis=3)


def test_one_colour_with_fewer_axes_is_refused_by_ciede2000(gpu):
    refused(gpu, color.deltaE_ciede2000, IMAGE, IMAGE[0, 0])
    refused(gpu, color.deltaE_ciede2000, IMAGE[0, 0], IMAGE[:2])


@pytest.mark.parametrize("function", ALL)
def test_images_broadcast_along_some_axes_are_declined(gpu, function):
    reason = gpu.declined(function, IMAGE, IMAGE[:1])
    assert (
        reason == "lab1 and lab2 differ in shape; give numpy.broadcast_to(...) for the smaller one"
    )


def test_weights_that_would_change_the_dtype_are_declined(gpu):
    one = np.float64(1)
    assert color.deltaE_ciede94(IMAGE, IMAGE, kL=one).dtype == np.float64
    reason = gpu.declined(color.deltaE_ciede94, IMAGE, IMAGE, kL=one)
    assert reason == "kL=np.float64(1.0) is no plain number; give one of Python's, as 1.0"
    gpu(color.deltaE_ciede94, IMAGE.astype(float), IMAGE, kL=one)


def test_two_float32_colours_are_declined_by_cmc(gpu):
    pixel = IMAGE[0, 0]
    assert color.deltaE_cmc(pixel, pixel).dtype == np.float64
    assert gpu.declined(color.deltaE_cmc, pixel, pixel)
