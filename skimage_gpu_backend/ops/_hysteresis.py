"""skimage.filters.apply_hysteresis_threshold on the device: components by union-find."""

import functools
import math

import cupy as cp
import numpy as np

from ..device import c_name, launch, resident_blocks
from ..device.dtypes import C_NAMES

_SOURCE = "filters/hysteresis.cu"
_BLOCK = 256
_TILE = (32, 64)  # TILE_ROWS and TILE_COLUMNS in hysteresis.cu
_OUTER_AXES = 6
_PLANES = np.dtype([("rows", "i4"), ("columns", "i4"), ("outer", "i4", _OUTER_AXES)])
_THRESHOLDS = np.dtype([("low", "f8"), ("high", "f8"), ("ceiling", "f8")])


def specializations():
    """Every (source, expression) that the ops of this module launch."""
    for name in C_NAMES.values():
        yield _SOURCE, f"label_tiles<{name}>"
    yield _SOURCE, "join_tiles"
    yield _SOURCE, "above_low"


def apply_hysteresis_threshold(image, low, high):
    """Pixels above `low` connected to one above `high`.

    As `skimage.filters.apply_hysteresis_threshold`. 3 launches, whatever the image shows; the
    image is read once, 4 bytes a pixel are written, joined along the borders of tiles and
    read, the result is written once. Arrays of thresholds that are not float64 are made so
    (1 launch each).
    """
    image = cp.ascontiguousarray(image)
    lows, highs = (_on_device(values) for values in (low, high))
    odd = None if lows is None and highs is None else cp.zeros(1, "int32")
    return connected(image, lows, highs, _limits(image.dtype, low, high), odd)


def connected(image, lows, highs, limits, odd=None, *, diagonal=False):
    """The three launches: pixels above `lows` connected to one above `highs`.

    Parameters
    ----------
    image : cupy.ndarray
        C-contiguous.
    lows, highs : cupy.ndarray or None
        Thresholds of each pixel, in double; None for those in `limits`.
    limits : numpy.void
        The struct Thresholds of hysteresis.cu.
    odd : cupy.ndarray, optional
        One ``int32``, 0, where thresholds may be NaN.
    diagonal : bool
        Whether pixels, of a 2-D image, are neighbours along diagonals too.
    """
    planes, tiles = _planes(image.shape)
    labels = cp.empty(image.shape, "int32")
    result = cp.empty(image.shape, bool)
    grid = (min(tiles, resident_blocks(_BLOCK)),)
    args = (image, lows, highs, limits, planes, diagonal, odd, labels)
    expression = f"label_tiles<{c_name(image.dtype)}>"
    launch(_SOURCE, expression, args, work=image.size, block=_BLOCK, grid=grid)
    args = (planes, diagonal, labels)
    launch(_SOURCE, "join_tiles", args, work=image.size, block=_BLOCK, grid=grid)
    args = (labels, odd, np.int32(image.size), result)
    launch(_SOURCE, "above_low", args, work=image.size, block=_BLOCK)
    return result


def thresholds(low, high):
    """The struct Thresholds of hysteresis.cu of two numbers, the lower one first."""
    return np.array((low, high, np.inf), _THRESHOLDS)[()]


def _on_device(values):
    if not isinstance(values, cp.ndarray):
        return None
    return cp.ascontiguousarray(values.astype("float64", copy=False))


def _limits(dtype, low, high):
    """The struct Thresholds of hysteresis.cu: numbers as NumPy compares them.

    As the high threshold, Python's numbers take the dtype that they are compared with;
    numpy.clip makes an array of the low one before. A double holds all others.
    """
    limits = np.zeros((), _THRESHOLDS)
    if isinstance(high, cp.ndarray):
        limits["low"] = 0.0 if isinstance(low, cp.ndarray) else low
    else:
        limits["high"] = _as(dtype, high)
        limits["ceiling"] = np.inf
        if isinstance(low, cp.ndarray):
            limits["ceiling"] = _as(low.dtype, high)
        else:
            limits["low"] = np.clip(low, a_min=None, a_max=high)
    return limits[()]


def _as(dtype, number):
    if dtype.kind == "f" and isinstance(number, int | float) and not isinstance(number, np.generic):
        return dtype.type(number)
    return number


@functools.lru_cache(maxsize=256)
def _planes(shape):
    """The struct Planes of hysteresis.cu, and the number of tiles."""
    planes = np.ones((), _PLANES)
    planes["rows"], planes["columns"] = rows, columns = (1, *shape)[-2:]
    outer = shape[:-2]
    planes["outer"][_OUTER_AXES - len(outer) :] = outer
    tiles = -(-rows // _TILE[0]) * -(-columns // _TILE[1]) * math.prod(outer)
    return planes[()], tiles
