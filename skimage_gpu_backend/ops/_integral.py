"""transform.integral_image: all sums of a plane in one launch."""

import math

import cupy as cp
import numpy as np

from ..accept._integral import summed
from ..device import c_name, launch, resident_blocks
from ..device.dtypes import C_NAMES

_SOURCE = "transform/integral.cu"
_SIDE = 64  # of a tile, and threads of a block


def specializations():
    """Every (source, expression) that this op launches."""
    for name, image in C_NAMES.items():
        for sums in {c_name(summed(np.dtype(name))), "double"}:
            yield _SOURCE, f"integral_planes<{image}, {sums}>"
    for sums in ("long long", "unsigned long long", "double"):
        yield _SOURCE, f"sums_along_rows<{sums}>"


def integral_image(image, *, dtype=None):
    """Sums of all elements above and left: `skimage.transform.integral_image`.

    2-D: 1 launch; image read once, result written once. Each further axis takes 1 launch
    more, which reads and writes the result. Floating sums are added in another order than
    scikit-image's.
    """
    dtype = summed(image.dtype) if dtype is None else np.dtype(dtype)
    image = cp.ascontiguousarray(image)
    result = cp.empty(image.shape, dtype)
    *leading, rows, columns = image.shape
    tiles = math.prod(leading) * -(-rows // _SIDE) * -(-columns // _SIDE)
    carries, state = cp.empty((tiles, _SIDE), dtype), cp.zeros(1 + 2 * tiles, "uint32")
    launch(
        _SOURCE,
        f"integral_planes<{c_name(image.dtype)}, {c_name(dtype)}>",
        (image, result, math.prod(leading), rows, columns, carries, state),
        work=image.size,
        block=_SIDE,
        grid=(min(tiles, resident_blocks(_SIDE)),),
    )
    for axis in range(len(leading)):
        view = math.prod(leading[:axis]), leading[axis], math.prod(image.shape[axis + 1 :])
        args = (result, result, *view)
        launch(_SOURCE, f"sums_along_rows<{c_name(dtype)}>", args, work=view[0] * view[2])
    return result
