"""skimage.color on the device: white points, and warnings as scikit-image gives them."""

import numpy as np
import pytest
from skimage import color, data

from tests.functions.color_agreement import agree, messages, quietly
from tests.upstream import upstream

from .refused import IMAGE, refused

LAB = color.rgb2lab(data.astronaut()[:60, :70])
FLOATS = ["float16", "float32", "float64"]


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("function", [color.lab2rgb, color.lab2xyz])
def test_number_of_negative_z_values_is_told_at_the_line_of_the_call(
    gpu_of_each_kind, function, dtype
):
    image = LAB.astype(dtype)
    image[::3, ::2, 2] = 127
    image[1, 1, 2] = np.nan
    expected = messages(function, image)
    assert len(expected) == 1
    assert "negative Z" in expected[0][0]
    told = messages(gpu_of_each_kind, function, image)
    assert [t[:2] for t in told] == [t[:2] for t in expected]
    assert told[0][2].endswith("conftest.py")  # whoever called into the package
    result = quietly(gpu_of_each_kind, function, image)
    agree(result, quietly(function, image), image)


def test_nothing_is_told_where_no_z_is_negative(gpu):
    assert messages(gpu, color.lab2rgb, LAB) == []
    assert messages(gpu, color.lab2xyz, LAB[:0]) == []


@pytest.mark.parametrize("dtype", FLOATS)
def test_z_on_the_border_of_zero_is_counted_as_scikit_image_counts_it(gpu, dtype):
    rng = np.random.default_rng(8)
    lightness = rng.uniform(0, 100, (50, 60)).astype(dtype)
    b = ((lightness.astype(float) + 16) / 116 * 200).astype(dtype)
    image = np.stack([lightness, b * 0, b], axis=-1)
    expected = messages(color.lab2xyz, image)
    assert len(expected) == 1
    assert [t[0] for t in messages(gpu, color.lab2xyz, image)] == [t[0] for t in expected]


WHITE = [color.rgb2lab, color.lab2rgb, color.xyz2lab, color.lab2xyz, color.xyz2luv, color.luv2xyz]


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


def test_y_of_every_white_point_is_1():
    """Kernels neither multiply nor divide by it."""
    for observers in upstream("color.colorconv")._illuminants.values():
        assert all(white[1] == 1 for white in observers.values())
