"""`skimage.color` on the device, in scikit-image's precision.

cuCIM converts booleans and integers of 8 and 16 bits in single precision, scikit-image in
double.
"""

import warnings

import cupy as cp

from ._results import as_float, float_type


def _of_image(name):
    """Correction for a conversion: its image, the parameter `name`, comes as floats."""

    def correct(theirs, **arguments):
        arguments[name] = as_float(arguments[name])
        return theirs(**arguments)

    return correct


def _in_double(name):
    """Correction for a conversion with a matrix in double precision."""

    def correct(theirs, **arguments):
        arguments[name] = as_float(arguments[name]).astype(float, copy=False)
        return theirs(**arguments)

    return correct


of_rgb, of_rgba, of_hsv, of_xyz = map(_of_image, ("rgb", "rgba", "hsv", "xyz"))
of_rgbcie, of_lab, of_lch, of_luv = map(_of_image, ("rgbcie", "lab", "lch", "luv"))
of_yuv, of_yiq, of_ypbpr, of_ydbdr = map(_of_image, ("yuv", "yiq", "ypbpr", "ydbdr"))
rgb_with_stains, of_hed, of_stains = map(_in_double, ("rgb", "hed", "stains"))


def of_arr(theirs, arr, fromspace, tospace, channel_axis=-1):
    """As `skimage.color.convert_colorspace`."""
    if fromspace.lower() == tospace.lower() == "rgb":
        return arr
    return theirs(
        arr=as_float(arr), fromspace=fromspace, tospace=tospace, channel_axis=channel_axis
    )


def of_ycbcr(theirs, ycbcr, channel_axis=-1):
    """As `skimage.color.ycbcr2rgb`, which takes the offsets from integers as they are."""
    if ycbcr.dtype.kind == "f":
        return theirs(ycbcr=ycbcr, channel_axis=channel_axis)
    offsets = (16, 128, 128)
    shifted = cp.moveaxis(ycbcr, channel_axis, -1).copy()
    for channel, offset in enumerate(offsets):
        shifted[..., channel] -= offset
    # cuCIM takes them off again
    floating = as_float(shifted) + cp.asarray(offsets, float)
    return cp.moveaxis(theirs(ycbcr=floating, channel_axis=-1), -1, channel_axis)


def of_two(theirs, lab1, lab2, **parameters):
    """As scikit-image's colour differences."""
    dtype = float_type((lab1.dtype, lab2.dtype))
    lab1, lab2 = (lab.astype(dtype, copy=False) for lab in (lab1, lab2))
    with warnings.catch_warnings():
        # cuCIM tells that CIEDE2000 is less accurate than on the CPU; see its bound
        warnings.simplefilter("ignore", UserWarning)
        return theirs(lab1=lab1, lab2=lab2, **parameters)
