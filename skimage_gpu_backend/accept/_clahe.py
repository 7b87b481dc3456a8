"""Calls that the op of skimage.exposure.equalize_adapthist takes."""

import math

import numpy as np

from ._verdict import Invalid

MOST_AXES = 4  # of the kernels
MOST_BINS = 12 * 1024  # that a block has room for
MOST_COUNTS = 1 << 26  # bins of all tiles
_NUMBERS = (int, float, np.number)


def equalize_adapthist(image, kernel_size=None, clip_limit=0.01, nbins=256):
    if image.size == 0:
        return Invalid("image is empty")
    shape = image.shape
    if len(shape) == 3 and shape[-1] in (3, 4):
        shape = shape[:-1]
    elif image.dtype.char == "e":
        return "levels of float16 images overflow, and what comes of it depends on the machine"
    if not 0 < len(shape) <= MOST_AXES:
        return f"image has no axes or more than {MOST_AXES}"
    if image.dtype.kind in "iu" and image.dtype.itemsize > 2:
        return "image has integers of more than 16 bits"
    if not isinstance(clip_limit, _NUMBERS) or not math.isfinite(clip_limit):
        return "clip_limit is not a plain number"
    if type(nbins) is not int:
        return "nbins is not a plain integer"
    if not 0 < nbins <= MOST_BINS:
        return f"nbins is not from 1 to {MOST_BINS}"
    return _tiles(shape, kernel_size, nbins)


def _tiles(shape, kernel_size, nbins):
    if kernel_size is None:
        size = [max(length // 8, 1) for length in shape]
    elif isinstance(kernel_size, _NUMBERS):
        size = [int(kernel_size)] * len(shape)
    elif not isinstance(kernel_size, tuple | list | np.ndarray):
        return "kernel_size is neither a number nor a sequence"
    elif len(kernel_size) != len(shape):
        return Invalid("kernel_size has another length than the image has axes")
    else:
        size = [int(length) for length in kernel_size]
    if min(size) < 1:
        return "kernel_size is less than 1"
    if math.prod(size) >= 1 << 31:
        return "kernel_size is too large"
    tiles = math.prod(-(-length // k) for length, k in zip(shape, size, strict=True))
    if tiles * nbins > MOST_COUNTS:
        return "kernel_size is so small that the histograms need too much memory"
    return None
