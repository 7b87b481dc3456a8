"""The launch that makes the structure tensor of a plane in tiles, or what a room makes of it."""

import numpy as np

from ...device import c_name
from ...device.launches import Launch
from ...primitives.gaussian import DOUBLE, ROW_RADIUS, fits, pair_taps, working
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
    room = () if fits(sigmas) else ((0, ROW_RADIUS),)
    sigmas = [sigma if sigma > LEAST_SIGMA else None for sigma in sigmas]
    taps = pair_taps(*sigmas, TRUNCATE, DOUBLE, *room)
    for height, width in ((16, 64), (8, 64), (8, 32), (8, 16), (4, 16)):
        pitch = (width + 2 * int(taps["radius_b"]) + 15) // 16 * 16  # tensor_pitch in tensor.cuh
        rows = 2 * (height + 2 * int(taps["radius_a"])) + 3 * height
        shared = pitch * rows * dtype.itemsize
        if shared <= 48 * 1024:
            break
    tiles = -(-shape[0] // height) * -(-shape[1] // width)
    size = {"work": tiles * 256, "block": (32, 8), "shared": shared}
    return np.int32(height), np.int32(width), taps, size
