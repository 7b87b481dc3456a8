"""skimage.exposure.rescale_intensity on the device gives scikit-image's numbers."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from skimage import exposure

from skimage_gpu_backend.trouble import Declined
from tests.functions.images import DTYPES

from .points import agree, any_image, photograph


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    "ranges",
    [
        {},
        {"in_range": (0.1, 0.7)},
        {"in_range": (10, 100), "out_range": (0, 1)},
        {"in_range": "dtype", "out_range": "uint8"},
        {"out_range": "float32"},
        {"out_range": np.uint16},
        {"out_range": "image"},
        {"in_range": "uint10", "out_range": "uint12"},
        {"in_range": (5, 5), "out_range": (0.2, 3)},
        {"in_range": (100, 3)},
    ],
    ids=str,
)
def test_photograph_rescaled(gpu, gpu_of_each_kind, dtype, ranges):
    image = photograph(dtype)
    if gpu._decide(exposure.rescale_intensity, (image,), ranges):
        agree(gpu_of_each_kind, exposure.rescale_intensity, image, **ranges)
    else:  # to 64-bit integers, and a range of float16 taken twice
        assert image.dtype.itemsize == 8 or (dtype, ranges) == ("float16", {"out_range": "image"})


@given(
    any_image(DTYPES),
    st.sampled_from(["image", "dtype", (0, 1), (-5.5, 70), "uint8"]),
    st.sampled_from(["dtype", (0, 1), (3, -2.5), "float64"]),
)
@settings(max_examples=100)
def test_any_image_rescaled(gpu, image, in_range, out_range):
    if gpu._decide(exposure.rescale_intensity, (image, in_range, out_range), {}):
        agree(gpu, exposure.rescale_intensity, image, in_range, out_range)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint16", "int32", "uint32"])
def test_every_integer_is_rescaled_to_the_same_integer(gpu, dtype):
    limits = np.iinfo(dtype)
    image = np.linspace(limits.min, limits.max, 66_000).astype(dtype)
    for ranges in ({}, {"in_range": (3, 77)}, {"in_range": "dtype", "out_range": "uint8"}):
        agree(gpu, exposure.rescale_intensity, image, **ranges)


def test_signed_images_keep_zero_where_nothing_is_negative(gpu):
    for lowest in (-40, 0, 5):
        image = np.arange(lowest, 100, dtype=np.int16)
        agree(gpu, exposure.rescale_intensity, image)
        agree(gpu, exposure.rescale_intensity, image.astype(np.int8))


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_nan_is_told_of(gpu, dtype):
    image = photograph(dtype)
    image[3, 4] = np.nan
    agree(gpu, exposure.rescale_intensity, image)
    with pytest.raises(Declined, match="cannot be rescaled"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        gpu(exposure.rescale_intensity, image, out_range="uint8")


@pytest.mark.parametrize("name", ["in_range", "out_range"])
def test_a_range_with_nan_is_left_to_scikit_image(gpu, name):
    for dtype in ("uint32", "float16", "float64"):
        for limits in ((np.nan, 1), (0, np.float32("nan"))):
            told = gpu.declined(exposure.rescale_intensity, photograph(dtype), **{name: limits})
            assert "NaN" in told
