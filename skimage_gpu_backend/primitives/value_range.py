"""Minimum and maximum of an image, which stay on the device."""

import numpy as np

from ..device import c_name, launch
from ..device.dtypes import C_NAMES
from ..devices import to_host, xp
from .reduce import BLOCK, blocks_for, in_memory_order, parts_of, scratch

_SOURCE, _CONVERTED = "exposure/value_range.cu", "transform/range.cu"
_TOLD = 24  # bytes of three numbers


def specializations():
    """Every (source, expression) that the functions of this module launch."""
    for name in C_NAMES.values():
        if name != "bool":
            yield _SOURCE, f"value_range<{name}>"
        yield _CONVERTED, f"number_range<{name}>"


def value_range(image, found=None):
    """Minimum, maximum and first element, on the device.

    1 launch; the image is read once.

    Parameters
    ----------
    image : cupy.ndarray, or an image in pieces
        Not empty; strided ones are copied first (1 launch). 1 launch for each piece.
    found : cupy.ndarray, optional
        Bytes, in the first of which the numbers are to be.

    Returns
    -------
    found : cupy.ndarray
        Three numbers of the image's dtype; ``float32`` of float16 images, ``uint8`` of
        boolean ones. NaN, both of them, where an element is.
    """
    if isinstance(image, xp.ndarray):
        return _value_range(image, found)
    table = xp.stack([_value_range(part) for part in parts_of(image)])
    told = xp.stack([table[:, 0].min(), table[:, 1].max(), table[0, 2]])
    if found is None:
        return told
    found[: told.nbytes] = told.view("uint8")
    return found[: told.nbytes].view(told.dtype)


def host_ranges(*images):
    """Minimum, maximum and first element of each image, on the host.

    1 launch for each, which reads it once; one copy of all numbers. Dtypes as of `value_range`.
    """
    found = xp.empty((len(images), _TOLD), "uint8")
    dtypes = [_value_range(*each).dtype for each in zip(images, found, strict=True)]
    return [
        told[: 3 * dtype.itemsize].view(dtype)
        for told, dtype in zip(to_host(found), dtypes, strict=True)
    ]


def _value_range(image, found=None):
    """`value_range` of an image on the device, in the first of the bytes that are given."""
    (image,) = in_memory_order(image)
    if image.dtype.kind == "b":
        image = image.view("uint8")
    dtype = np.promote_types(image.dtype, np.float32) if image.dtype.kind == "f" else image.dtype
    blocks = blocks_for(image)
    partials, arrived = scratch(blocks, 2, dtype)
    found = xp.empty(3, dtype) if found is None else found[: 3 * dtype.itemsize].view(dtype)
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
    found = xp.empty(2)
    args = (image, image.size, *scaling, partials, arrived, found)
    expression = f"number_range<{c_name(image.dtype)}>"
    launch(_CONVERTED, expression, args, work=image.size, block=BLOCK, grid=(blocks,))
    return found
