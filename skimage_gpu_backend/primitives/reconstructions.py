"""Values that spread from pixel to pixel below a limit, until none rises any more."""

import numpy as np

from ..device import c_name
from ..device.launches import Array, Launch
from .frames import Frame

_SOURCE = "morphology/reconstruction.cu"
_BLOCK = 256


class Spreading(Frame):
    """The frame around an image in which its values spread, and the launch that lets them.

    Parameters
    ----------
    shape, footprint, centre
        As of `Frame`.
    dtype : numpy.dtype
        Of the numbers: (unsigned) integers, floats of 32 or 64 bits.

    Attributes
    ----------
    typed : str
        The types of numbers and keys.
    values, limits : Array
        What rises, and how high at most.
    counted : Array
        How often boxes were done, after the launch; its second number.
    """

    def __init__(self, shape, dtype, footprint, centre):
        super().__init__(shape, footprint, centre)
        key = np.dtype(f"u{dtype.itemsize}")
        self.typed = f"{c_name(dtype)}, {c_name(key)}"
        self.values, self.limits = Array(self.sides, key), Array(self.sides, key)
        self.counted = Array((2,), np.dtype("i4"), zero=True)

    def launch(self):
        """The launch that lets values rise; `values` and `limits` are there."""
        kernel = f"spread<{c_name(self.values.dtype)}>"
        return self.settling(_SOURCE, kernel, self.limits, self.values, self.counted)


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
    frame, typed, flag = spreading.struct, spreading.typed, np.int32(erosion)
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
    frame, typed, flag = spreading.struct, spreading.typed, np.int32(minima)
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
