"""Calls that the op of skimage.transform.integral_image takes."""

import numpy as np

# Tiles are counted in 32 bits.
MOST_TILES = 1 << 30


def integral_image(image, *, dtype=None):
    if image.ndim < 2:
        return "a line has no planes; its integral is one running sum"
    if not image.size:
        return "image is empty"
    if dtype is not None and np.dtype(dtype) not in (np.float64, summed(image.dtype)):
        return f"there is no kernel that sums in {np.dtype(dtype)}"
    if image.size // 64 > MOST_TILES:
        return "image has too many tiles"
    return None


def summed(dtype):
    """Type in which scikit-image sums, where none is asked for."""
    return _SUMS[dtype.kind]


_SUMS = {
    "b": np.dtype(np.int64),
    "i": np.dtype(np.int64),
    "u": np.dtype(np.uint64),
    "f": np.dtype(np.float64),
}
