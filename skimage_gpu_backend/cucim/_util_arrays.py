"""`skimage.util` on the device: dtypes, duplicates and views as scikit-image has them."""

import cupy as cp
import numpy as np
from cucim.skimage import exposure

from ._precision import scaled


def img_as_float(theirs, image, force_copy=False):
    """As `skimage.util.img_as_float`: floats of every precision stay."""
    converted = scaled(image)
    return converted.copy() if force_copy and converted is image else converted


def compare_images(theirs, image0, image1, method="diff", n_tiles=(8, 8)):
    """As `skimage.util.compare_images`."""
    image0, image1 = scaled(image0), scaled(image1)
    first = image0.dtype
    dtype = first if method == "checkerboard" else np.result_type(first, image1.dtype)
    image0, image1 = (image.astype(dtype, copy=False) for image in (image0, image1))
    compared = theirs(image0=image0, image1=image1, method=method, n_tiles=n_tiles)
    return compared.astype(dtype, copy=False)


def crop(theirs, crop_width, **arguments):
    """As `skimage.util.crop`: NumPy's integers are integers."""
    return theirs(crop_width=np.asarray(crop_width).tolist(), **arguments)


def map_array(theirs, input_vals, output_vals, **arguments):
    """As `skimage.util.map_array`: of several outputs for one value, the last counts."""
    # cuCIM takes the first
    return theirs(input_vals=input_vals[::-1], output_vals=output_vals[::-1], **arguments)


def montage(
    theirs,
    arr_in,
    fill="mean",
    rescale_intensity=False,
    grid_shape=None,
    padding_width=0,
    channel_axis=None,
):
    """As `skimage.util.montage`, with the mean in the precision that NumPy takes for it."""
    tiles = cp.stack(arr_in) if isinstance(arr_in, list | tuple) else arr_in
    if channel_axis is not None:
        tiles = cp.moveaxis(tiles, channel_axis, -1)
    if rescale_intensity:  # here, since cuCIM writes into its argument
        tiles = cp.stack([exposure.rescale_intensity(tile) for tile in tiles])
    if isinstance(fill, str) and fill == "mean":
        fill = cp.asnumpy(tiles.mean(axis=None if channel_axis is None else (0, 1, 2)))
    return theirs(
        arr_in=tiles,
        fill=tuple(np.atleast_1d(fill).astype(tiles.dtype)),
        grid_shape=grid_shape,
        padding_width=padding_width,
        channel_axis=None if channel_axis is None else -1,
    )


def view_as_blocks(theirs, arr_in, block_shape):
    """As `skimage.util.view_as_blocks`: a view of every array."""
    if arr_in.flags.c_contiguous or not isinstance(block_shape, tuple):
        return theirs(arr_in=arr_in, block_shape=block_shape)
    # cuCIM copies such an array; an axis in two parts is a view always
    split = [
        part
        for length, block in zip(arr_in.shape, block_shape, strict=True)
        for part in (length // block, block)
    ]
    axes = (*range(0, len(split), 2), *range(1, len(split), 2))
    return arr_in.reshape(split).transpose(axes)
