"""The launch that makes the structure tensor of a plane in tiles, or what a room makes of it."""

import numpy as np

from ...device import c_name
from ...device.launches import Launch, grid_of_tiles
from ...primitives.gaussian import DOUBLE, ROW_RADIUS, fits, pair_taps, weight_of, working
from ...primitives.stencils import BOUNDARY, LEAST_SIGMA
from ._derivatives import TRUNCATE


def tensor_step(source, kernel, image, results, sigmas, mode, *after) -> Launch:
    """A kernel of tensor.cuh that makes the arrays `results` of the image's structure tensor.

    Radii up to 16, or along the rows alone up to 120.
    """
    *tile, taps, size = _tiles(image.shape, working(image.dtype), sigmas)
    arguments = (image, *results, *image.shape, np.int32(BOUNDARY[mode]), *tile, taps, *after)
    rows = "" if fits(sigmas) else ", RowTaps<double>"
    return Launch(source, f"{kernel}<{c_name(image.dtype)}{rows}>", arguments, **size)


def _tiles(shape, dtype, sigmas):
    """Height and width of a tile, weights, and the launch's size."""
    room = (weight_of(dtype),) if fits(sigmas) else (DOUBLE, (0, ROW_RADIUS))
    sigmas = [sigma if sigma > LEAST_SIGMA else None for sigma in sigmas]
    taps = pair_taps(*sigmas, TRUNCATE, *room)
    radius_a, radius_b = int(taps["radius_a"]), int(taps["radius_b"])
    # with the halo along a row as many elements as a few warps have threads
    narrow = ((16, 64 - 2 * radius_b),) if 0 < radius_b <= 8 else ()
    for height, width in (*narrow, (16, 64), (8, 64), (8, 32), (8, 16), (4, 16)):
        pitch = (width + 2 * radius_b + 15) // 16 * 16  # tensor_pitch in tensor.cuh
        shared = pitch * (3 * height + 2 * (height + 2 * radius_a)) * dtype.itemsize
        if shared <= 48 * 1024:
            break
    down, across = -(-shape[0] // height), -(-shape[1] // width)
    grid = grid_of_tiles(down, across)
    size = {"work": down * across * 256, "block": (32, 8), "shared": shared, "grid": grid}
    return np.int32(height), np.int32(width), taps, size
