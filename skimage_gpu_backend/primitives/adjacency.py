"""Regions of labelled images that touch each other, and sums over them: graph/adjacency.cu."""

import functools

import numpy as np

from ..device import c_name, launch
from ..device.dtypes import code
from ..devices import to_host, xp
from .boundaries import lattice
from .runs import Runs
from .unique import Values

_SOURCE = "graph/adjacency.cu"
_BLOCK = 256  # THREADS in the kernels
_WAYS = 3**8  # to a pixel's neighbours
_INT, _LONG = np.dtype(np.int32), np.dtype(np.int64)


def specializations():
    """Every (source, expression) that the functions of this module launch."""
    for index in ("int", "long long"):
        for kernel in ("contacts", "ends", "pairs", "totals"):
            yield _SOURCE, f"{kernel}<{index}>"


class Adjacency:
    """Which regions of an image touch each other: sets of pixels of one label.

    Regions are numbered from 0 on in the order of their labels.

    Parameters
    ----------
    found : Values
        Of the labels, of at most `boundaries.MOST_AXES` axes.
    connectivity : int
        At most so many steps along axes lead from a pixel to its neighbours.

    Attributes
    ----------
    count : int
        How many regions there are.
    regions : cupy.ndarray
        The number of each pixel's region.
    """

    def __init__(self, found: Values, connectivity):
        self.count = len(found.values)
        self.regions = found.mapped(xp.arange(self.count, dtype=_INT))
        self._found, self._connectivity = found, np.int32(connectivity)
        self._index = _INT if self.regions.size < 2**31 else _LONG

    def pairs(self):
        """Pairs of regions that touch, in the order in which they are met, on the host.

        Pixels are visited in raster order, and so are the neighbours of each; pixels beyond the
        image are the nearest ones in it. 2 launches, and a few of CuPy's on a table of pairs.

        Returns
        -------
        numpy.ndarray
            Two columns: the region of the pixel, and that of its neighbour.
        """
        total = xp.zeros(1, "uint64")
        self._launch("contacts", total)
        most = min(int(to_host(total)[0]), self.count * (self.count - 1) // 2)
        slots = 1 << (2 * most).bit_length()
        table = xp.full((2, slots), ~np.uint64(0))
        self._launch("pairs", np.uint64(slots - 1), *table)
        seen = xp.flatnonzero(table[1] != ~np.uint64(0))
        pair, first = to_host(xp.take(table, seen, axis=1))
        order = np.argsort(first)
        pair, first = pair[order], first[order]
        both = np.stack([pair >> np.uint64(32), pair & np.uint64(0xFFFFFFFF)], axis=1)
        swapped = (first & np.uint64(1)).astype(bool)
        both[swapped] = both[swapped][:, ::-1]
        return both.astype(np.int64)

    def ends(self):
        """The least and the largest region around each pixel: 1 launch."""
        least, largest = xp.empty((2, *self.regions.shape), _INT)
        self._launch("ends", least, largest)
        return least, largest

    @functools.cached_property
    def sizes(self):
        """Pixels of each region, on the host: `Values.counts`."""
        return to_host(self._found.counts())

    def totals(self, image):
        """Sums of an image over each region, on the host, added in raster order in double.

        `Runs`, and 1 launch.

        Parameters
        ----------
        image : cupy.ndarray
            Of the regions' shape, and an axis of at most 3 channels.
        """
        image, channels = xp.ascontiguousarray(image), image.shape[-1]
        runs = Runs(self.regions)
        sums = xp.empty((self.count, channels))
        given = (runs.firsts, runs.places, runs.table[2], self.count)
        args = (*given, image, code(image.dtype), np.int32(channels), sums)
        launch(_SOURCE, self._expression("totals"), args, work=self.count * _BLOCK, block=_BLOCK)
        return to_host(sums)

    def _launch(self, kernel, *args):
        regions, index = self.regions, self._index
        given = (regions, index.type(regions.size), lattice(regions.shape, index))
        expression = self._expression(kernel)
        work = regions.size
        launch(_SOURCE, expression, (*given, self._connectivity, *args), work=work, block=_BLOCK)

    def _expression(self, kernel):
        return f"{kernel}<{c_name(self._index)}>"
