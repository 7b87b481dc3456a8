"""Reach of skimage.util: conversions and comparisons of elements."""

import functools

import numpy as np

from . import Passes, point


def img_as_float(image, force_copy=False):
    return point(image)


img_as_float32 = img_as_float64 = img_as_float


def img_as_int(image, force_copy=False):
    return _to_integers(image, "int16")


def img_as_ubyte(image, force_copy=False):
    return _to_integers(image, "uint8")


def img_as_uint(image, force_copy=False):
    return _to_integers(image, "uint16")


def _to_integers(image, result):
    """In two passes where the largest value decides whether values are scaled."""
    if image.dtype.kind not in "iu":
        return point(image)
    given, wanted = (8 * t.itemsize - (t.kind == "i") for t in (image.dtype, np.dtype(result)))
    if given <= wanted:
        return point(image)
    from ...ops._convert import largest_of, to_integers

    return Passes(largest_of, functools.partial(to_integers, dtype=result), point(image))


def compare_images(image0, image1, *, method="diff", n_tiles=(8, 8)):
    return point(image0)


def map_array(input_arr, input_vals, output_vals, out=None):
    return point(input_arr)
