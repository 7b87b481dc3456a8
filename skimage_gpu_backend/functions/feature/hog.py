"""skimage.feature.hog: votes of cells in one launch, their normalization in another.

By Dalal and Triggs, "Histograms of oriented gradients for human detection", 2005.
"""

import functools

import numpy as np

from ...device import c_name
from ...device.dtypes import C_NAMES
from ...device.launches import Array, Launch, Launches
from ...plan import Declined, Invalid, Plan
from ...primitives.arguments import truth
from ...primitives.channels import channels_moved
from ...primitives.gaussian import working

NORMS = ("L1", "L1-sqrt", "L2", "L2-Hys")
MOST_ORIENTATIONS = 4096
MOST_LINES = 64  # HOG_MOST_LINES in hog.cu
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


@channels_moved()
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
    """Histograms of oriented gradients: `skimage.feature.hog`.

    2 launches: image read once, 4 bytes for each orientation of a cell written and read, the
    descriptors written once. The picture of `visualize` takes 1 launch more. One more launch
    makes a strided `image` contiguous.
    """
    (orientations,) = _sizes((orientations,))
    pixels, cells = _sizes(pixels_per_cell), _sizes(cells_per_block)
    shape = _plane_of(image, channel_axis)
    if len(shape) != 2 or len(pixels) != 2 or len(cells) != 2:
        raise Invalid("image, cells or blocks have another number of axes than two")
    if not isinstance(block_norm, str) or block_norm not in NORMS:
        raise Invalid("block_norm is unknown")
    if any(size // p < c for size, p, c in zip(shape, pixels, cells, strict=True)):
        raise Invalid("image is smaller than one block")
    if orientations > MOST_ORIENTATIONS:
        raise Declined(f"orientations is above {MOST_ORIENTATIONS}; give a smaller number, as 9")
    visualize = truth("visualize", visualize)
    if visualize and (orientations > MOST_LINES or min(pixels) < 2):
        raise Declined(
            f"visualize=True draws cells of 2 pixels or more and up to {MOST_LINES} "
            "orientations; leave visualize out for the features alone"
        )
    flags = (
        visualize,
        truth("transform_sqrt", transform_sqrt),
        truth("feature_vector", feature_vector),
    )
    numbers = orientations, pixels, cells, block_norm, *flags, channel_axis
    return _planned(image.shape, image.dtype, *numbers)


def _sizes(values):
    try:
        values = tuple(values)
    except TypeError:
        raise Invalid("the size of a cell or block is no sequence") from None
    # of True, NumPy makes no length
    integers = all(isinstance(n, int | np.integer) and type(n) is not bool for n in values)
    if not integers or any(n < 1 for n in values):
        raise Declined(
            "orientations, pixels_per_cell or cells_per_block is not of positive "
            "integers; give integers from 1 on"
        )
    return tuple(map(int, values))


def _plane_of(image, channel_axis):
    """Shape of the image without its channels."""
    if channel_axis is None:
        if image.ndim < 2:
            raise Declined(f"image has {image.ndim} axes; give one of 2, and channels")
        return image.shape
    if image.ndim != 3 or not -3 <= channel_axis < 3:
        raise Invalid("image has no channels, or other axes beside them than two")
    shape = list(image.shape)
    if shape.pop(channel_axis) == 0:
        raise Invalid("image has no channels")
    return tuple(shape)


@functools.lru_cache(maxsize=256)
def _planned(
    shape,
    source,
    orientations,
    pixels,
    block,
    norm,
    visualize,
    transform_sqrt,
    feature_vector,
    channel_axis,
):
    dtype, image = working(source), Array(shape, source, "image")
    struct = _struct(shape, channel_axis, pixels)
    cell_rows, cell_columns = int(struct["cell_rows"]), int(struct["cell_columns"])
    cells = Array((cell_rows, cell_columns, orientations), np.dtype(np.float32))
    at_once = max(1, _PIXELS // (pixels[0] * pixels[1]))
    votes = Launch(
        _SOURCE,
        f"hog_cells<{c_name(source)}>",
        (
            *(image, cells, struct, np.int32(orientations)),
            *(180.0 / orientations, transform_sqrt),
        ),
        work=cell_rows * -(-cell_columns // at_once) * 128,
        block=128,
        shared=_PIXELS * 12 + orientations * 4,
    )

    tall, wide = block
    rows, columns = cell_rows - tall + 1, cell_columns - wide + 1
    numbers = rows, columns, tall, wide, orientations
    descriptors = Array(numbers, dtype)
    if feature_vector:
        descriptors = Array((descriptors.size,), dtype)
    normalized = Launch(
        _SOURCE,
        f"hog_blocks<{c_name(dtype)}>",
        (cells, descriptors, *numbers, np.int32(NORMS.index(norm))),
        work=rows * -(-columns // 32) * 256,
    )
    if not visualize:
        return Plan(Launches([votes, normalized], descriptors))
    picture = Array((int(struct["rows"]), int(struct["columns"])), dtype, zero=True)
    steps = [votes, normalized, _drawn(cells, picture, struct, pixels)]
    return Plan(Launches(steps, (descriptors, picture)))


def _struct(shape, channel_axis, pixels):
    """The struct HogShape of hog.cu for a C-contiguous image."""
    strides = np.cumprod([1, *shape[:0:-1]])[::-1].tolist()
    axes = list(zip(shape, strides, strict=True))
    (channels, channel_stride) = (1, 0) if channel_axis is None else axes.pop(channel_axis)
    (rows, row_stride), (columns, column_stride) = axes
    height, width = pixels
    struct = (rows, columns, channels, row_stride, column_stride, channel_stride)
    return np.array((*struct, rows // height, columns // width, height, width), _SHAPE)[()]


def _drawn(cells, picture, struct, pixels):
    """The launch that draws a line for each orientation of each cell."""
    orientations = cells.shape[2]
    radius = min(pixels) // 2 - 1
    midpoints = np.pi * (np.arange(orientations) + 0.5) / orientations
    lines = np.zeros((), _LINES)
    lines["down"][:orientations] = radius * np.cos(midpoints)
    lines["across"][:orientations] = radius * np.sin(midpoints)
    arguments = (cells, picture, struct, np.int32(orientations), lines[()])
    expression = f"hog_lines<{c_name(picture.dtype)}>"
    return Launch(_SOURCE, expression, arguments, cells.size // orientations)


def samples():
    """Plans that together ask for every kernel of this room."""
    for dtype in map(np.dtype, C_NAMES):
        yield hog(Array((24, 24), dtype), visualize=True)
