"""Calls that compare_images, map_array and label_points of skimage.util take."""

import numpy as np

from ._verdict import Invalid

MOST_AXES = 8


def compare_images(image0, image1, *, method="diff", n_tiles=(8, 8)):
    if image0.shape != image1.shape:
        return Invalid("images differ in shape")
    if method not in ("diff", "blend"):
        return f"there is no kernel for the method {method!r}"
    if image0.dtype != image1.dtype or image0.dtype.char == "e":
        return "images differ in dtype, or are float16"
    return None if image0.ndim else "images have no axes"


def map_array(input_arr, input_vals, output_vals, out=None):
    if input_arr.dtype.kind not in "iu":
        return Invalid("input_arr is not of integers")
    if input_vals.ndim != 1 or input_vals.shape != output_vals.shape:
        return "input_vals and output_vals are not two lists of one length"
    if input_arr.ndim == 0:
        return "input_arr has no axes"
    dtype = output_vals.dtype if out is None else out.dtype
    if dtype.char == "e":
        return Invalid("scikit-image maps to no float16")
    if dtype.kind not in "biuf" or dtype.itemsize > 8 or not dtype.isnative:
        return f"there is no kernel that maps to {dtype}"
    if input_vals.dtype.kind not in "biuf" or output_vals.dtype.kind not in "biuf":
        return "a list is not of numbers"
    if out is None:
        return None
    if out.shape != input_arr.shape:
        return Invalid("out has another shape than input_arr")
    if out.ndim > 1 and not out.flags.c_contiguous:
        return Invalid("out is not contiguous")
    return None


def label_points(coords, output_shape):
    if coords.ndim != 2 or coords.shape[1] != len(output_shape):
        return Invalid("coords have other axes than output_shape")
    if isinstance(coords, np.ndarray):
        return "makes an image of few numbers, for which a NumPy array need not be moved"
    if coords.dtype.kind == "b":
        return "coords are not numbers"
    if not 0 < len(output_shape) <= MOST_AXES:
        return f"output_shape has no axes, or more than {MOST_AXES}"
    if not all(isinstance(size, int | np.integer) and size >= 0 for size in output_shape):
        return "output_shape is not of whole numbers"
    return None
