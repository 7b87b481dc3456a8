"""The list of an image's pixels that are not 0, as kernels/transform/marked.cuh makes it."""

import numpy as np

from ...device import c_name
from ...device.launches import Array, Launch
from ...plan import Declined, Invalid

_BLOCK = 256
_SHORT = 1 << 16  # rows and columns that 16 bits number
_MOST_SIDE = 1 << 31


def refuse_image(image):
    """Raise where `image` is no plane, or one that these kernels do not number."""
    if image.ndim != 2:
        raise Invalid("image is not of two axes; give a plane, as image[0]")
    if not image.size:
        raise Declined("image is empty; nothing to change")
    if max(image.shape) >= _MOST_SIDE:
        raise Declined("image has an axis of 2**31 elements or more; give a smaller one")


def unsigned(dtype):
    """The dtype as which a kernel takes pixels."""
    return np.dtype(f"u{dtype.itemsize}")


def mask_of(dtype):
    """Bits of which one is set in a pixel that is not 0: all, but for a float's sign."""
    return unsigned(dtype).type((1 << 8 * dtype.itemsize - (dtype.kind == "f")) - 1)


def place_of(shape):
    """The dtype of a place in an image."""
    return np.dtype(np.uint32 if max(shape) <= _SHORT else np.uint64)


def marked(source, shape, dtype):
    """A launch that lists the pixels of the parameter ``image``, their number and their list."""
    image, place = Array(shape, dtype, "image"), place_of(shape)
    bits, mask = unsigned(dtype), mask_of(dtype)
    count, found = Array((1,), np.dtype(np.uint64), zero=True), Array((image.size,), place)
    args = (image, image.size, shape[1], mask, count, found)
    at_once = 16 // dtype.itemsize if dtype.itemsize <= 4 else 4
    expression = f"list_marked<{c_name(bits)}, {c_name(place)}>"
    return Launch(source, expression, args, -(-image.size // at_once), _BLOCK), count, found


def specializations(source):
    """Every kernel that `marked` launches of `source`."""
    for size in (1, 2, 4, 8):
        for place in (np.uint32, np.uint64):
            names = c_name(np.dtype(f"u{size}")), c_name(np.dtype(place))
            yield source, f"list_marked<{names[0]}, {names[1]}>"
