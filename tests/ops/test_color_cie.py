"""skimage.color on the device warns as scikit-image does, and separates stains as it does."""

import numpy as np
import pytest
from skimage import color, data

from .color_agreement import agree, messages, quietly

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


MATRICES = [name for name in dir(color) if name.endswith("_from_rgb")]


@pytest.mark.parametrize("name", MATRICES)
def test_every_pair_of_stains(gpu, name):
    image = data.immunohistochemistry()[:40, 100:160]
    separate, combine = getattr(color, name), getattr(color, f"rgb_from_{name[:3]}")
    stains = color.separate_stains(image, separate)
    agree(gpu(color.separate_stains, image, separate), stains, image)
    result = gpu(color.combine_stains, stains, conv_matrix=combine)
    agree(result, color.combine_stains(stains, combine), stains)


@pytest.mark.parametrize("matrix_dtype", ["float32", "float64", "int16"])
@pytest.mark.parametrize("dtype", [*FLOATS, "uint8", "int16"])
def test_stains_of_any_dtype_are_double(gpu_of_each_kind, dtype, matrix_dtype):
    image = data.immunohistochemistry()[:30, :30]
    image = (image / 255 if dtype in FLOATS else image).astype(dtype)
    matrix = (10 * color.hed_from_rgb).astype(matrix_dtype)
    for function in (color.separate_stains, color.combine_stains):
        result = gpu_of_each_kind(function, image, matrix)
        assert result.dtype == np.float64
        agree(result, function(image, matrix), image)


def test_matrix_may_be_a_list(gpu):
    image = data.immunohistochemistry()[:30, :30]
    matrix = color.hed_from_rgb.tolist()
    expected = color.separate_stains(image, matrix)
    agree(gpu(color.separate_stains, image, matrix), expected, image)
