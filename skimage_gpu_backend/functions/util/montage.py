"""skimage.util.montage."""

import math

import numpy as np

from ...device.launches import Array, Cost
from ...devices import xp
from ...plan import Declined, Invalid, Plan
from ...primitives.arguments import integer, truth
from ...primitives.channels import channels_moved
from ..exposure import rescale_intensity as intensity


@channels_moved()
def montage(
    arr_in,
    fill="mean",
    rescale_intensity=False,
    grid_shape=None,
    padding_width=0,
    *,
    channel_axis=None,
):
    """Images side by side: `skimage.util.montage`.

    1 launch, and 1 where images do not fill the last row; images read once, the result written
    once. Where something is between them, 1 launch more, which writes the result once more, and
    3 for the mean of all images, which reads them once more. A list of images takes 1 launch
    more, and is copied.
    """
    is_list = isinstance(arr_in, list | tuple)
    (count, rows, columns, channels), dtype = _tiles(arr_in, channel_axis)
    rescale = None
    if truth("rescale_intensity", rescale_intensity):
        if not is_list:
            raise Declined(
                "rescale_intensity=True writes into arr_in, where that is an array; leave it out "
                "and rescale the images before"
            )
        shape = (rows, columns) if channel_axis is None else (rows, columns, channels)
        rescale = intensity.rescale_intensity(Array(shape, dtype)).run
    down, across = _grid(grid_shape, count)
    margin = integer("padding_width", padding_width)
    if margin < 0:
        raise Declined("padding_width is negative; give a number from 0 on")
    fill = _fill(fill, channels)
    is_filled = margin > 0 or down * across > count

    def run(arr_in):
        tiles = xp.stack(arr_in) if is_list else arr_in
        tiles = tiles[..., None] if channel_axis is None else xp.moveaxis(tiles, channel_axis, -1)
        if rescale:
            for tile in tiles if channel_axis is not None else tiles[..., 0]:
                tile[...] = rescale(image=tile)
        pitch = rows + margin, columns + margin
        made = xp.empty((pitch[0] * down + margin, pitch[1] * across + margin, channels), dtype)
        if fill is not None:
            around = fill.astype(dtype)  # warns, as scikit-image does
        elif is_filled:
            around = tiles.mean(axis=(0, 1, 2)).astype(dtype)
        if is_filled:
            made[...] = xp.asarray(around)
        cells = made[margin:, margin:].reshape(down, pitch[0], across, pitch[1], channels)
        cells = cells[:, :rows, :, :columns].swapaxes(1, 2)
        whole, rest = divmod(count, across)
        cells[:whole] = tiles[: whole * across].reshape(whole, across, *tiles.shape[1:])
        if rest:
            cells[whole, :rest] = tiles[whole * across :]
        return made[..., 0] if channel_axis is None else made

    if rescale:
        return Plan(run)
    nbytes = count * rows * columns * channels * dtype.itemsize
    result = dtype.itemsize * channels
    result *= math.prod(
        n * (length + margin) + margin for n, length in ((down, rows), (across, columns))
    )
    has_mean = is_filled and fill is None
    launches = 1 + (count % across > 0) + is_list + is_filled + 3 * has_mean
    written = result * is_filled + (1 + is_list) * nbytes
    return Plan(run, cost=Cost(launches, (1 + is_list + has_mean) * nbytes, written))


def _tiles(arr_in, channel_axis):
    """Number, rows, columns and channels of the images, and their dtype."""
    if isinstance(arr_in, list | tuple):
        shapes = {image.shape for image in arr_in}
        if len(shapes) > 1:
            raise Invalid("arr_in has images of several shapes; give images of one shape")
        shape = len(arr_in), *shapes.pop()
        dtype = np.result_type(*(image.dtype for image in arr_in))
    else:
        shape, dtype = arr_in.shape, arr_in.dtype
    if channel_axis is None:
        shape = *shape, 1
    elif not -len(shape) <= channel_axis < len(shape):
        raise Invalid("channel_axis exceeds the dimensions of the image")
    else:
        shape = list(shape)
        shape.append(shape.pop(channel_axis))
    if len(shape) != 4:
        raise Invalid(
            "arr_in has another number of axes than scikit-image takes; give images of one shape "
            "in an array (K, M, N), with channel_axis (K, M, N, C)"
        )
    if 0 in shape:
        raise Declined("arr_in has no elements; nothing to change")
    return shape, dtype.newbyteorder("=")


def _grid(grid_shape, count):
    try:
        if grid_shape:
            down, across = (int(side) for side in grid_shape)
        else:
            down = across = int(np.ceil(np.sqrt(count)))
    except Exception as error:
        raise Invalid(f"grid_shape: {error}; give two integers, as (2, 3)") from None
    if min(down, across) < 1 or down * across < count:
        raise Invalid("grid_shape has fewer tiles than there are images; give larger numbers")
    return down, across


def _fill(fill, channels):
    """The values between the images, None where they are the mean of all."""
    if hasattr(fill, "dtype") and not isinstance(fill, np.ndarray | np.generic):
        raise Declined("fill is not a NumPy array; give fill.get(), or a number")
    try:
        if fill == "mean":
            return None
        values = np.atleast_1d(fill)
    except Exception as error:
        raise Invalid(f"fill: {error}; give a number, or one for each channel") from None
    if len(values) < channels:
        raise Invalid("fill has too few values for the channels; give one for each channel")
    if values.dtype.kind not in "biuf" or values.ndim != 1:
        raise Declined("fill is not of numbers; give a number, or one for each channel")
    return values[:channels]
