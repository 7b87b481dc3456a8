"""Calls that the ops of corner_fast, corner_moravec and corner_orientations take."""

import numpy as np

from ._local_binary_pattern import read_only
from ._stencils import NUMBERS
from ._verdict import Invalid

# Its tiles with halos fit into 48 kB of shared memory in double.
MOST_WINDOW = 10


def corner_fast(image, n=12, threshold=0.15):
    refusal = _plane(image)
    if refusal:
        return refusal
    if not isinstance(n, int | np.integer):
        return "n is no integer"
    if not -128 <= n < 128:
        return Invalid("n has more than 8 bits")
    return None if isinstance(threshold, NUMBERS) else "threshold is not a number"


def corner_moravec(image, window_size=1):
    if image.ndim != 2:
        return Invalid("image is not 2-D")
    if not isinstance(window_size, int | np.integer):
        return Invalid("window_size is no integer")
    if not 0 <= window_size <= MOST_WINDOW:
        return f"window_size is not from 0 to {MOST_WINDOW}"
    return read_only(image, "float32", "float64")


def corner_orientations(image, corners, mask):
    refusal = _plane(image)
    if refusal:
        return refusal
    if not image.flags.c_contiguous:  # scikit-image's loop takes no other layout
        reason = "image is not C-contiguous"
        return Invalid(reason) if image.dtype.name in ("float32", "float64") else reason
    if corners.ndim != 2 or mask.ndim != 2 or corners.dtype.char not in "lq":
        return Invalid("corners are not pairs of int64, or the mask is not 2-D")
    if type(corners) is not type(image) or corners.shape[1] != 2:
        return "corners are no pairs in an array of the image's kind"
    if mask.shape[0] % 2 != 1 or mask.shape[1] % 2 != 1:
        return Invalid("a side of the mask is even")
    # scikit-image pads by half the rows before both axes and by half the columns behind them
    return None if mask.shape[0] == mask.shape[1] else "mask is not square"


def _plane(image):
    """Why an image has not two axes beside those of one element, or None."""
    if image.size == 0 or sum(length != 1 for length in image.shape) != 2:
        return Invalid("image is empty or not 2-D")
    return read_only(image, "float32", "float64")
