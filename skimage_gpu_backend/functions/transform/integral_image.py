"""skimage.transform.integral_image: all sums of a plane in one launch."""

import functools
import math

import numpy as np

from ...device.dtypes import C_NAMES, c_name
from ...device.launches import Array, Cost, Launch, Launches
from ...plan import Declined, Invalid, Plan

_SOURCE = "transform/integral.cu"
_SIDE = 64  # of a tile
_BLOCK = 256
_MOST_TILES = 1 << 30  # they are counted in 32 bits
# Type in which scikit-image sums, where none is asked for, by the kind of the image's.
_SUMS = {
    "b": np.dtype(np.int64),
    "i": np.dtype(np.int64),
    "u": np.dtype(np.uint64),
    "f": np.dtype(np.float64),
}


def integral_image(image, *, dtype=None):
    """Sums of all elements above and left: `skimage.transform.integral_image`.

    2-D: 1 launch; image read once, result written once. Each further axis takes 1 launch
    more, which reads and writes the result. Floating sums are added in another order than
    scikit-image's.
    """
    if image.ndim < 2:
        raise Declined(
            "image has one axis, whose integral is one running sum; use numpy.cumsum(image)"
        )
    if not image.size:
        raise Declined("image is empty; nothing to change")
    sums = _SUMS[image.dtype.kind]
    if dtype is not None:
        try:
            dtype = np.dtype(dtype)
        except (TypeError, ValueError, SyntaxError):
            raise Invalid("dtype is unknown") from None
        if dtype not in (np.float64, sums):
            raise Declined(
                f"dtype is {dtype}, in which no kernel adds up; leave dtype out, which "
                "changes the result"
            )
        sums = dtype
    if image.size // 64 > _MOST_TILES:
        raise Declined("image has more pixels than the kernel numbers; give a smaller image")
    return _planned(image.shape, image.dtype, sums)


@functools.lru_cache(maxsize=256)
def _planned(shape, dtype, sums):
    image, result = Array(shape, dtype, "image"), Array(shape, sums)
    *leading, rows, columns = shape
    tiles = math.prod(leading) * -(-rows // _SIDE) * -(-columns // _SIDE)
    rights, bottoms = (Array((tiles, _SIDE), sums) for _ in range(2))
    state = Array((1 + 2 * tiles,), np.dtype(np.uint32), zero=True)
    args = image, result, rows, columns, rights, bottoms, state
    planes = f"integral_planes<{c_name(dtype)}, {c_name(sums)}>"
    steps = [Launch(_SOURCE, planes, args, tiles * _BLOCK, block=_BLOCK, grid=(tiles,))]
    cost = Launches(steps, result).cost
    for axis, length in enumerate(leading):
        before, behind = math.prod(shape[:axis]), math.prod(shape[axis + 1 :])
        args = result, result, before, length, behind
        steps.append(Launch(_SOURCE, f"sums_along_rows<{c_name(sums)}>", args, before * behind))
    passes = len(leading) * result.nbytes  # in place
    cost = Cost(len(steps), cost.read + passes, cost.written + passes, cost.between)
    return Plan(Launches(steps, result), cost=cost)


def samples():
    """Plans that together ask for every kernel of this room."""
    for dtype in C_NAMES:
        image = Array((4, 4, 4), np.dtype(dtype))
        yield from (integral_image(image), integral_image(image, dtype=np.float64))
