"""skimage.util.label_points on the device."""

import cupy as cp
import numpy as np

from ..accept._arrays import MOST_AXES
from ..device import launch
from ..device.dtypes import C_NAMES, c_name
from ..primitives.points import flags
from ..trouble import Declined

_SOURCE = "util/label_points.cu"
_SHAPE = np.dtype([("size", "i8", MOST_AXES)])


def specializations():
    """Every (source, expression) that the op of this module launches."""
    for name in C_NAMES.values():
        if name != "bool":
            yield _SOURCE, f"label_points<{name}>"


def label_points(coords, output_shape):
    """Image with the number of each point at its place, as `skimage.util.label_points`.

    1 launch; coordinates read once, the image written once, and once more where points
    are. One number comes to the host.
    """
    coords = cp.ascontiguousarray(coords)
    points, axes = coords.shape
    shape = np.zeros((), _SHAPE)
    shape["size"][:axes] = output_shape
    labels = cp.zeros(tuple(output_shape), "uint64")
    outside = flags()
    args = (coords, points, np.int32(axes), shape[()], outside, labels)
    launch(_SOURCE, f"label_points<{c_name(coords.dtype)}>", args, work=points)
    if outside.get()[0]:
        raise Declined("a point lies outside of the image")
    return labels
