"""Tiles of colour images: where an axis of the image lies in the result."""

import numpy as np
import pytest
from skimage import color

from skimage_gpu_backend import functions
from skimage_gpu_backend.device.launches import Array

from .test_conversions import ALL
from .test_delta_e import ALL as PAIRS

SIZES = (5, 6, 7)  # that tell the axes apart
FLOAT = np.dtype(np.float64)
FUNCTIONS = [*ALL, *PAIRS, color.rgba2rgb, color.gray2rgb, color.gray2rgba]


@pytest.mark.parametrize("axis", [0, 1, 2, 3])
@pytest.mark.parametrize(
    "function", [*ALL, *PAIRS, color.rgba2rgb, color.gray2rgb, color.gray2rgba]
)
def test_axes_of_an_image_become_those_of_the_result(function, axis):
    shape = SIZES
    if not function.__name__.startswith("gray"):
        channels = 4 if function is color.rgba2rgb else 3
        shape = (*SIZES[:axis], channels, *SIZES[axis:])
    images = (Array(shape, FLOAT),) * (2 if function in PAIRS else 1)
    planned = functions.find(f"skimage.color:{function.__name__}")(*images, channel_axis=axis)
    result = planned.launches.result
    result = result[0] if isinstance(result, tuple) else result
    halo, places = planned.reach.halo, planned.reach.places
    assert [halo[a] for a in range(len(shape)) if shape[a] in SIZES] == [0, 0, 0]
    for size, reached, place in zip(shape, halo, places, strict=True):
        assert reached is None or result.shape[place] == size
