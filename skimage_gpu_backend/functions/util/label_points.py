"""skimage.util.label_points."""

import functools
import math
from collections.abc import Sequence

import numpy as np

from ...device.dtypes import C_NAMES, c_name
from ...device.launches import Array, Launch, Launches
from ...devices import to_host
from ...plan import Declined, Idle, Invalid, Plan

MOST_AXES = 8
_SHAPE = np.dtype([("size", "i8", MOST_AXES)])
_LABEL = np.dtype(np.uint64)


def label_points(coords, output_shape):
    """Image with the number of each point at its place: `skimage.util.label_points`.

    1 launch; coordinates read once, the image written once, and once more where points
    are. One number comes to the host. One more launch makes strided coordinates contiguous.
    """
    sizes = _sizes(output_shape)
    if coords.ndim != 2:
        raise Declined("coords has other than two axes; give an array of points, a row each")
    if coords.shape[1] != len(sizes):
        raise Invalid("coords have other axes than output_shape")
    if isinstance(coords, np.ndarray):
        raise Declined(Idle("coords is a NumPy array of few numbers; nothing to change"))
    if coords.dtype.kind == "b":
        raise Declined("coords is boolean; give numbers")
    if not 0 < len(sizes) <= MOST_AXES:
        raise Declined(f"output_shape has {len(sizes)} numbers; give 1 to {MOST_AXES}")
    if not all(isinstance(size, int | np.integer) and size >= 0 for size in sizes):
        raise Declined("output_shape is not of integers from 0 on; give such, as (256, 256)")
    if _LABEL.itemsize * math.prod(max(1, int(size)) for size in sizes) >= 2**63:
        raise Invalid("output_shape is larger than any array")
    return _planned(coords.shape, coords.dtype, tuple(map(int, sizes)))


def _sizes(output_shape):
    is_array = isinstance(output_shape, np.ndarray) and output_shape.ndim
    if not is_array and not isinstance(output_shape, Sequence):
        raise Invalid("output_shape is not a sequence; give a length for each axis, as (256, 256)")
    return tuple(output_shape)


@functools.lru_cache(maxsize=256)
def _planned(shape, dtype, sizes):
    points, axes = shape
    struct = np.zeros((), _SHAPE)
    struct["size"][:axes] = sizes
    coords, labels = Array(shape, dtype, "coords"), Array(sizes, _LABEL, zero=True)
    outside = Array((1,), np.dtype(np.uint32), zero=True)
    args = (coords, points, np.int32(axes), struct[()], outside, labels)
    expression = f"label_points<{c_name(dtype)}>"
    step = Launch("util/label_points.cu", expression, args, points)
    launches = Launches([step], (labels, outside))
    return Plan(functools.partial(_inside, launches), launches=launches)


def _inside(launches, coords):
    labels, outside = launches(coords=coords)
    if to_host(outside)[0]:
        raise Declined("coords has a point outside of the image; give points within it")
    return labels


def samples():
    """Plans that together ask for every kernel of this room."""
    for dtype in C_NAMES:
        if dtype != "bool":
            yield label_points(Array((4, 2), np.dtype(dtype)), (5, 6))
