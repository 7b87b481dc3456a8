"""Cutting images into tiles with halos.

A tile has three places: its ``core``, which is its part of the result; ``outer``, what of the
images has to be there for it; and ``inner``, where in the tile's own result the core lies. The
outer place ends where the images end: there the function's own boundary mode applies.
"""

import itertools
import math
from typing import NamedTuple

import numpy as np


class Tile(NamedTuple):
    """Slices along each axis of the images."""

    core: tuple
    outer: tuple
    inner: tuple


class TooLarge(Exception):
    """Not even the smallest tile fits, or the images cannot be cut."""


def bytes_per_element(images, reach, depth) -> int:
    """Bytes of device memory for each element of a tile: an estimate.

    `depth` tiles of the images are there at a time, what is made of one of them, and a
    result of the one before, which is on its way to the host.
    """
    given = sum(image.dtype.itemsize for image in images)
    single = all(image.dtype.kind == "f" and image.dtype.itemsize < 8 for image in images)
    return depth * given + (reach.arrays + 1) * (4 if single else 8)


def tile_shape(shape, reach, cost, budget) -> tuple:
    """Lengths of a tile's core whose tile takes no more than `budget` bytes.

    Parameters
    ----------
    shape : tuple of int
        Of the images.
    reach : Reach
    cost : int
        Bytes for each element of a tile.
    budget : int
        Bytes.

    Raises
    ------
    TooLarge
        If there is no such tile.
    """
    lengths = list(shape)
    aligns = reach.align or (1,) * len(shape)
    cut = [a for a, halo in enumerate(reach.halo) if halo is not None]
    while extent(lengths, shape, reach) * cost > budget:
        axes = [a for a in cut if lengths[a] > aligns[a]]
        if not axes:
            raise TooLarge
        # whole slabs, until most of a slab would be its halo
        axis = next((a for a in axes if lengths[a] > 4 * reach.halo[a] + 1), None)
        if axis is None:
            axis = max(axes, key=lambda a: lengths[a] / (1 + 2 * reach.halo[a]))
        lengths[axis] = up_to(-(-lengths[axis] // 2), aligns[axis])
    return tuple(lengths)


def up_to(length, align):
    """The next multiple of `align`."""
    return -(-length // align) * align


def extent(lengths, shape, reach):
    """Elements of the largest tile with its halo; `lengths` are multiples of `reach.align`."""
    aligns = reach.align or (1,) * len(shape)
    return math.prod(
        length if halo is None else min(whole, up_to(halo, align) + length + halo)
        for length, whole, halo, align in zip(lengths, shape, reach.halo, aligns, strict=True)
    )


def tiles(shape, reach, lengths) -> list[Tile]:
    """Tiles with cores of `lengths` (the last ones may be shorter), the last axis fastest."""
    aligns = reach.align or (1,) * len(shape)
    along = [_cuts(*axis) for axis in zip(shape, lengths, reach.halo, aligns, strict=True)]
    return [Tile(*zip(*place, strict=True)) for place in itertools.product(*along)]


def _cuts(whole, length, halo, align):
    """Core, outer and inner slice of each tile along one axis."""
    if halo is None:
        length, halo = whole, 0
    for start in range(0, whole, length):
        stop = min(start + length, whole)
        first = start // align * align  # of the chunk that the core begins in
        begin = max(0, (first - halo) // align * align)
        end = min(whole, stop + halo)
        yield slice(start, stop), slice(begin, end), slice(start - begin, stop - begin)


def share(array, tile_slices, places, shape):
    """Index into an array of results of the tile's slices along the images' axes.

    Parameters
    ----------
    array : array
        Of results; only its number of axes is looked at.
    tile_slices : tuple of slice
        One for each axis of the images.
    places : tuple of int
        As in `Reach`.
    shape : tuple of bool
        Whether each axis of the images is cut.
    """
    index = [slice(None)] * np.ndim(array)
    for place, part, is_cut in zip(places, tile_slices, shape, strict=True):
        if is_cut:
            index[place] = part
    return tuple(index)
