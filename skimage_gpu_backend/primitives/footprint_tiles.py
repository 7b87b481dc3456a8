"""What kernels that walk footprints in tiles are launched with."""

import functools
import math

import numpy as np

# bytes of shared memory that a block has on every device without asking for more, less
# what the kernels declare themselves
SHARED = 44 * 1024
# tiles by the image's axes, and the part of the cells that each may have
_TILES = {
    1: (((1, 1, 1024), 1), ((1, 1, 32), 1)),
    2: (((1, 64, 32), 1 / 4), ((1, 32, 32), 1), ((1, 8, 32), 1), ((1, 1, 32), 1)),
    3: (((8, 8, 32), 1), ((1, 8, 32), 1), ((1, 1, 32), 1)),
}
_WINDOWS = np.dtype(
    [
        ("shape", "i8", 3),
        ("tiles", "i8", 3),
        ("tile", "i4", 3),
        ("cells", "i4", 3),
        ("before", "i4", 3),
    ],
    align=True,
)


@functools.cache
def cells_of(shape, most=0):
    """Results of a block, and cells that it needs for footprints of `shape`.

    The largest tile that needs no more than `most` cells, or the smallest.
    """
    for tile, part in _TILES[len(shape)]:
        cells = cells_around(tile, shape)
        if cells <= most * part:
            break
    return tile, cells


def cells_around(tile, shape):
    """Cells of a tile with its halo."""
    extent = (1, 1, *shape)[-3:]
    return math.prod(t + n - 1 for t, n in zip(tile, extent, strict=True))


def windows_of(shape, tile, extent, centre):
    """The struct RankWindows of rank_window.cuh."""
    windows = np.zeros((), _WINDOWS)
    windows["shape"] = (1, 1, *shape)[-3:]
    windows["tile"] = tile
    windows["tiles"] = -(-windows["shape"] // windows["tile"])
    windows["cells"] = windows["tile"] + (1, 1, *extent)[-3:] - np.int32(1)
    windows["before"] = (0, 0, *centre)[-3:]
    return windows


def tiles_of(windows):
    """Number of tiles that an image has."""
    return int(np.prod(windows["tiles"]))


def offsets_of(elements, windows):
    """Distances of a footprint's elements from its first, in cells of a tile."""
    places = np.nonzero(elements.reshape((1, 1, *elements.shape)[-3:]))
    _, rows, columns = windows["cells"]
    return ((places[0] * rows + places[1]) * columns + places[2]).astype(np.int32)
