"""skimage.color: stains of histological images, by colour deconvolution.

Cost of every function here: 1 launch; the image is read once and the result, always float64,
written once.
"""

import numpy as np
from skimage.color import hed_from_rgb, rgb_from_hed

from ...device.dtypes import C_NAMES
from ...device.launches import Array
from ...plan import Declined, Invalid
from ...primitives.arguments import is_numeric, small_array
from ._pixels import axis_of, channels_moved, conversion
from ._steps import combine, separate

_FLOAT64 = np.dtype(np.float64)


def _matrix(conv_matrix):
    """Rows of the matrix, as tuples of floats."""
    matrix = small_array("conv_matrix", conv_matrix)
    shape = matrix.shape
    if not shape or shape[max(len(shape) - 2, 0)] != 3:
        raise Invalid("conv_matrix has not 3 rows")
    if shape != (3, 3):
        raise Declined("conv_matrix is not 3 x 3; give three rows of three numbers")
    if not is_numeric(matrix.dtype):
        raise Declined(f"conv_matrix has dtype {matrix.dtype}; give conv_matrix.astype(float)")
    return tuple(map(tuple, matrix.astype(float).tolist()))


_TO_HED, _FROM_HED = _matrix(hed_from_rgb), _matrix(rgb_from_hed)


@channels_moved
def separate_stains(rgb, conv_matrix, *, channel_axis=-1):
    """RGB to stains: `skimage.color.separate_stains`.

    Of float16 and float32 images the logarithm is taken in float32, as there, and the result
    agrees to 1e-5.
    """
    return _separated(rgb, channel_axis, _matrix(conv_matrix))


@channels_moved
def combine_stains(stains, conv_matrix, *, channel_axis=-1):
    """Stains to RGB: `skimage.color.combine_stains`."""
    return _combined("stains", stains, channel_axis, _matrix(conv_matrix))


@channels_moved
def rgb2hed(rgb, *, channel_axis=-1):
    """RGB to haematoxylin, eosin and DAB: `skimage.color.rgb2hed`."""
    return _separated(rgb, channel_axis, _TO_HED)


@channels_moved
def hed2rgb(hed, *, channel_axis=-1):
    """Haematoxylin, eosin and DAB to RGB: `skimage.color.hed2rgb`."""
    return _combined("hed", hed, channel_axis, _FROM_HED)


def _separated(rgb, channel_axis, matrix):
    step = separate, rgb.dtype.char in "ef", matrix
    return conversion("rgb", rgb, axis_of(rgb, channel_axis), step, into=_FLOAT64)


def _combined(name, stains, channel_axis, matrix):
    axis = axis_of(stains, channel_axis)
    return conversion(name, stains, axis, (combine, matrix), into=_FLOAT64)


def samples():
    """Plans that together ask for every kernel of this room."""
    for dtype in C_NAMES:
        image = Array((4, 4, 3), np.dtype(dtype))
        yield from (rgb2hed(image), hed2rgb(image))
