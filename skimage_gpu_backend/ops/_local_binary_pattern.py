"""feature.local_binary_pattern and multiblock_lbp on the device."""

import cupy as cp
import numpy as np

from .._warn import warn_caller
from ..accept._local_binary_pattern import METHODS, MOST_POINTS
from ..device import c_name, launch
from ..device.dtypes import C_NAMES

_SOURCE = "feature/local_binary_pattern.cu"
_CIRCLE = np.dtype(
    [("down", "f8", MOST_POINTS), ("across", "f8", MOST_POINTS), ("points", "i4"), ("method", "i4")]
)
_UNSTABLE = (
    "Applying `local_binary_pattern` to floating-point images may "
    "give unexpected results when small numerical differences between "
    "adjacent pixels are present. It is recommended to use this "
    "function with images of integer dtype."
)


def local_binary_pattern(image, P, R, method="default"):
    """Neighbours on a circle compared with each pixel: `skimage.feature.local_binary_pattern`.

    1 launch; the image is read once, the result (float64) is written once. A strided image
    is copied first. Results are scikit-image's to the last bit.
    """
    if image.dtype.kind == "f":
        warn_caller(_UNSTABLE, UserWarning)
    # as _local_binary_pattern of _texture.pyx
    angles = 2 * np.pi * np.arange(P, dtype=np.float64) / P
    circle = np.zeros((), _CIRCLE)
    circle["down"][:P] = np.round(-R * np.sin(angles), 5)
    circle["across"][:P] = np.round(R * np.cos(angles), 5)
    circle["points"], circle["method"] = P, METHODS[method.lower()]
    result = cp.empty(image.shape, np.float64)
    args = (cp.ascontiguousarray(image), result, *image.shape, circle[()])
    launch(_SOURCE, f"local_binary_pattern<{c_name(image.dtype)}>", args, work=image.size)
    return result


def multiblock_lbp(int_image, r, c, width, height):
    """Pattern of nine rectangles of an integral image: `skimage.feature.multiblock_lbp`.

    1 launch of one thread, which reads 36 elements; 4 bytes come to the host.
    """
    result = cp.empty(1, np.int32)
    place = (int(r), int(c), int(height), int(width))
    args = (cp.ascontiguousarray(int_image), result, int_image.shape[1], *place)
    launch(_SOURCE, f"multiblock_pattern<{c_name(int_image.dtype)}>", args, work=1, block=32)
    return int(result.get()[0])


def specializations():
    """Every (source, expression) that these ops launch."""
    for name in C_NAMES.values():
        yield _SOURCE, f"local_binary_pattern<{name}>"
        yield _SOURCE, f"multiblock_pattern<{name}>"
