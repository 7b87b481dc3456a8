"""The size of launches that take means over windows (metrics/window_means.cuh)."""

import numpy as np

from ..device import resident_blocks

_BLOCK = 128
_STRIP = 128  # columns
_NUMBERS = (
    *("outer", "height", "between", "breadth", "inner"),
    *("rows", "columns", "down", "across", "above", "left"),
)
_WINDOWS = np.dtype(
    [(name, "i8") for name in _NUMBERS]
    + [("exponent", "f8"), ("norm", "f8"), ("sums", "?"), ("chunk", "i8"), ("group", "i4")],
    align=True,
)


def windows(view, counts, sides, before, values, itemsize, weights=None, *, sums=False):
    """The struct Windows, the launch's size, and the number of its tiles.

    Parameters
    ----------
    view : tuple of int
        The array as (outer, height, between, breadth, inner).
    counts, sides, before : pairs of int
        Along height and breadth: windows, their elements, those before a window's place.
    values, itemsize : int
        Quantities of an element, and bytes of a mean of one.
    weights : pair of float, optional
        Exponent and norm of a Gaussian; else all elements weigh the same.
    sums : bool
        Sums that are not divided by their count.
    """
    (outer, _, between, _, inner), (rows, columns), (down, across) = view, counts, sides
    lines = outer * between * inner * -(-columns // _STRIP)
    enough = resident_blocks(_BLOCK)
    chunk = next((height for height in (64, 32) if lines * -(-rows // height) >= enough), 16)
    chunk = max(chunk, 2 * down)
    tiles = lines * -(-rows // chunk)

    fixed, each = shared_bytes(across, max(before), values, itemsize, weighted=weights is not None)
    group = next((group for group in (8, 4, 2) if fixed + group * each <= 32 * 1024), 1)
    exponent, norm = weights or (0.0, 1.0)
    numbers = (*view, *counts, *sides, *before, exponent, norm, sums, chunk, group)
    size = {"work": tiles * _BLOCK, "block": _BLOCK, "shared": fixed + group * each}
    return np.array(numbers, _WINDOWS)[()], size, tiles


def shared_bytes(across, before, values, itemsize, *, weighted):
    """Bytes of shared memory, and those that each row of a group takes more; at least one does."""
    pitch = (_STRIP + across - 1) | 1
    sums = 16 * (before + 1) if weighted else (12 if itemsize == 4 else 8) * values * pitch
    return 8 * pitch + sums, values * pitch * itemsize
