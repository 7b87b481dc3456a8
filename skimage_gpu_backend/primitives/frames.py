"""Frames around images, in which values change from pixel to pixel until none does any more."""

import numpy as np

from ..device.launches import Array, Launch

MOST_AXES = 8  # AXES in common/boxes.cuh
_BLOCK = 256
_ALWAYS = 2**31 - 1
_BOX_BITS = {1: (0, 0, 10), 2: (0, 5, 5), 3: (3, 3, 4)}  # of 1024 pixels
_FRAME = np.dtype([(name, "i8", MOST_AXES) for name in ("lengths", "framed", "before")])
_LENGTHS = ("volumes", "depth", "rows", "columns")
_BITS = ("depth_bits", "row_bits", "column_bits")
_BOXES = np.dtype(
    [*((name, "i8") for name in _LENGTHS), *((name, "i4") for name in _BITS)], align=True
)


class Frame:
    """An image with a border as wide as a footprint reaches.

    Parameters
    ----------
    shape : tuple of int
    footprint : numpy.ndarray
        Of booleans. A pixel changes those where it is True, as seen from the pixel.
    centre : sequence of int
        Where the pixel is in the footprint.

    Attributes
    ----------
    struct : numpy.void
        The struct Frame of common/boxes.cuh.
    sides : tuple of int
        The lengths of the frame, which has four axes.
    steps : Array
        To the pixels around one, five numbers for each.
    count : numpy.int32
        How many steps there are.
    boxes : int
        How many boxes there are.
    """

    def __init__(self, shape, footprint, centre):
        steps = np.argwhere(footprint) - np.array(centre, np.int64)
        lengths = np.array(shape, np.int64)
        steps = steps[steps.any(axis=1) & (abs(steps) < lengths).all(axis=1)]
        long = lengths > 1
        lengths, steps = lengths[long], steps[:, long]
        before = abs(steps).max(axis=0, initial=0)
        framed = lengths + 2 * before
        bits = _BOX_BITS[max(1, min(3, len(lengths)))]
        unused = MOST_AXES - len(lengths)
        steps = np.pad(steps, ((0, 0), (unused, 0)))
        lengths, framed, before = (
            np.pad(each, (unused, 0), constant_values=value)
            for each, value in ((lengths, 1), (framed, 1), (before, 0))
        )
        self.struct = np.array((lengths, framed, before), _FRAME)[()]
        strides = np.append(np.cumprod(framed[:0:-1])[::-1], 1)
        outer = steps[:, :-3].any(axis=1)
        table = np.column_stack((steps @ strides, outer, steps[:, -3:]))
        self.count = np.int32(len(table))
        table = table if len(table) else np.zeros((1, 5))
        self.steps = Array.of(np.ascontiguousarray(table, np.int64))
        self.sides = (int(framed[:-3].prod()), *map(int, framed[-3:]))
        self.boxes = self.sides[0]
        for length, each in zip(self.sides[1:], bits, strict=True):
            self.boxes *= (length - 1 >> each) + 1
        self._how = np.array((*self.sides, *bits), _BOXES)[()]

    def settling(self, source, kernel, fixed, values, counted, most=_ALWAYS):
        """The launch of a kernel that is `settle_boxes` of common/boxes.cuh.

        Parameters
        ----------
        source, kernel : str
        fixed, values : Array
            Of the frame: what does not change, and what does.
        counted : Array
            Two zeros of 32 bits. Then 0 less the boxes where all is done, and how often
            boxes were done.
        most : int
            How often boxes are done at most.
        """
        states = Array((self.boxes,), np.dtype("u4"), zero=True)
        boxes = (self._how, self.boxes, self.steps, self.count, np.int32(most))
        arguments = (fixed, *boxes, values, states, counted)
        return Launch(source, kernel, arguments, self.boxes * _BLOCK, over=(values,))
