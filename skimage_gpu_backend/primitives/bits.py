"""Images as bits, 32 columns a word."""

import math

import numpy as np

from ..device import c_name, launch
from ..device.dtypes import C_NAMES
from ..device.launches import Bytes, Launch
from ..devices import xp

_SOURCE = "morphology/bits.cu"
_WORD = 32


def packed(image):
    """Words of the pixels that are not 0, each row for itself: one launch.

    Parameters
    ----------
    image : cupy.ndarray
        Of one axis or more, with elements.
    """
    image = xp.ascontiguousarray(image)
    *leading, columns = image.shape
    words = xp.empty((*leading, -(-columns // _WORD)), "uint32")
    numbers = _numbers(image.dtype)
    args = image.view(numbers), math.prod(leading), columns, words
    launch(_SOURCE, f"pack<{c_name(numbers)}>", args, work=words.size)
    return words


def packing(image, words) -> Launch:
    """The same as a step of a plan, for an `Array` of booleans of two axes."""
    args = Bytes(image), *image.shape, words
    return Launch(_SOURCE, f"pack<{c_name(np.dtype('u1'))}>", args, words.size)


def unpacked(words, shape):
    """Booleans of `packed` of an image of `shape`: one launch."""
    result = xp.empty(shape, bool)
    *leading, columns = shape
    launch(_SOURCE, "unpack", (words, math.prod(leading), columns, result), work=result.size)
    return result


def _numbers(dtype):
    """The dtype that the kernel takes pixels as: bits of integers tell whether they are 0."""
    return np.dtype(f"u{dtype.itemsize}") if dtype.kind in "biu" else dtype


def specializations():
    """Every (source, expression) that the functions of this module launch."""
    for name in sorted({c_name(_numbers(np.dtype(name))) for name in C_NAMES}):
        yield _SOURCE, f"pack<{name}>"
    yield _SOURCE, "unpack"
