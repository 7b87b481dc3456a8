"""Convex hulls of labelled regions of a plane, exactly."""

import numpy as np

from ..device import c_name, launch
from ..devices import xp

_SOURCE = "measure/hulls.cu"
_SHARE = 32  # SHARE in measure/hulls.cu
_LONG = np.dtype(np.int64)


class Hulls:
    """Convex hulls of the regions of a plane, as scikit-image has them; 2 launches.

    Parameters
    ----------
    regions : Regions

    Attributes
    ----------
    areas : numpy.ndarray
        Pixels in each hull.
    """

    def __init__(self, regions):
        self._regions = regions
        first, behind = regions.boxes
        self._widths = (behind - first)[:, 1]
        self._rows = np.concatenate(([0], np.cumsum((behind - first)[:, 0])))
        self._on_device = xp.asarray(self._rows)
        # first and last column of each row: of the region, then of its hull
        self._ends = xp.full((2, int(self._rows[-1])), -1, regions.index)
        given = (*regions.of_runs, int(regions.image.shape[1]))
        given = (*given, regions.box_corners, self._on_device, *self._ends)
        self._launch("extremes", given, regions.run_shares)
        areas = xp.empty(len(regions), _LONG)
        given = (len(regions), self._on_device, *self._ends, self._points(), areas)
        self._launch("hulls", given, len(regions))
        self.areas = xp.asnumpy(areas)

    def masks(self):
        """Of each region, an image of its box that is true in the hull."""
        before = np.repeat(self._regions.boxes[0][:, 1], np.diff(self._rows))
        first, last = (xp.asnumpy(self._ends) - before)[..., np.newaxis]
        columns, found = np.arange(self._widths.max()), []
        for width, *ends in zip(self._widths, self._rows[:-1], self._rows[1:], strict=True):
            rows, seen = slice(*ends), columns[:width]
            found.append((seen >= first[rows]) & (seen <= last[rows]))
        return found

    def marked(self):
        """An image that is true in all hulls, on the device; 1 launch."""
        regions = self._regions
        rows, columns = map(int, regions.image.shape)
        mask, count = xp.zeros((rows, columns), bool), len(regions)
        given = (count, columns, regions.box_corners, self._on_device, *self._ends, mask)
        self._launch("mark", given, _SHARE * int(self._rows[-1]))
        return mask

    def diameters(self, spacing):
        """The largest distance between points of each hull's outline; 1 launch.

        Parameters
        ----------
        spacing : sequence of float
            Of rows and columns.
        """
        regions = self._regions
        squares = xp.empty(len(regions))
        given = (len(regions), regions.box_corners, self._on_device, *self._ends)
        given = (*given, *map(float, spacing), self._points(), squares)
        self._launch("diameters", given, len(regions))
        return np.sqrt(xp.asnumpy(squares))

    def _points(self):
        """Memory for both sides of each hull."""
        return xp.empty(4 * (2 * int(self._rows[-1]) + len(self._regions)), _LONG)

    def _launch(self, kernel, args, work):
        expression = f"{kernel}<{c_name(self._regions.index)}>"
        launch(_SOURCE, expression, args, work=work)


def specializations():
    """Every (source, expression) that this module launches."""
    for index in ("int", "long long"):
        for kernel in ("extremes", "hulls", "mark", "diameters"):
            yield _SOURCE, f"{kernel}<{index}>"
