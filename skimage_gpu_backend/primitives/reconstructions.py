"""Values that spread from pixel to pixel below a limit, until none rises any more."""

import numpy as np

from ..device import c_name
from ..device.launches import Array, Launch

MOST_AXES = 8  # AXES in morphology/reconstruction.cu
_SOURCE = "morphology/reconstruction.cu"
_BLOCK = 256
_BOX_BITS = {1: (0, 0, 10), 2: (0, 5, 5), 3: (3, 3, 4)}  # of 1024 pixels
_FRAME = np.dtype([(name, "i8", MOST_AXES) for name in ("lengths", "framed", "before")])
_LENGTHS = ("volumes", "depth", "rows", "columns")
_BITS = ("depth_bits", "row_bits", "column_bits")
_BOXES = np.dtype(
    [*((name, "i8") for name in _LENGTHS), *((name, "i4") for name in _BITS)], align=True
)


class Spreading:
    """The frame around an image in which its values spread, and the launch that lets them.

    Parameters
    ----------
    shape : tuple of int
    dtype : numpy.dtype
        Of the numbers: (unsigned) integers, floats of 32 or 64 bits.
    footprint : numpy.ndarray
        Of booleans. A pixel raises those where it is True, as seen from the pixel.
    centre : sequence of int
        Where the pixel is in the footprint.

    Attributes
    ----------
    frame : numpy.void
        The struct Frame of morphology/reconstruction.cu.
    typed : str
        The types of numbers and keys.
    values, limits : Array
        What rises, and how high at most.
    counted : Array
        How often boxes were done, after the launch; its second number.
    """

    def __init__(self, shape, dtype, footprint, centre):
        steps = np.argwhere(footprint) - np.array(centre, np.int64)
        lengths = np.array(shape, np.int64)
        steps = steps[steps.any(axis=1) & (abs(steps) < lengths).all(axis=1)]
        long = lengths > 1
        lengths, steps = lengths[long], steps[:, long]
        before = abs(steps).max(axis=0, initial=0)
        framed = lengths + 2 * before
        self._axes = max(1, min(3, len(lengths)))
        unused = MOST_AXES - len(lengths)
        steps = np.pad(steps, ((0, 0), (unused, 0)))
        lengths, framed, before = (
            np.pad(each, (unused, 0), constant_values=value)
            for each, value in ((lengths, 1), (framed, 1), (before, 0))
        )
        self.frame = np.array((lengths, framed, before), _FRAME)[()]
        strides = np.append(np.cumprod(framed[:0:-1])[::-1], 1)
        outer = steps[:, :-3].any(axis=1)
        table = np.column_stack((steps @ strides, outer, steps[:, -3:]))
        self._steps = np.ascontiguousarray(table, np.int64)
        key = np.dtype(f"u{dtype.itemsize}")
        self.typed = f"{c_name(dtype)}, {c_name(key)}"
        self.sides = (int(framed[:-3].prod()), *map(int, framed[-3:]))
        self.values, self.limits = Array(self.sides, key), Array(self.sides, key)
        self.counted = Array((2,), np.dtype("i4"), zero=True)

    def launch(self):
        """The launch that lets values rise; `values` and `limits` are there."""
        bits = _BOX_BITS[self._axes]
        boxes = self.sides[0]
        for length, each in zip(self.sides[1:], bits, strict=True):
            boxes *= (length - 1 >> each) + 1
        states = Array((boxes,), np.dtype("u4"), zero=True)
        steps = self._steps if len(self._steps) else np.zeros((1, 5), np.int64)
        how = np.array((*self.sides, *bits), _BOXES)[()]
        arguments = (
            self.limits,
            how,
            boxes,
            Array.of(steps),
            np.int32(len(self._steps)),
            self.values,
            states,
            self.counted,
        )
        kernel = f"spread<{c_name(self.values.dtype)}>"
        return Launch(_SOURCE, kernel, arguments, boxes * _BLOCK, over=(self.values,))


def reconstructed(seed, mask, footprint, centre, erosion, floating):
    """Launches of a reconstruction, and its results.

    3 launches, whatever the images show, after conversions: both are read once, two images with a
    border are written, read and rewritten, the result is written once.

    Parameters
    ----------
    seed, mask : Array
        Of one dtype, as of `Spreading`.
    footprint, centre
        As of `Spreading`.
    erosion : bool
    floating : numpy.dtype
        Of the result.

    Returns
    -------
    steps : list of Launch
    results : tuple of Array
        The reconstruction; whether the seed is beyond the mask, and whether there is NaN; how often
        boxes were done, the second of two numbers.
    """
    spreading = Spreading(seed.shape, seed.dtype, footprint, centre)
    told = Array((2,), np.dtype("u4"), zero=True)
    result = Array(seed.shape, floating)
    frame, typed, flag = spreading.frame, spreading.typed, np.int32(erosion)
    values, limits = spreading.values, spreading.limits
    size = values.size
    begin = seed, mask, frame, flag, values, limits, told
    finish = values, seed.size, frame, flag, result
    steps = [
        Launch(_SOURCE, f"begin<{typed}>", begin, size, _BLOCK),
        spreading.launch(),
        Launch(_SOURCE, f"finish<{typed}, {c_name(floating)}>", finish, seed.size, _BLOCK),
    ]
    return steps, (result, told, spreading.counted)


def high_extrema(image, h, footprint, centre, minima):
    """Launches that mark extrema of a height, and their result.

    3 launches, whatever the image shows: it is read once, two images with a border are written,
    read and one of them rewritten, the result is written once.

    Parameters
    ----------
    image : Array
        As of `Spreading`.
    h : int or float or numpy.float64
        Positive; of the image's dtype, but of images of single precision double as numpy.float64.
    footprint, centre
        As of `Spreading`.
    minima : bool
    """
    dtype = image.dtype
    spreading = Spreading(image.shape, dtype, footprint, centre)
    resolution, end = dtype.type(0), dtype.type(0)
    if dtype.kind == "f":
        resolution = 2 * np.finfo(dtype).resolution
    else:
        end = dtype.type(np.iinfo(dtype).max if minima else np.iinfo(dtype).min)
    floating = dtype if dtype.kind == "f" else np.dtype("f8")
    result = Array(image.shape, np.dtype("u1"))
    frame, typed, flag = spreading.frame, spreading.typed, np.int32(minima)
    values, limits = spreading.values, spreading.limits
    is_wider = type(h) is np.float64 and dtype == np.float32
    wider = ", double" if is_wider else ""
    lowered, least = (h, h) if is_wider else (dtype.type(h), floating.type(h))
    lower = image, frame, lowered, end, dtype.type(resolution), flag, values, limits
    mark = values, limits, image.size, frame, least, flag, result
    steps = [
        Launch(_SOURCE, f"lower<{typed}{wider}>", lower, values.size, _BLOCK),
        spreading.launch(),
        Launch(_SOURCE, f"mark<{typed}, {c_name(floating)}{wider}>", mark, image.size, _BLOCK),
    ]
    return steps, result
