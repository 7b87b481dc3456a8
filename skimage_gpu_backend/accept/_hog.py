"""Calls that the op of hog takes."""

import numpy as np

from ._verdict import Invalid

NORMS = ("L1", "L1-sqrt", "L2", "L2-Hys")
MOST_ORIENTATIONS = 4096
# HOG_MOST_LINES in hog.cu
MOST_LINES = 64


def hog(
    image,
    orientations=9,
    pixels_per_cell=(8, 8),
    cells_per_block=(3, 3),
    block_norm="L2-Hys",
    visualize=False,
    transform_sqrt=False,
    feature_vector=True,
    *,
    channel_axis=None,
):
    for sizes in ((orientations,), pixels_per_cell, cells_per_block):
        for size in sizes:
            if not isinstance(size, int | np.integer) or size < 1:
                return "orientations, or the size of a cell or block, is no positive integer"
    shape = image.shape
    if channel_axis is not None:
        if not isinstance(channel_axis, int | np.integer):
            return "channel_axis is no integer"
        if image.ndim != 3 or not -3 <= channel_axis < 3:
            return Invalid("image has no channels, or other axes beside them than two")
        shape = list(shape)
        if shape.pop(channel_axis) == 0:
            return Invalid("image has no channels")
    elif image.ndim < 2:
        return "image has fewer than 2 axes"
    if len(shape) != 2 or len(pixels_per_cell) != 2 or len(cells_per_block) != 2:
        return Invalid("image, cells or blocks have another number of axes than two")
    if block_norm not in NORMS:
        return Invalid("block_norm is unknown")
    if any(
        size // pixels < cells
        for size, pixels, cells in zip(shape, pixels_per_cell, cells_per_block, strict=True)
    ):
        return Invalid("image is smaller than one block")
    if orientations > MOST_ORIENTATIONS:
        return f"there are more than {MOST_ORIENTATIONS} orientations"
    if visualize and (orientations > MOST_LINES or min(pixels_per_cell) < 2):
        return f"a picture of cells of one pixel, or of more than {MOST_LINES} orientations"
    return None
