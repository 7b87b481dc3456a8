"""Indices above 2^31 where shapes change, or pixels come from elsewhere; see test_large.py."""

import numpy as np
import pytest
from skimage import exposure, measure, transform
from skimage.transform import AffineTransform

from tests.upstream import upstream

from .large_images import BAND, BANDS, COLOR, COLUMNS, ROWS, fits, large, rows_of

_linear_polar_mapping = upstream("transform._warps")._linear_polar_mapping

pytestmark = [pytest.mark.exhaustive, pytest.mark.usefixtures("one_at_a_time")]


def tenth(rows):
    return rows // 10, COLUMNS // 10


def tenth_of_rows(rows):
    return rows // 10, COLUMNS


def blocks(_):
    return 10, 10


def small_blocks(_):
    return 10, 6


# kernel file -> function, its argument for so many rows, bytes of all arrays for each element,
# keywords
SMALLER = {
    "measure/blocks.cu": (measure.block_reduce, small_blocks, 0.2, {}),
    "transform/local_means.cu areas": (transform.resize_local_mean, tenth, 0.1, {}),
    "transform/local_means.cu blocks": (transform.downscale_local_mean, blocks, 0.1, {}),
    "transform/reduce.cu": (transform.resize, tenth, 1, {"anti_aliasing": True}),
    "transform/resize.cu": (transform.resize, tenth, 0.1, {"anti_aliasing": False}),
    "transform/spline.cu": (
        transform.resize,
        tenth_of_rows,
        9,
        {"anti_aliasing": False, "order": 3},
    ),
}


@pytest.mark.parametrize("name", SMALLER)
def test_a_large_image_made_smaller(gpu, name):
    function, argument, more_bytes, keywords = SMALLER[name]
    image, bands = large((ROWS, COLUMNS), "uint8", more_bytes)
    result = gpu(function, image, argument(ROWS), **keywords)
    assert len(result) == ROWS // 10
    expected = function(rows_of(bands, ROWS - 150), argument(150), **keywords)[8:]
    np.testing.assert_allclose(result[-7:].get(), expected, rtol=0, atol=1e-10 * expected.max())


def test_a_small_image_made_large(gpu):
    """transform/resize.cu"""
    import cupy as cp

    fits(1.1 * ROWS * COLUMNS)
    image = np.random.default_rng(3).integers(0, 256, (ROWS // 150, COLUMNS // 100), "uint8")
    result = gpu(transform.resize, cp.asarray(image), (ROWS, COLUMNS), order=0)
    expected = transform.resize(image[-4:], (600, COLUMNS), order=0)
    np.testing.assert_array_equal(result[-BAND:].get(), expected[-BAND:])


@pytest.mark.parametrize("order", [1, 3], ids=["warp.cu", "warp.cu and range.cu"])
def test_a_warp_of_the_end_of_a_large_image(gpu, order):
    image, bands = large((ROWS, COLUMNS), "uint8", 0)
    way = {"output_shape": (BAND, 60), "order": order}
    there = AffineTransform(translation=(COLUMNS - 59.75, ROWS - BAND + 0.25))
    result = gpu(transform.warp, image, there, **way)
    there = AffineTransform(translation=(COLUMNS - 59.75, 60 - BAND + 0.25))
    expected = transform.warp(rows_of(bands, ROWS - 60), there, **way)
    np.testing.assert_allclose(result.get(), expected, rtol=0, atol=1e-9)


def test_a_warp_to_a_large_image(gpu):
    """transform/warp.cu"""
    import cupy as cp

    fits(4.1 * ROWS * COLUMNS)
    image = np.random.default_rng(3).random((24, 47)).astype("float16")
    there = AffineTransform(scale=(1e-3, 5e-4))
    result = gpu(transform.warp, cp.asarray(image), there, output_shape=(ROWS, COLUMNS))
    there = AffineTransform(translation=(0, ROWS - BAND)) + there
    expected = transform.warp(image, there, output_shape=(BAND, COLUMNS))
    np.testing.assert_allclose(result[-BAND:].get(), expected, rtol=0, atol=1e-5)


def test_polar_coordinates_at_the_end_of_a_large_image(gpu):
    """transform/map.cu"""
    image, bands = large((ROWS, COLUMNS), "uint8", 0)
    way = {"radius": 10, "output_shape": (30, 20)}
    result = gpu(transform.warp_polar, image, (ROWS - 12, COLUMNS - 20), **way)
    expected = transform.warp_polar(rows_of(bands, ROWS - 60), (60 - 12, COLUMNS - 20), **way)
    np.testing.assert_allclose(result.get(), expected, rtol=0, atol=1e-9)


def test_polar_coordinates_in_a_large_image(gpu):
    """transform/map.cu"""
    import cupy as cp

    fits(1.1 * ROWS * COLUMNS)
    image = np.random.default_rng(3).integers(0, 256, (90, 80), "uint8")
    center, radius = (44.3, 40.2), 39
    way = {"center": center, "radius": radius, "order": 0}
    result = gpu(transform.warp_polar, cp.asarray(image), output_shape=(ROWS, COLUMNS), **way)
    expected = transform.warp(
        image,
        lambda xy: _linear_polar_mapping(
            xy + np.array([0, ROWS - BAND]),
            k_angle=ROWS / (2 * np.pi),
            k_radius=COLUMNS / radius,
            center=center,
        ),
        output_shape=(BAND, COLUMNS),
        order=0,
    )
    np.testing.assert_array_equal(result[-BAND:].get(), expected)


def test_integral_of_a_large_image(gpu):
    """transform/integral.cu"""
    image, bands = large((ROWS, COLUMNS), "uint8", 8.3)
    result = gpu(transform.integral_image, image)
    above = bands[0].sum(axis=0) + bands[1].sum(axis=0)
    expected = (above + bands[2].cumsum(axis=0, dtype="uint64")).cumsum(axis=1)
    np.testing.assert_array_equal(result[-BAND:].get(), expected)


def test_a_large_image_made_twice_as_large(gpu):
    """transform/expand.cu"""
    import cupy as cp

    shape, dtype = (4, ROWS // 4, COLUMNS // 4), "float32"
    size = 4 * int(np.prod(shape))
    assert size > 2**31
    fits(5 * size)
    image = cp.zeros(shape, dtype)
    band = np.random.default_rng(3).random((BAND, shape[2]), dtype)
    image[-1, -BAND:] = cp.asarray(band)
    result = gpu(transform.pyramid_expand, image, channel_axis=0)
    expected = transform.pyramid_expand(np.concatenate([np.zeros((9, shape[2]), dtype), band]))
    np.testing.assert_array_equal(result[-1, -2 * BAND :].get(), expected[-2 * BAND :])
    assert not result[-1, : -2 * BAND - 9].any()


def test_layer_of_a_large_pyramid(gpu):
    """transform/laplacian.cu"""
    image, bands = large((ROWS, COLUMNS), "float16", 8)
    detail = next(gpu(transform.pyramid_laplacian, image, max_layer=0))
    expected = next(transform.pyramid_laplacian(rows_of(bands, ROWS - 100), max_layer=0))
    np.testing.assert_allclose(detail[-BAND:].get(), expected[-BAND:], rtol=0, atol=2e-3)


@pytest.mark.parametrize(
    ("shape", "dtype", "more_bytes"),
    [((ROWS, COLUMNS), "float32", 6.1), (COLOR, "float16", 14 / 3 + 0.1)],
    ids=["gray", "color"],
)
def test_contrast_of_a_large_image(gpu, shape, dtype, more_bytes):
    """exposure/clahe_maps.cu, exposure/clahe_apply.cu"""
    image, bands = large(shape, dtype, more_bytes)
    image[BANDS[0]] = image[BANDS[1]] = 0  # the last rows alone have the range of the result
    image[BANDS[2]] /= 256
    size = (50, 200)
    result = gpu(exposure.equalize_adapthist, image, size)
    part = np.zeros((1000 + ROWS % 50, *shape[1:]), dtype)
    part[-BAND:] = bands[2] / 256
    expected = exposure.equalize_adapthist(part, size)
    np.testing.assert_allclose(result[-BAND:].get(), expected[-BAND:], rtol=0, atol=1e-5)


def test_votes_of_a_large_image(gpu):
    """transform/hough_line.cu"""
    import cupy as cp

    fits(5 * ROWS * COLUMNS)
    image = np.zeros((ROWS, COLUMNS), np.uint8)
    image[0, :9] = image[-1, -7:] = image[ROWS - 60, ::5000] = 1
    theta = np.array([-1.2, 0.0, 0.7, np.pi / 4, np.pi / 2])
    result = gpu(transform.hough_line, cp.asarray(image), theta)
    for mine, its in zip(result, transform.hough_line(image, theta), strict=True):
        np.testing.assert_array_equal(mine.get(), its)
