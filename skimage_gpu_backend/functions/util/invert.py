"""skimage.util.invert, equal to the last bit."""

import functools
import itertools

import numpy as np

from ...device.dtypes import C_NAMES, c_name
from ...device.launches import Array, Launches
from ...plan import Declined, Plan, keeps_order, point
from ...primitives.arguments import truth
from ...primitives.points import points


def invert(image, signed_float=False):
    """An image with its range turned around: `skimage.util.invert`.

    1 launch; image read once, result written once. One more launch makes a strided image
    contiguous.
    """
    if image.ndim == 0:
        raise Declined("image has no axes; nothing to change")
    negates = image.dtype.kind == "f" and truth("signed_float", signed_float)
    return _planned(image.shape, image.dtype, negates)


@keeps_order
@functools.lru_cache(maxsize=256)
def _planned(shape, dtype, negates):
    image, result = Array(shape, dtype, "image"), Array(shape, dtype)
    if dtype.kind == "f" and not negates:
        kernel, bits = f"one_minus<{c_name(dtype)}>", ()
    else:
        unsigned = np.dtype(f"u{dtype.itemsize}")
        kernel, bits = f"flip_bits<{c_name(unsigned)}>", (_flipped(dtype),)
    args = (image, image.size, *bits, result)
    launches = Launches([points("util/invert.cu", kernel, args, image, result)], result)
    return Plan(launches, point(image))


def _flipped(dtype):
    """The bits to flip, in an integer of the dtype's size."""
    if dtype.kind == "b":
        return 1
    return -1 << (8 * dtype.itemsize - 1) if dtype.kind == "f" else -1


def samples():
    """Plans that together ask for every kernel of this room."""
    for dtype, signed_float in itertools.product(C_NAMES, (False, True)):
        yield invert(Array((4, 4), np.dtype(dtype)), signed_float)
