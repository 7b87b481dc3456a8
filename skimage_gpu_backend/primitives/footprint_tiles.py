"""What kernels that walk footprints in tiles are launched with."""

import numpy as np

_WINDOWS = np.dtype(
    [("shape", "i8", 3), ("tile", "i4", 3), ("cells", "i4", 3), ("before", "i4", 3)], align=True
)


def windows_of(shape, tile, extent, centre):
    """The struct RankWindows of rank_window.cuh."""
    windows = np.zeros((), _WINDOWS)
    windows["shape"] = (1, 1, *shape)[-3:]
    windows["tile"] = tile
    windows["cells"] = windows["tile"] + (1, 1, *extent)[-3:] - np.int32(1)
    windows["before"] = (0, 0, *centre)[-3:]
    return windows


def tiles_of(windows):
    """Number of tiles that an image has."""
    return int(np.prod(-(-windows["shape"] // windows["tile"])))


def offsets_of(elements, windows):
    """Distances of a footprint's elements from its first, in cells of a tile."""
    places = np.nonzero(elements.reshape((1, 1, *elements.shape)[-3:]))
    _, rows, columns = windows["cells"]
    return ((places[0] * rows + places[1]) * columns + places[2]).astype(np.int32)
