"""Local maxima of an image on the device, and the list of those above a threshold."""

import math
from itertools import pairwise

import numpy as np

from ..device import c_name, launch, resident_blocks
from ..device.launches import Cost
from ..device.shared import most_dynamic
from ..devices import to_host, xp
from ..trouble import Declined
from .components import RANK_CHUNK, RANK_WORDS
from .value_range import value_range

MOST_AXES = 8
_BLOCK = 256
_TILE = (32, 64)  # TILE_ROWS and TILE_COLUMNS in peaks.cu
_SHARED = most_dynamic("box_maxima")  # bytes of a tile
_FEW = 4096  # peaks that come to the host with their number
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
        self.image = image = xp.ascontiguousarray(image)
        self.dtype = image.dtype
        self.labelled = labels is not None
        self._labels = None
        self._marks = self._uneven = None
        self._region = region_of(image.shape, borders)
        if self.labelled:
            self._labels = xp.ascontiguousarray(labels.astype("int64", copy=False))
        if math.prod(sides) == 1 or image.size == 1:
            self.low, self.high = to_host(value_range(image))[:2]
            self._count = image.size
            self.all_equal = False
            return
        if self.labelled:
            most = int(to_host(value_range(self._labels))[1])
            if most >= _MOST_LABEL:
                raise Declined(
                    "labels has a label that is too large; give smaller ones, as by "
                    "skimage.segmentation.relabel_sequential, which changes the result"
                )
            self._uneven = xp.zeros(max(most, 0) + 1, "uint8")
        words = _words(image.shape)
        if elements is None and not self.labelled:
            self._marks = xp.empty(words, "uint32")
            told = self._in_box(sides)
        else:
            self._marks = xp.zeros(words, "uint32")
            told = self._in_footprint(np.ones(sides, bool) if elements is None else elements)
        # the struct Told of peaks.cuh
        told = to_host(told)
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
        result = xp.empty(source.shape, source.dtype)
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
        args = (image, self._labels, xp.asarray(offsets.astype(np.int32)), len(offsets))
        args += (self._region, image.size, self._marks, self._uneven, partials, told)
        expression = f"footprint_maxima<{c_name(self.dtype)}>"
        size = {"block": _BLOCK, "grid": (blocks,)}
        launch("feature/peaks_labels.cu", expression, args, work=image.size, **size)
        return told

    def _scratch(self, blocks):
        return xp.empty((blocks, 2), self.dtype), xp.zeros(4, "uint64")

    def listed(self, above):
        """Local maxima above a threshold and inside the borders, in the image's order.

        2 launches, 1 more where there are more than 4096.

        Parameters
        ----------
        above : tuple or None
            A double and an integer: floating values above the one are peaks, integers from
            the other on. None: there is no peak.

        Returns
        -------
        places, values, labels : numpy.ndarray
            Places in C order; no labels where there are none.
        """
        found = xp.zeros(2 + self._words_of(_FEW), "uint64")
        ranks = self._ranked(above, found[:2])
        self._list(ranks, self._arrays(found[2:], _FEW))
        told = to_host(found)
        count, peaks = self._counted(told), told[2:]
        if count <= _FEW:
            return tuple(each[:count] for each in self._arrays(peaks, _FEW))
        peaks = xp.empty(self._words_of(count), "uint64")
        self._list(ranks, self._arrays(peaks, count))
        return self._arrays(to_host(peaks), count)

    def on_device(self, above):
        """As `listed`, with CuPy arrays: 2 launches; 16 bytes come to the host."""
        told = xp.zeros(2, "uint64")
        ranks = self._ranked(above, told)
        count = self._counted(to_host(told))
        peaks = self._arrays(xp.empty(self._words_of(count), "uint64"), count)
        if count:
            self._list(ranks, peaks)
        return peaks

    def _ranked(self, above, told):
        """Counts of peaks before each word of 32 pixels; `told` is for `_counted`."""
        threshold = np.array((0, 0, True) if above is None else (*above, False), _THRESHOLD)[()]
        n = 32 * _words(self.image.shape)
        chunks = -(-n // RANK_CHUNK)
        words, bases = xp.empty(chunks * RANK_WORDS, "uint64"), xp.empty(chunks, "int64")
        ranks = n, words, bases
        rest = self._region, threshold, *ranks, xp.zeros(1, "uint32"), told[:1]
        if self.labelled:
            source, kernel = "feature/peaks_labels.cu", "rank_labelled"
            args = (self.image, self._labels, self._marks, self._uneven, *rest, told[1:])
        else:
            source, kernel = "feature/peaks.cu", "rank_peaks"
            args = (self.image, self._marks, *rest)
        expression = f"{kernel}<{c_name(self.dtype)}>"
        launch(source, expression, args, work=chunks * _BLOCK, block=_BLOCK)
        return ranks

    def _counted(self, told):
        self.has_labels = bool(told[1])
        return int(told[0])

    def _list(self, ranks, peaks):
        places, values, *labels = peaks
        given, of = (self._labels, *labels) if self.labelled else (None, None)
        columns = self._region["shape"][self.image.ndim - 1]
        args = (self.image, given, columns, *ranks, len(places), places, values, of)
        expression = f"list_peaks<{c_name(self.dtype)}>"
        launch("feature/peaks.cu", expression, args, work=ranks[0] // 32)

    def _words_of(self, count):
        """Words of 8 bytes that as many peaks take, with what `_arrays` makes of them."""
        return count * (1 + self.labelled) + -(-count * self.dtype.itemsize // 8)

    def _arrays(self, words, count):
        ends = [k * count for k in range(2 + self.labelled)]
        places, *labels = (words[slice(*each)].view("int64") for each in pairwise(ends))
        return places, words[ends[-1] :].view(self.dtype)[:count], *labels


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
    lines = len(alone) * image.nbytes
    ranks = 2 * _words(image.shape) * 4 + 8 * RANK_WORDS
    peaks = image.size * (8 + image.dtype.itemsize)  # where all are peaks
    return Cost(
        search.launches + len(alone) + 2,
        search.read + lines + image.nbytes * bool(alone) + 2 * image.nbytes + marks + ranks,
        search.written + lines + ranks + peaks,
        search.between + image.nbytes * min(2, len(alone)) + ranks + peaks,
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


def region_of(shape, borders=None):
    """The struct Region of peaks.cuh: all of a shape but what is as near to its ends."""
    region = np.zeros((), _REGION)
    region["axes"] = len(shape)
    for axis, (size, width) in enumerate(zip(shape, borders or (0,) * len(shape), strict=True)):
        region["shape"][axis] = size
        region["first"][axis] = min(width, size)
        region["end"][axis] = max(size - width, 0)
    return region[()]
