"""Local maxima of an image on the device, and the list of those above a threshold."""

import math

import numpy as np

from ..device import c_name, launch, resident_blocks
from ..device.launches import Cost
from ..device.lazy import cp
from ..device.shared import most_dynamic
from ..trouble import Declined
from .value_range import value_range

MOST_AXES = 8
_BLOCK = 256
_TILE = (32, 64)  # TILE_ROWS and TILE_COLUMNS in peaks.cu
_SHARED = most_dynamic("box_maxima")  # bytes of a tile
_FEW = 4096  # peaks that come to the host with their number
_PEAK = 16  # bytes of one in the list: its place and its value
_MOST_LABEL = 1 << 26

_REGION = np.dtype(
    [("axes", "i4"), ("unused", "i4")]
    + [(name, "i8", MOST_AXES) for name in ("shape", "first", "end")]
)
_THRESHOLD = np.dtype([("above", "f8"), ("least", "i8"), ("nothing", "i8")])
_WINDOW = np.dtype([(name, "i4") for name in ("up", "down", "left", "right")])


class Maxima:
    """Pixels of an image that none of their footprint exceeds.

    Parameters
    ----------
    image : cupy.ndarray
        Not empty, of a dtype that peaks.cu takes.
    sides : tuple of int
        Of the footprint, one for each axis. Of one element: all pixels are local maxima.
    elements : numpy.ndarray or None
        Of a footprint that is no box.
    borders : tuple of int
        Width at both ends of each axis in which none is listed.
    labels : cupy.ndarray, optional
        Regions that are looked at apart from each other.

    Attributes
    ----------
    low, high : numpy scalars
        Least and largest value of the image; NaN where one is.
    all_equal : bool
        Whether every pixel is a local maximum, so that none counts.
    has_labels : bool
        Whether there is a label inside the borders; known when peaks have been listed.
    """

    def __init__(self, image, sides, elements, borders, labels=None):
        self.image = image = cp.ascontiguousarray(image)
        self.dtype = image.dtype
        self.labelled = labels is not None
        self._labels = None
        self._marks = self._uneven = None
        self._region = _region(image.shape, borders)
        if self.labelled:
            self._labels = cp.ascontiguousarray(labels.astype("int64", copy=False))
        if math.prod(sides) == 1 or image.size == 1:
            self.low, self.high = value_range(image).get()[:2]
            self._count = image.size
            self.all_equal = False
            return
        if self.labelled:
            most = int(value_range(self._labels).get()[1])
            if most >= _MOST_LABEL:
                raise Declined(
                    "labels has a label that is too large; give smaller ones, as by "
                    "skimage.segmentation.relabel_sequential"
                )
            self._uneven = cp.zeros(max(most, 0) + 1, "uint8")
        words = _words(image.shape)
        if elements is None and not self.labelled:
            self._marks = cp.empty(words, "uint32")
            told = self._in_box(sides)
        else:
            self._marks = cp.zeros(words, "uint32")
            told = self._in_footprint(np.ones(sides, bool) if elements is None else elements)
        # the struct Told of peaks.cuh
        told = told.get()
        self.low, self.high = (told[i : i + 1].view(self.dtype)[0] for i in (0, 1))
        self._count = int(told[2])
        self.all_equal = self._count == image.size

    def _in_box(self, sides):
        image, lines = self.image, None
        shape = (1,) * (2 - image.ndim) + image.shape
        alone, tile = _windows(sides, self.dtype.itemsize)
        for axis, window in alone:
            lines = self._along(image if lines is None else lines, shape, axis, window)
        window = np.array((*tile[0], *tile[1]), _WINDOW)[()]
        planes, (rows, columns) = math.prod(shape[:-2]), shape[-2:]
        tiles = planes * -(-rows // _TILE[0]) * -(-columns // _TILE[1])
        grid = (min(tiles, resident_blocks(_BLOCK)),)
        partials, told = self._scratch(grid[0])
        args = (image, lines, self._marks, partials, told, planes, rows, columns, window)
        expression = f"box_maxima<{c_name(self.dtype)}>"
        size = {"block": _BLOCK, "grid": grid, "shared": _shared(tile, self.dtype.itemsize)}
        launch("feature/peaks.cu", expression, args, work=image.size, **size)
        return told

    def _along(self, source, shape, axis, window):
        result = cp.empty(source.shape, source.dtype)
        view = (math.prod(shape[:axis]), shape[axis], math.prod(shape[axis + 1 :]))
        expression = f"line_maxima<{c_name(self.dtype)}>"
        launch("feature/peaks.cu", expression, (source, result, *view, *window), work=source.size)
        return result

    def _in_footprint(self, footprint):
        image = self.image
        offsets = np.argwhere(footprint) - np.array(footprint.shape) // 2
        # near ones first: they tell sooner that a pixel is no maximum
        offsets = offsets[np.argsort((offsets**2).sum(axis=1), kind="stable")]
        blocks = min(-(-image.size // _BLOCK), resident_blocks(_BLOCK))
        partials, told = self._scratch(blocks)
        args = (image, self._labels, cp.asarray(offsets.astype(np.int32)), len(offsets))
        args += (self._region, image.size, self._marks, self._uneven, partials, told)
        expression = f"footprint_maxima<{c_name(self.dtype)}>"
        size = {"block": _BLOCK, "grid": (blocks,)}
        launch("feature/peaks_labels.cu", expression, args, work=image.size, **size)
        return told

    def _scratch(self, blocks):
        return cp.empty((blocks, 2), self.dtype), cp.zeros(4, "uint64")

    def listed(self, above):
        """Local maxima above a threshold and inside the borders, in the image's order.

        Parameters
        ----------
        above : tuple or None
            A double and an integer: floating values above the one are peaks, integers from
            the other on. None: there is no peak.

        Returns
        -------
        peaks : numpy.ndarray
            Records of ``place`` (in C order), ``value`` and, with labels, ``label``.
        """
        record = [("place", "i8"), ("value", self.dtype)] + [("label", "i8")] * self.labelled
        record = np.dtype(record, align=True)
        threshold = np.array((0, 0, True) if above is None else (*above, False), _THRESHOLD)
        # plateaus below the threshold are many: they are counted first
        capacity = max(_FEW, min(self._count, self.image.size // 8))
        words = record.itemsize // 8
        while True:
            # the number of peaks, whether there is a label, and the peaks
            found = cp.zeros(2 + words * capacity, "uint64")
            self._list(threshold[()], capacity, found)
            few = found[: 2 + words * _FEW].get()
            count, self.has_labels = int(few[0]), bool(few[1])
            if count <= capacity:
                break
            capacity = count
        listed = few if count <= _FEW else found[: 2 + words * count].get()
        peaks = listed[2 : 2 + words * count].view(record)
        return peaks[np.argsort(peaks["place"])]

    def _list(self, threshold, capacity, found):
        image, count, peaks = self.image, found[:1], found[2:]
        if self.labelled:
            kernel, source = "list_labelled", "feature/peaks_labels.cu"
            args = (image, self._labels, self._marks, self._uneven, self._region, threshold)
            args += (image.size, capacity, count, found[1:2], peaks)
        else:
            kernel, source = "list_peaks", "feature/peaks.cu"
            lines = math.prod(image.shape[:-1])
            args = (image, self._marks, self._region, threshold, lines, capacity, count, peaks)
        expression = f"{kernel}<{c_name(self.dtype)}>"
        launch(source, expression, args, work=image.size if self.labelled else image.size // 32 + 1)


def most_cost(image, sides, elements) -> Cost:
    """The most that it takes to find and to list maxima of an image without labels."""
    alone, marks = [], 4 * _words(image.shape)
    search = Cost(1, image.nbytes, 0)
    if math.prod(sides) > 1 and image.size > 1:
        search = Cost(1, image.nbytes, marks, marks)
        if elements is None:
            alone = _windows(sides, image.dtype.itemsize)[0]
        else:
            search = search._replace(read=image.nbytes + 4 * elements.size * elements.ndim)
    first = _PEAK * max(_FEW, image.size // 8)
    again = image.size > max(_FEW, image.size // 8)  # where all are peaks
    lists, listed = 1 + again, first + _PEAK * image.size * again
    lines = len(alone) * image.nbytes
    return Cost(
        search.launches + len(alone) + lists,
        search.read + lines + image.nbytes * bool(alone) + lists * (image.nbytes + marks),
        search.written + lines + listed,
        search.between + image.nbytes * min(2, len(alone)) + max(first, listed - first),
    )


def _words(shape):
    """Of marks, a bit a pixel, of which each line begins a word."""
    return math.prod(shape[:-1]) * -(-shape[-1] // 32)


def _windows(sides, itemsize):
    """Axes that are done alone, with their windows, and the windows of a tile.

    A window is a pair: elements before its place and behind it.
    """
    windows = [(size // 2, size - 1 - size // 2) for size in sides]
    windows = [(0, 0)] * (2 - len(windows)) + windows
    tile, alone = windows[-2:], []
    for axis, window in enumerate(windows):
        place = axis - len(windows)
        if place >= -2:
            if _shared(tile, itemsize) <= _SHARED:
                break
            tile[place] = (0, 0)
        if window != (0, 0):
            alone.append((axis, window))
    return alone, tile


def _shared(windows, itemsize):
    """Bytes of shared memory, as box_maxima divides it."""
    height, width = (n + sum(w) for n, w in zip(_TILE, windows, strict=True))
    return height * (width + _TILE[1]) * itemsize


def _region(shape, borders):
    """The struct Region of peaks.cuh."""
    region = np.zeros((), _REGION)
    region["axes"] = len(shape)
    for axis, (size, width) in enumerate(zip(shape, borders, strict=True)):
        region["shape"][axis] = size
        region["first"][axis] = min(width, size)
        region["end"][axis] = max(size - width, 0)
    return region[()]
