"""Calls that the ops of skimage.util take: the public names, by families."""

from ._arrays import compare_images, label_points, map_array
from ._convert import (
    img_as_float,
    img_as_float32,
    img_as_float64,
    img_as_int,
    img_as_ubyte,
    img_as_uint,
)

__all__ = [
    "compare_images",
    "img_as_float",
    "img_as_float32",
    "img_as_float64",
    "img_as_int",
    "img_as_ubyte",
    "img_as_uint",
    "label_points",
    "map_array",
]
