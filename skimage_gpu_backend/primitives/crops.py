"""The boxes of labelled regions, cut out and laid one behind the other; the holes in them."""

import functools

import numpy as np

from ..device import c_name, launch
from ..devices import xp

_SOURCE = "measure/crops.cu"
_SHARE = 32  # SHARE in measure/crops.cu
_INT, _LONG = np.dtype(np.int32), np.dtype(np.int64)


class Crops:
    """Boxes of regions, whose elements lie one behind the other.

    Parameters
    ----------
    regions : Regions

    Attributes
    ----------
    size : int
        Elements of all boxes, which may be more than the image has, since boxes overlap.
    """

    def __init__(self, regions):
        self._regions = regions
        first, behind = regions.boxes
        self._lengths = behind - first
        self._starts = np.concatenate(([0], np.cumsum(self._lengths.prod(axis=1))))
        self.size = int(self._starts[-1])

    @functools.cached_property
    def _boxes(self):
        """What kernels are given: the first elements, the boxes, how many there are."""
        count, ndim = self._lengths.shape
        boxes = np.ones((count, 6), self._index)
        boxes[:, :3] = 0
        boxes[:, 3 - ndim : 3] = self._regions.boxes[0]
        boxes[:, 6 - ndim :] = self._lengths
        return xp.asarray(self._starts), xp.asarray(boxes), count

    @property
    def _index(self):
        """Of elements, and one more a box, and of pixels of the image."""
        most = max(self.size + len(self._regions), self._regions.image.size)
        return _INT if most < 2**31 else _LONG

    @property
    def _image(self):
        """What kernels are given: the labelled image, and the label of each region."""
        image, numbers = self._regions.image, xp.asarray(self._regions.labels)
        return self._regions.volume(self._index), image, np.int32(image.itemsize), numbers

    def places(self):
        """Where each element lies in the image as one row, and whether it is of its region."""
        places, inside = xp.empty(self.size, self._index), xp.empty(self.size, bool)
        self._launch("crop_places", (*self._boxes, *self._image, places, inside))
        return places, inside

    @functools.cached_property
    def filled(self):
        """Whether each element is of its region or in a hole of it, and how many of each box are.

        3 launches; the numbers come to the host.
        """
        count, is_volume = len(self._regions), self._regions.image.ndim == 3
        parents = xp.empty(self.size + count, self._index)
        filled, sizes = xp.empty(self.size, bool), xp.zeros(count, xp.uint64)
        self._launch("begin_holes", (*self._boxes, *self._image, is_volume, parents))
        self._launch("join_holes", (*self._boxes, parents))
        starts, _, count = self._boxes
        args = (starts, count, parents, filled, sizes)
        self._launch("fill_holes", args, work=-(-self.size // _SHARE))
        return filled, xp.asnumpy(sizes).astype(np.int64)

    def split(self, values):
        """NumPy arrays in the shapes of the boxes, of a device array of their elements."""
        parts = np.split(xp.asnumpy(values), self._starts[1:-1])
        shapes = self._lengths.tolist()
        return [p.reshape(*s, *p.shape[1:]) for p, s in zip(parts, shapes, strict=True)]

    def _launch(self, kernel, args, work=None):
        expression = f"{kernel}<{c_name(self._index)}>"
        launch(_SOURCE, expression, args, work=self.size if work is None else work)


def specializations():
    """Every (source, expression) that this module launches."""
    for index in ("int", "long long"):
        for kernel in ("crop_places", "begin_holes", "join_holes", "fill_holes"):
            yield _SOURCE, f"{kernel}<{index}>"
