"""Stains of histological images, by colour deconvolution.

Each is one launch; the image is read once and the result, always float64, written once.
"""

import numpy as np
from skimage.color import colorconv

from ..functions.color._steps import combine, separate
from ._color_launch import convert

__all__ = ["combine_stains", "hed2rgb", "rgb2hed", "separate_stains"]

_FLOAT64 = np.dtype(np.float64)


def separate_stains(rgb, conv_matrix, *, channel_axis=-1):
    """RGB to stains, as `skimage.color.separate_stains`.

    1 launch; input read once, output written once. Of float16 and float32 images the
    logarithm is taken in float32, as there, and the result agrees to 1e-5.
    """
    return convert(rgb, channel_axis, separate(rgb.dtype, conv_matrix), result=_FLOAT64)


def combine_stains(stains, conv_matrix, *, channel_axis=-1):
    """Stains to RGB, as `skimage.color.combine_stains`.

    1 launch; input read once, output written once.
    """
    return convert(stains, channel_axis, combine(conv_matrix), result=_FLOAT64)


def rgb2hed(rgb, *, channel_axis=-1):
    """RGB to haematoxylin, eosin and DAB, as `skimage.color.rgb2hed`.

    1 launch; input read once, output written once.
    """
    return separate_stains(rgb, colorconv.hed_from_rgb, channel_axis=channel_axis)


def hed2rgb(hed, *, channel_axis=-1):
    """Haematoxylin, eosin and DAB to RGB, as `skimage.color.hed2rgb`.

    1 launch; input read once, output written once.
    """
    return combine_stains(hed, colorconv.rgb_from_hed, channel_axis=channel_axis)
