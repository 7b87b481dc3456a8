"""Ops of `skimage.util`: the public names; each family has a module of its own."""

import itertools

from . import _compare, _convert, _label_points, _map_array
from ._compare import compare_images
from ._convert import (
    img_as_float,
    img_as_float32,
    img_as_float64,
    img_as_int,
    img_as_ubyte,
    img_as_uint,
)
from ._label_points import label_points
from ._map_array import map_array

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
    "specializations",
]


def specializations():
    """Every specialization that the ops of this module can ask for."""
    return itertools.chain.from_iterable(
        family.specializations() for family in (_compare, _convert, _label_points, _map_array)
    )
