"""skimage.color: conversions between RGB and HSV, XYZ and the spaces that a matrix gives.

Cost of every function here: 1 launch; the image is read once and the result written once.
Values of 8-bit images are looked up in a table of 256, of which the operations of a pixel in
double precision are left: 9 to XYZ, 12 to and from what a matrix gives, 19 to HSV, whose two
quotients are corrected products. Of other integers there are 2 more for each channel, for
float64 and them 9 for each channel's power (to XYZ; 11 back).
"""

import itertools

import numpy as np

from ...device.dtypes import C_NAMES
from ...device.launches import Array, Cost
from ...plan import Invalid, Plan
from ._pixels import axis_of, channels_moved, conversion, one_axis
from ._steps import from_linear, hsv_to_rgb, rgb_to_hsv, rgb_to_xyz, to_linear, xyz_to_rgb

# Steps from RGB to each space of convert_colorspace, and back.
_FROM_RGB = {
    "rgb": (),
    "hsv": ((rgb_to_hsv,),),
    "rgb cie": ((to_linear, "rgbcie"),),
    "xyz": ((rgb_to_xyz,),),
    "yuv": ((to_linear, "yuv"),),
    "yiq": ((to_linear, "yiq"),),
    "ypbpr": ((to_linear, "ypbpr"),),
    "ycbcr": ((to_linear, "ycbcr"),),
    "ydbdr": ((to_linear, "ydbdr"),),
}
_TO_RGB = {
    "rgb": (),
    "hsv": ((hsv_to_rgb,),),
    "rgb cie": ((from_linear, "rgbcie"),),
    "xyz": ((xyz_to_rgb,),),
    "yuv": ((from_linear, "yuv"),),
    "yiq": ((from_linear, "yiq"),),
    "ypbpr": ((from_linear, "ypbpr"),),
    "ycbcr": ((from_linear, "ycbcr"),),
    "ydbdr": ((from_linear, "ydbdr"),),
}


@channels_moved
def rgb2hsv(rgb, *, channel_axis=-1):
    """RGB to HSV: `skimage.color.rgb2hsv`.

    A pixel with a NaN becomes black; scikit-image leaves its hue undefined.
    """
    return _from_rgb(rgb, channel_axis, "hsv")


@channels_moved
def hsv2rgb(hsv, *, channel_axis=-1):
    """HSV to RGB: `skimage.color.hsv2rgb`.

    Hues outside [0, 1] go through NumPy's cast to uint8 as x86 processors do it.
    """
    return _to_rgb("hsv", hsv, channel_axis)


@channels_moved
def rgb2xyz(rgb, *, channel_axis=-1):
    """sRGB to CIE XYZ: `skimage.color.rgb2xyz`."""
    return _from_rgb(rgb, channel_axis, "xyz")


@channels_moved
def xyz2rgb(xyz, *, channel_axis=-1):
    """CIE XYZ to sRGB: `skimage.color.xyz2rgb`."""
    return _to_rgb("xyz", xyz, channel_axis)


@channels_moved
def rgb2rgbcie(rgb, *, channel_axis=-1):
    """RGB to CIE RGB: `skimage.color.rgb2rgbcie`."""
    return _from_rgb(rgb, channel_axis, "rgb cie")


@channels_moved
def rgbcie2rgb(rgbcie, *, channel_axis=-1):
    """CIE RGB to RGB: `skimage.color.rgbcie2rgb`."""
    return conversion("rgbcie", rgbcie, axis_of(rgbcie, channel_axis), *_TO_RGB["rgb cie"])


@channels_moved
def rgb2yuv(rgb, *, channel_axis=-1):
    """RGB to YUV: `skimage.color.rgb2yuv`."""
    return _from_rgb(rgb, channel_axis, "yuv")


@channels_moved
def yuv2rgb(yuv, *, channel_axis=-1):
    """YUV to RGB: `skimage.color.yuv2rgb`."""
    return _to_rgb("yuv", yuv, channel_axis)


@channels_moved
def rgb2yiq(rgb, *, channel_axis=-1):
    """RGB to YIQ: `skimage.color.rgb2yiq`."""
    return _from_rgb(rgb, channel_axis, "yiq")


@channels_moved
def yiq2rgb(yiq, *, channel_axis=-1):
    """YIQ to RGB: `skimage.color.yiq2rgb`."""
    return _to_rgb("yiq", yiq, channel_axis)


@channels_moved
def rgb2ypbpr(rgb, *, channel_axis=-1):
    """RGB to YPbPr: `skimage.color.rgb2ypbpr`."""
    return _from_rgb(rgb, channel_axis, "ypbpr")


@channels_moved
def ypbpr2rgb(ypbpr, *, channel_axis=-1):
    """YPbPr to RGB: `skimage.color.ypbpr2rgb`."""
    return _to_rgb("ypbpr", ypbpr, channel_axis)


@channels_moved
def rgb2ycbcr(rgb, *, channel_axis=-1):
    """RGB to YCbCr: `skimage.color.rgb2ycbcr`."""
    return _from_rgb(rgb, channel_axis, "ycbcr")


@channels_moved
def ycbcr2rgb(ycbcr, *, channel_axis=-1):
    """YCbCr to RGB: `skimage.color.ycbcr2rgb`.

    As there, the offsets are taken off in the type of the image: integers wrap around, float16
    is rounded.
    """
    _refuse_without_128(ycbcr)
    return _to_rgb("ycbcr", ycbcr, channel_axis)


@channels_moved
def rgb2ydbdr(rgb, *, channel_axis=-1):
    """RGB to YDbDr: `skimage.color.rgb2ydbdr`."""
    return _from_rgb(rgb, channel_axis, "ydbdr")


@channels_moved
def ydbdr2rgb(ydbdr, *, channel_axis=-1):
    """YDbDr to RGB: `skimage.color.ydbdr2rgb`."""
    return _to_rgb("ydbdr", ydbdr, channel_axis)


def convert_colorspace(arr, fromspace, tospace, *, channel_axis=-1):
    """From one space to another through RGB: `skimage.color.convert_colorspace`.

    1 launch, also for both conversions. RGB to RGB is the image itself. To HSV the hue of a red
    may be near 1 here and near 0 there: rounding in RGB decides.
    """
    fromspace, tospace = _space(fromspace), _space(tospace)
    if fromspace == tospace == "rgb":
        return Plan(_itself, cost=Cost(0, 0, 0))
    if fromspace == "ycbcr":
        _refuse_without_128(arr)
    axis = axis_of(arr, one_axis(channel_axis))
    return conversion("arr", arr, axis, *_TO_RGB[fromspace], *_FROM_RGB[tospace])


def _from_rgb(rgb, channel_axis, space):
    return conversion("rgb", rgb, axis_of(rgb, channel_axis), *_FROM_RGB[space])


def _to_rgb(space, image, channel_axis):
    return conversion(space, image, axis_of(image, channel_axis), *_TO_RGB[space])


def _itself(arr):
    return arr


def _space(name):
    if not isinstance(name, str) or name.lower() not in _FROM_RGB:
        raise Invalid("there is no such colour space")
    return name.lower()


def _refuse_without_128(ycbcr):
    if ycbcr.dtype.name in ("bool", "int8"):
        raise Invalid(f"offsets of YCbCr do not fit {ycbcr.dtype}")


def samples():
    """Plans that together ask for every kernel of this room."""
    kinds = "rgb", "hsv", "xyz", "yuv"  # the other spaces take the kernels of yuv
    for dtype, spaces in itertools.product(C_NAMES, itertools.product(kinds, kinds)):
        if spaces != ("rgb", "rgb"):
            yield convert_colorspace(Array((4, 4, 3), np.dtype(dtype)), *spaces)
