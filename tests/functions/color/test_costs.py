"""Launches and bytes of skimage.color on the device: what the rooms' docstrings promise."""

import numpy as np
import pytest
from skimage import color, data

from tests.functions.color_agreement import quietly

from .test_conversions import ALL, BETWEEN, typical

SHAPE = (33, 47)
RGB = np.ascontiguousarray(data.astronaut()[: SHAPE[0], : SHAPE[1]])
COUNTING = (color.lab2rgb, color.lab2xyz)
PAIRS = [color.deltaE_cie76, color.deltaE_ciede94, color.deltaE_ciede2000, color.deltaE_cmc]


def counted(counting, gpu, function, *args, **kwargs):
    """Counts of a call with device arrays, and its result."""
    import cupy as cp

    args = [cp.asarray(x) if isinstance(x, np.ndarray) else x for x in args]
    with counting() as counts:
        result = quietly(gpu, function, *args, **kwargs)
    return counts, result


@pytest.mark.parametrize("dtype", ["uint8", "float32"])
@pytest.mark.parametrize("function", ALL)
def test_a_conversion_is_one_launch_that_reads_and_writes_once(gpu, counting, function, dtype):
    image = RGB if dtype == "uint8" else typical(function, RGB / 255).astype(dtype)
    counts, result = counted(counting, gpu, function, image)
    assert counts.launches == 1
    assert counts.kernel_bytes_read == image.nbytes
    counter = 8 if function in COUNTING else 0
    assert counts.kernel_bytes_written == result.nbytes + counter
    assert counts.bytes_to_host == counter


@pytest.mark.parametrize("axis", [0, 1])
def test_channels_along_another_axis_cost_the_same(gpu, counting, axis):
    image = np.ascontiguousarray(np.moveaxis(RGB, -1, axis))
    counts, result = counted(counting, gpu, color.rgb2lab, image, channel_axis=axis)
    assert counts.launches == 1
    assert counts.kernel_bytes_read == image.nbytes
    assert counts.kernel_bytes_written == result.nbytes


@pytest.mark.parametrize("tospace", ["HSV", "XYZ", "YCbCr"])
def test_two_conversions_through_rgb_are_one_launch(gpu, counting, tospace):
    image = (RGB / 255).astype(np.float32)
    counts, result = counted(counting, gpu, color.convert_colorspace, image, "YUV", tospace)
    assert counts.launches == 1
    assert counts.kernel_bytes_read + counts.kernel_bytes_written == image.nbytes + result.nbytes


@pytest.mark.parametrize("function", PAIRS)
def test_a_difference_is_one_launch_that_reads_each_image_once(gpu, counting, function):
    image = color.rgb2lab(RGB).astype(np.float32)
    counts, result = counted(counting, gpu, function, image, image[::-1].copy())
    assert counts.launches == 1
    assert counts.kernel_bytes_read == 2 * image.nbytes
    assert counts.kernel_bytes_written == result.nbytes
    assert counts.bytes_to_host == 0


@pytest.mark.parametrize("alpha", [None, 0.5, "image"])
def test_grey_images_are_spread_in_one_launch(gpu, counting, alpha):
    grey = (RGB[..., 0] / 255).astype(np.float32)
    counts, result = counted(counting, gpu, color.gray2rgb, grey)
    assert counts.launches == 1
    assert (counts.kernel_bytes_read, counts.kernel_bytes_written) == (grey.nbytes, result.nbytes)
    images = (grey, grey) if alpha == "image" else (grey,)
    others = {} if alpha == "image" else {"alpha": alpha}
    counts, result = counted(counting, gpu, color.gray2rgba, *images, **others)
    assert counts.launches == 1
    assert counts.kernel_bytes_read == len(images) * grey.nbytes
    counter = 8 if alpha == "image" else 0
    assert counts.kernel_bytes_written == result.nbytes + counter
    assert counts.bytes_to_host == counter


def test_alpha_is_blended_in_one_launch(gpu, counting):
    image = np.concatenate([RGB, RGB[..., :1]], axis=-1)
    counts, result = counted(counting, gpu, color.rgba2rgb, image)
    assert counts.launches == 1
    assert (counts.kernel_bytes_read, counts.kernel_bytes_written) == (image.nbytes, result.nbytes)


@pytest.mark.parametrize("function", [color.rgb2yuv, *BETWEEN[:1]])
def test_numpy_images_cross_once_each_way(gpu, counting, function):
    with counting() as counts:
        result = gpu(function, RGB)
    assert (counts.to_device, counts.to_host) == (1, 1)
    assert (counts.bytes_to_device, counts.bytes_to_host) == (RGB.nbytes, result.nbytes)
