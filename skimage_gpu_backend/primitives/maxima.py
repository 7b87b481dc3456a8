"""Local maxima of an image on the device, and the list of those above a threshold."""

import math

import numpy as np

from ..device import c_name, launch, resident_blocks
from ..device.lazy import cp
from ..trouble import Declined
from .value_range import value_range

MOST_AXES = 8
_BLOCK = 256
_TILE = (32, 64)  # TILE_ROWS and TILE_COLUMNS in peaks.cu
_SHARED = 44 * 1024  # bytes of shared memory for a tile, beside what peaks.cu has statically
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
    footprint : numpy.ndarray
        Of one element: all pixels are local maxima.
    borders : tuple of int
        Width at both ends of each axis in which none is listed.
    labels : cupy.ndarray or None
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

    def __init__(self, image, footprint, borders, labels):
        self.image = image = cp.ascontiguousarray(image)
        self.dtype = image.dtype
        self.labelled = labels is not None
        self._labels = None
        self._marks = self._uneven = None
        self._region = _region(image.shape, borders)
        if self.labelled:
            self._labels = cp.ascontiguousarray(labels.astype("int64", copy=False))
        if footprint.size == 1 or image.size == 1:
            self.low, self.high = value_range(image).get()[:2]
            self._count = image.size
            self.all_equal = False
            return
        footprint = footprint.astype(bool, copy=False)
        if self.labelled:
            most = int(value_range(self._labels).get()[1])
            if most >= _MOST_LABEL:
                raise Declined("a label is very large")
            self._uneven = cp.zeros(max(most, 0) + 1, "uint8")
        words = math.prod(image.shape[:-1]) * -(-image.shape[-1] // 32)
        if footprint.all() and not self.labelled:
            self._marks = cp.empty(words, "uint32")
            told = self._in_box(footprint.shape)
        else:
            self._marks = cp.zeros(words, "uint32")
            told = self._in_footprint(footprint)
        # the struct Told of peaks.cuh
        told = told.get()
        self.low, self.high = (told[i : i + 1].view(self.dtype)[0] for i in (0, 1))
        self._count = int(told[2])
        self.all_equal = self._count == image.size

    def _in_box(self, sizes):
        image, lines = self.image, None
        shape = (1,) * (2 - image.ndim) + image.shape
        windows = [(size // 2, size - 1 - size // 2) for size in sizes]
        windows = [(0, 0)] * (2 - image.ndim) + windows
        last = windows[-2:]
        for axis in range(len(shape)):
            if axis >= len(shape) - 2:
                if self._shared(last) <= _SHARED:
                    break
                last[axis - len(shape)] = (0, 0)
            if windows[axis] != (0, 0):
                lines = self._along(image if lines is None else lines, shape, axis, windows[axis])
        window = np.array((*last[0], *last[1]), _WINDOW)[()]
        planes, (rows, columns) = math.prod(shape[:-2]), shape[-2:]
        tiles = planes * -(-rows // _TILE[0]) * -(-columns // _TILE[1])
        grid = (min(tiles, resident_blocks(_BLOCK)),)
        partials, told = self._scratch(grid[0])
        args = (image, lines, self._marks, partials, told, planes, rows, columns, window)
        expression = f"box_maxima<{c_name(self.dtype)}>"
        size = {"block": _BLOCK, "grid": grid, "shared": self._shared(last)}
        launch("feature/peaks.cu", expression, args, work=image.size, **size)
        return told

    def _shared(self, windows):
        """Bytes of shared memory, as box_maxima divides it."""
        height, width = (n + sum(w) for n, w in zip(_TILE, windows, strict=True))
        return height * (width + _TILE[1]) * self.dtype.itemsize

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


def _region(shape, borders):
    """The struct Region of peaks.cuh."""
    region = np.zeros((), _REGION)
    region["axes"] = len(shape)
    for axis, (size, width) in enumerate(zip(shape, borders, strict=True)):
        region["shape"][axis] = size
        region["first"][axis] = min(width, size)
        region["end"][axis] = max(size - width, 0)
    return region[()]
