"""`skimage.color` on the device, in scikit-image's precision.

cuCIM converts booleans and integers of 8 and 16 bits in single precision, scikit-image in
double.
"""

import cupy as cp

from .._warn import unheard
from ..device.dtypes import float_type
from ._precision import scaled


def of_arr(theirs, arr, fromspace, tospace, channel_axis=-1):
    """As `skimage.color.convert_colorspace`."""
    if fromspace.lower() == tospace.lower() == "rgb":
        return arr
    return theirs(arr=scaled(arr), fromspace=fromspace, tospace=tospace, channel_axis=channel_axis)


def of_ycbcr(theirs, ycbcr, channel_axis=-1):
    """As `skimage.color.ycbcr2rgb`, which takes the offsets from integers as they are."""
    if ycbcr.dtype.kind == "f":
        return theirs(ycbcr=ycbcr, channel_axis=channel_axis)
    offsets = (16, 128, 128)
    shifted = cp.moveaxis(ycbcr, channel_axis, -1).copy()
    for channel, offset in enumerate(offsets):
        shifted[..., channel] -= offset
    # cuCIM takes them off again
    floating = scaled(shifted) + cp.asarray(offsets, float)
    return cp.moveaxis(theirs(ycbcr=floating, channel_axis=-1), -1, channel_axis)


def of_two(theirs, lab1, lab2, **parameters):
    """As scikit-image's colour differences."""
    dtype = float_type(lab1.dtype, lab2.dtype)
    lab1, lab2 = (lab.astype(dtype, copy=False) for lab in (lab1, lab2))
    with unheard(UserWarning):  # that CIEDE2000 is less accurate than on the CPU; see its bound
        return theirs(lab1=lab1, lab2=lab2, **parameters)
