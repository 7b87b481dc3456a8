"""skimage.color on the device: stains."""

import numpy as np
import pytest
from skimage import color, data

from tests.functions.color_agreement import agree
from tests.functions.images import FLOATS

from .refused import IMAGE, refused

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


@pytest.mark.parametrize("dtype", ["uint8", "float32", "float64"])
def test_combined_stains_where_cards_are_slow_in_double(gpu, strict, dtype):
    """Exponentials in two floats, to the last of ten digits, however small; else in double."""
    rng, shape = np.random.default_rng(0), (40, 50, 3)
    photo = data.immunohistochemistry()[: shape[0], : shape[1]]
    if dtype == "uint8":
        images = [photo]
    else:
        odd = [0.0, -0.0, 1, np.nan, np.inf, -np.inf, 1e30, -1e30, 1e-40, 2.0**-60]
        powers = [10.0 ** rng.uniform(*ends, shape) for ends in ((-20, 2.5), (-5, 5), (10, 30))]
        signed = [rng.choice([-1, 1], shape) * power for power in powers]
        images = [color.rgb2hed(photo), rng.choice(odd, shape), *powers, *signed]
    for image in images:
        image = image.astype(dtype)
        for matrix in (color.rgb_from_hed, 1e-3 * color.rgb_from_gdx, np.eye(3)[::-1] - 0.5):
            expected = color.combine_stains(image, matrix)
            result = gpu(color.combine_stains, image, matrix)
            np.testing.assert_allclose(result, expected, 1e-10, 1e-290)


def test_matrix_may_be_a_list(gpu):
    image = data.immunohistochemistry()[:30, :30]
    matrix = color.hed_from_rgb.tolist()
    expected = color.separate_stains(image, matrix)
    agree(gpu(color.separate_stains, image, matrix), expected, image)


@pytest.mark.parametrize("function", [color.separate_stains, color.combine_stains])
def test_matrices_of_other_shapes(gpu, function):
    for shape in ((2, 3), (2,), (), (2, 4, 3)):
        refused(gpu, function, IMAGE, np.ones(shape))
    refused(gpu, function, IMAGE)
    for matrix in (np.ones((3, 2)), np.ones(3), np.ones((2, 3, 3))):
        reason = gpu.declined(function, IMAGE, matrix)
        assert reason.startswith(f"conv_matrix of shape {matrix.shape} is not 3 x 3; give")
    for dtype in (complex, np.longdouble):
        reason = gpu.declined(function, IMAGE, np.eye(3, dtype=dtype))
        assert reason.startswith("conv_matrix of shape (3, 3) has dtype")
    reason = gpu.declined(function, IMAGE, np.ma.array(np.eye(3)))
    assert reason.startswith("conv_matrix is a masked array")
