"""feature.hog: votes of cells in one launch, their normalization in another."""

import cupy as cp
import numpy as np

from ..accept._hog import MOST_LINES, NORMS
from ..device import c_name, launch
from ..device.dtypes import C_NAMES
from ..primitives.gaussian import working

_SOURCE = "feature/hog.cu"
_PIXELS = 1024  # HOG_PIXELS of hog.cu
_SHAPE = np.dtype(
    [
        (name, "i8")
        for name in (
            *("rows", "columns", "channels"),
            *("row_stride", "column_stride", "channel_stride"),
            *("cell_rows", "cell_columns", "height", "width"),
        )
    ]
)
_LINES = np.dtype([("down", "f8", MOST_LINES), ("across", "f8", MOST_LINES)])


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
    """Histograms of oriented gradients: `skimage.feature.hog`, by Dalal and Triggs.

    2 launches: image read once, 4 bytes for each orientation of a cell written and read, the
    descriptors written once. The picture of `visualize` takes 1 launch more. One more launch
    makes a strided `image` contiguous.
    """
    orientations = int(orientations)
    source = cp.ascontiguousarray(image)
    dtype = working(image.dtype)
    shape = _shape(image.shape, channel_axis, pixels_per_cell)
    cell_rows, cell_columns = int(shape["cell_rows"]), int(shape["cell_columns"])
    cells = cp.empty((cell_rows, cell_columns, orientations), "float32")

    at_once = max(1, _PIXELS // int(shape["height"] * shape["width"]))
    launch(
        _SOURCE,
        f"hog_cells<{c_name(image.dtype)}>",
        (
            *(source, cells, shape, np.int32(orientations)),
            *(180.0 / orientations, bool(transform_sqrt)),
        ),
        work=cell_rows * -(-cell_columns // at_once) * 128,
        block=128,
        shared=_PIXELS * 12 + orientations * 4,
    )

    tall, wide = (int(count) for count in cells_per_block)
    rows, columns = cell_rows - tall + 1, cell_columns - wide + 1
    descriptors = cp.empty((rows, columns, tall, wide, orientations), dtype)
    launch(
        _SOURCE,
        f"hog_blocks<{c_name(dtype)}>",
        (
            *(cells, descriptors, rows, columns, tall, wide, orientations),
            np.int32(NORMS.index(block_norm)),
        ),
        work=rows * -(-columns // 32) * 256,
    )
    if feature_vector:
        descriptors = descriptors.ravel()
    return (descriptors, _picture(cells, shape, dtype)) if visualize else descriptors


def _shape(shape, channel_axis, pixels):
    """The struct HogShape of hog.cu for a C-contiguous image."""
    strides = np.cumprod([1, *shape[:0:-1]])[::-1].tolist()
    axes = list(zip(shape, strides, strict=True))
    (channels, channel_stride) = (1, 0) if channel_axis is None else axes.pop(channel_axis)
    (rows, row_stride), (columns, column_stride) = axes
    height, width = (int(size) for size in pixels)
    struct = (rows, columns, channels, row_stride, column_stride, channel_stride)
    return np.array((*struct, rows // height, columns // width, height, width), _SHAPE)[()]


def _picture(cells, shape, dtype):
    """A line for each orientation of each cell."""
    orientations = cells.shape[2]
    radius = min(int(shape["height"]), int(shape["width"])) // 2 - 1
    midpoints = np.pi * (np.arange(orientations) + 0.5) / orientations
    lines = np.zeros((), _LINES)
    lines["down"][:orientations] = radius * np.cos(midpoints)
    lines["across"][:orientations] = radius * np.sin(midpoints)
    picture = cp.zeros((int(shape["rows"]), int(shape["columns"])), dtype)
    launch(
        _SOURCE,
        f"hog_lines<{c_name(dtype)}>",
        (cells, picture, shape, np.int32(orientations), lines[()]),
        work=cells.size // orientations,
    )
    return picture


def specializations():
    """Every specialization that `hog` can ask for, as (source, expression)."""
    for image in C_NAMES.values():
        yield _SOURCE, f"hog_cells<{image}>"
    for result in ("float", "double"):
        yield _SOURCE, f"hog_blocks<{result}>"
        yield _SOURCE, f"hog_lines<{result}>"
