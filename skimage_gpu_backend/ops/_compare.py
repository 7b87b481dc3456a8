"""skimage.util.compare_images on the device."""

import cupy as cp
import numpy as np

from ..device import c_name
from ..device.dtypes import C_NAMES
from ..primitives.gaussian import working
from ..primitives.points import launch_points

_SOURCE = "util/compare.cu"


def specializations():
    """Every (source, expression) that the op of this module launches."""
    for name in C_NAMES:
        if name != "float16":
            for method in ("diff", "blend"):
                yield _SOURCE, _expression(np.dtype(name), method)


def _expression(dtype, method):
    return f"compare<{c_name(dtype)}, {c_name(working(dtype))}, {method.upper()}>"


def compare_images(image0, image1, *, method="diff", n_tiles=(8, 8)):
    """Difference or mean of two images, as `skimage.util.compare_images`.

    1 launch; each image is read once, the result written once.
    """
    image0, image1 = cp.ascontiguousarray(image0), cp.ascontiguousarray(image1)
    result = cp.empty(image0.shape, working(image0.dtype))
    expression = _expression(image0.dtype, method)
    launch_points(_SOURCE, expression, (image0, image1, image0.size, result), image0, result)
    return result
