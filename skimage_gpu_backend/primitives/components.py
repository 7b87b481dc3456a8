"""Pixels above a low threshold that are connected to one above a high one, by union-find."""

import functools
import math

import numpy as np

from ..device import c_name
from ..device.dtypes import C_NAMES
from ..device.launches import Array, Launch, Launches

MOST_AXES = 8
MOST_PIXELS = 1 << 30
_SOURCE = "filters/hysteresis.cu"
_BLOCK = 256
_TILE = (32, 64)  # TILE_ROWS and TILE_COLUMNS in hysteresis.cu
_OUTER_AXES = 6
_PLANES = np.dtype([("rows", "i4"), ("columns", "i4"), ("outer", "i4", _OUTER_AXES)])
_THRESHOLDS = np.dtype([("low", "f8"), ("high", "f8"), ("ceiling", "f8")])


def connected(image, low, high, ceiling=math.inf, lows=None, highs=None, *, diagonal=False):
    """Launches that mark pixels above `low` connected to one above `high`.

    3 launches, whatever the image shows; the image is read once, 4 bytes a pixel are written,
    joined along the borders of tiles and read, the result is written once.

    Parameters
    ----------
    image : Array
        Of up to `MOST_AXES` axes and `MOST_PIXELS` pixels.
    low, high : float
    ceiling : float
        `low` of a pixel is at most so much.
    lows, highs : Array, optional
        Thresholds of each pixel, in double, in place of `low` and `high`; they may be NaN.
    diagonal : bool
        Whether pixels, of a 2-D image, are neighbours along diagonals too.

    Returns
    -------
    Launches
    """
    planes, tiles = _planes(image.shape)
    limits = np.array((low, high, ceiling), _THRESHOLDS)[()]
    labels = Array(image.shape, np.dtype(np.int32))
    result = Array(image.shape, np.dtype(bool))
    odd = None
    if lows is not None or highs is not None:
        odd = Array((1,), np.dtype(np.int32), zero=True)
    marked = (image, lows, highs, limits, planes, diagonal, odd, labels)
    joined = (planes, diagonal, labels)
    looked_up = (labels, odd, np.int32(image.size), result)
    steps = (
        Launch(_SOURCE, f"label_tiles<{c_name(image.dtype)}>", marked, tiles * _BLOCK),
        Launch(_SOURCE, "join_tiles", joined, tiles * _BLOCK, over=(labels,)),
        Launch(_SOURCE, "above_low", looked_up, image.size),
    )
    return Launches(steps, result)


@functools.lru_cache(maxsize=256)
def _planes(shape):
    """The struct Planes of hysteresis.cu, and the number of tiles."""
    planes = np.ones((), _PLANES)
    planes["rows"], planes["columns"] = rows, columns = (1, *shape)[-2:]
    outer = shape[:-2]
    planes["outer"][_OUTER_AXES - len(outer) :] = outer
    tiles = -(-rows // _TILE[0]) * -(-columns // _TILE[1]) * math.prod(outer)
    return planes[()], tiles


def specializations():
    """Every (source, expression) that `connected` launches."""
    for name in C_NAMES.values():
        yield _SOURCE, f"label_tiles<{name}>"
    yield _SOURCE, "join_tiles"
    yield _SOURCE, "above_low"
