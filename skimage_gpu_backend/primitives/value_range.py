"""Minimum and maximum of an image, which stay on the device."""

import numpy as np

from ..device import c_name, launch
from ..device.dtypes import C_NAMES
from ..device.lazy import cp
from .reduce import BLOCK, blocks_for, in_memory_order, parts_of, scratch

_SOURCE, _CONVERTED = "exposure/value_range.cu", "transform/range.cu"


def specializations():
    """Every (source, expression) that the functions of this module launch."""
    for name in C_NAMES.values():
        if name != "bool":
            yield _SOURCE, f"value_range<{name}>"
        yield _CONVERTED, f"number_range<{name}>"


def value_range(image):
    """Minimum, maximum and first element, on the device.

    1 launch; the image is read once.

    Parameters
    ----------
    image : cupy.ndarray, or an image in pieces
        Not empty; strided ones are copied first (1 launch). 1 launch for each piece.

    Returns
    -------
    found : cupy.ndarray
        Three numbers of the image's dtype; ``float32`` of float16 images, ``uint8`` of
        boolean ones. NaN, both of them, where an element is.
    """
    found = [_value_range(part) for part in parts_of(image)]
    if len(found) == 1:
        return found[0]
    table = cp.stack(found)
    return cp.stack([table[:, 0].min(), table[:, 1].max(), table[0, 2]])


def _value_range(image):
    (image,) = in_memory_order(image)
    if image.dtype.kind == "b":
        image = image.view("uint8")
    dtype = np.promote_types(image.dtype, np.float32) if image.dtype.kind == "f" else image.dtype
    blocks = blocks_for(image)
    partials, arrived = scratch(blocks, 2, dtype)
    found = cp.empty(3, dtype)
    args = (image, image.size, partials, arrived, found)
    expression = f"value_range<{c_name(image.dtype)}>"
    launch(_SOURCE, expression, args, work=image.size, block=BLOCK, grid=(blocks,))
    return found


def number_range(image, scaling):
    """Least and largest number of the converted image, in two doubles on the device.

    1 launch; the image is read once. NaN is passed over.

    Parameters
    ----------
    image : cupy.ndarray
        Not empty; strided ones are copied first (1 launch).
    scaling : (float, float)
        A factor of its elements, and the lowest one after this.
    """
    (image,) = in_memory_order(image)
    blocks = blocks_for(image)
    partials, arrived = scratch(blocks, 2, "float64")
    found = cp.empty(2)
    args = (image, image.size, *scaling, partials, arrived, found)
    expression = f"number_range<{c_name(image.dtype)}>"
    launch(_CONVERTED, expression, args, work=image.size, block=BLOCK, grid=(blocks,))
    return found
