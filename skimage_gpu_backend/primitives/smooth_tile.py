"""Sizes of the tiles of smooth_tile.cuh: what differences of a smoothed image share."""

import functools

import numpy as np

from .gaussian import DOUBLE, ROW_RADIUS, fits, pair_taps, weight_of
from .stencils import LEAST_SIGMA

SIZE = np.dtype([(name, "i4") for name in ("height", "width", "margin")])  # SmoothSize


# A typed cache: a float32 sigma gives SciPy other weights than a Python float does.
@functools.lru_cache(maxsize=256, typed=True)
def smooth_tiles(shape, dtype, margin, beside, *sigmas):
    """The structs SmoothSize and PairTaps of smooth_tile.cuh, and the launch's size.

    RowTaps, where a Gaussian along the rows has a radius above 16.
    `beside`: further arrays in shared memory of the size of the smoothed tile.
    """
    room = (weight_of(dtype),) if fits(sigmas) else (DOUBLE, (0, ROW_RADIUS))
    taps = pair_taps(*(s if s > LEAST_SIGMA else None for s in sigmas), 4.0, *room)
    radius_a, radius_b = int(taps["radius_a"]), int(taps["radius_b"])
    # with the halo along a row as many elements as two warps have threads
    narrow = ((16, 64 - 2 * margin - 2 * radius_b),) if 0 < radius_b <= 8 else ()
    for height, width in (
        *narrow,
        (16, 64),
        (16, 64 - 2 * margin),
        (16, 32 - 2 * margin),
        (4, 32 - 2 * margin),
    ):
        pitch = (width + 2 * margin + 2 * radius_b + 15) // 16 * 16  # smooth_pitch
        rows = (2 + beside) * (height + 2 * margin) + 2 * radius_a
        shared = (rows * pitch + 16) * dtype.itemsize  # lanes may run over the end
        if shared <= 48 * 1024:
            break
    tiles = -(-shape[0] // height) * -(-shape[1] // width)
    size = np.array((height, width, margin), SIZE)[()]
    return size, taps, {"work": tiles * 256, "block": (32, 8), "shared": shared}
