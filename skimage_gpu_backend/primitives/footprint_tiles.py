"""What kernels that walk footprints in tiles are launched with."""

import functools
import math

import numpy as np

# bytes of shared memory that a block has on every device without asking for more, less
# what the kernels declare themselves
SHARED = 44 * 1024
# tiles by the image's axes, and the part of the cells that each may have
_NARROW = ((1, 1, 64), 1), ((1, 1, 32), 1)
_TILES = {
    1: (((1, 1, 1024), 1), *_NARROW),
    2: (((1, 32, 128), 1 / 4), ((1, 8, 128), 1), ((1, 1, 128), 1), *_NARROW),
    3: (((4, 8, 128), 1 / 2), ((1, 8, 128), 1), ((1, 1, 128), 1), *_NARROW),
}
ENOUGH = 512  # tiles for all of a device; fewer large ones are made smaller
_WARP = 32
# cells behind the last one, which threads with several results read where a row has fewer
_SPARE = 96
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
def cells_of(extent, most, shape):
    """Results of a block, and cells that it needs for footprints of `extent`.

    Of an image of `shape` the largest tile that needs no more than `most` cells and of which there
    are enough, or the smallest.
    """
    for tile, part in _TILES[len(extent)]:
        tile = (*tile[:2], min(tile[2], -(-shape[-1] // _WARP) * _WARP))
        cells = cells_around(tile, extent) + _SPARE
        enough = part == 1 or _count(shape, tile) >= ENOUGH
        if cells <= most * part and enough:
            break
    return tile, cells


def fewest_cells(extent):
    """Cells that a block needs at least for footprints of `extent`."""
    return cells_around(_TILES[len(extent)][-1][0], extent) + _SPARE


def _count(shape, tile):
    """Tiles of an image."""
    return math.prod(-(-n // t) for n, t in zip((1, 1, *shape)[-3:], tile, strict=True))


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
