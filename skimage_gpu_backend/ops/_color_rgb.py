"""Conversions between RGB and HSV, XYZ and the spaces that a matrix gives.

Each is one launch; the image is read once and the result written once.
"""

from ..functions.color._steps import bare, from_linear, rgb_to_xyz, to_linear, xyz_to_rgb
from ._color_launch import compute_type, convert

__all__ = [
    "convert_colorspace",
    "hsv2rgb",
    "rgb2hsv",
    "rgb2rgbcie",
    "rgb2xyz",
    "rgb2ycbcr",
    "rgb2ydbdr",
    "rgb2yiq",
    "rgb2ypbpr",
    "rgb2yuv",
    "rgbcie2rgb",
    "xyz2rgb",
    "ycbcr2rgb",
    "ydbdr2rgb",
    "yiq2rgb",
    "ypbpr2rgb",
    "yuv2rgb",
]

# Spaces of convert_colorspace that a matrix gives, and scikit-image's names of the matrices.
LINEAR = {
    "rgb cie": "rgbcie",
    "yuv": "yuv",
    "yiq": "yiq",
    "ypbpr": "ypbpr",
    "ycbcr": "ycbcr",
    "ydbdr": "ydbdr",
}


def from_rgb(w, space):
    """Steps from RGB to a space of convert_colorspace."""
    if space in LINEAR:
        return (to_linear(w, LINEAR[space]),)
    return {"rgb": (), "hsv": (bare("RgbToHsv"),), "xyz": (rgb_to_xyz(w),)}[space]


def to_rgb(w, space):
    """Steps from a space of convert_colorspace to RGB."""
    if space in LINEAR:
        return (from_linear(w, LINEAR[space]),)
    return {"rgb": (), "hsv": (bare("HsvToRgb"),), "xyz": (xyz_to_rgb(w),)}[space]


def convert_colorspace(arr, fromspace, tospace, *, channel_axis=-1):
    """From one space to another through RGB, as `skimage.color.convert_colorspace`.

    1 launch, also for both conversions; input read once, output written once. RGB to RGB
    is the image itself. To HSV the hue of a red may be near 1 here and near 0 there:
    rounding in RGB decides.
    """
    w = compute_type(arr)
    steps = to_rgb(w, fromspace.lower()) + from_rgb(w, tospace.lower())
    return convert(arr, channel_axis, *steps) if steps else arr


def rgb2hsv(rgb, *, channel_axis=-1):
    """RGB to HSV, as `skimage.color.rgb2hsv`.

    1 launch; input read once, output written once. A pixel with a NaN becomes black;
    scikit-image leaves its hue undefined.
    """
    return convert(rgb, channel_axis, bare("RgbToHsv"))


def hsv2rgb(hsv, *, channel_axis=-1):
    """HSV to RGB, as `skimage.color.hsv2rgb`.

    1 launch; input read once, output written once. Hues outside [0, 1] go through NumPy's
    cast to uint8 as x86 processors do it.
    """
    return convert(hsv, channel_axis, bare("HsvToRgb"))


def rgb2xyz(rgb, *, channel_axis=-1):
    """sRGB to CIE XYZ, as `skimage.color.rgb2xyz`.

    1 launch; input read once, output written once.
    """
    return convert(rgb, channel_axis, rgb_to_xyz(compute_type(rgb)))


def xyz2rgb(xyz, *, channel_axis=-1):
    """CIE XYZ to sRGB, as `skimage.color.xyz2rgb`.

    1 launch; input read once, output written once.
    """
    return convert(xyz, channel_axis, xyz_to_rgb(compute_type(xyz)))


def rgb2rgbcie(rgb, *, channel_axis=-1):
    """RGB to CIE RGB, as `skimage.color.rgb2rgbcie`. 1 launch; read once, written once."""
    return convert(rgb, channel_axis, to_linear(compute_type(rgb), "rgbcie"))


def rgbcie2rgb(rgbcie, *, channel_axis=-1):
    """CIE RGB to RGB, as `skimage.color.rgbcie2rgb`. 1 launch; read once, written once."""
    return convert(rgbcie, channel_axis, from_linear(compute_type(rgbcie), "rgbcie"))


def rgb2yuv(rgb, *, channel_axis=-1):
    """RGB to YUV, as `skimage.color.rgb2yuv`. 1 launch; read once, written once."""
    return convert(rgb, channel_axis, to_linear(compute_type(rgb), "yuv"))


def yuv2rgb(yuv, *, channel_axis=-1):
    """YUV to RGB, as `skimage.color.yuv2rgb`. 1 launch; read once, written once."""
    return convert(yuv, channel_axis, from_linear(compute_type(yuv), "yuv"))


def rgb2yiq(rgb, *, channel_axis=-1):
    """RGB to YIQ, as `skimage.color.rgb2yiq`. 1 launch; read once, written once."""
    return convert(rgb, channel_axis, to_linear(compute_type(rgb), "yiq"))


def yiq2rgb(yiq, *, channel_axis=-1):
    """YIQ to RGB, as `skimage.color.yiq2rgb`. 1 launch; read once, written once."""
    return convert(yiq, channel_axis, from_linear(compute_type(yiq), "yiq"))


def rgb2ypbpr(rgb, *, channel_axis=-1):
    """RGB to YPbPr, as `skimage.color.rgb2ypbpr`. 1 launch; read once, written once."""
    return convert(rgb, channel_axis, to_linear(compute_type(rgb), "ypbpr"))


def ypbpr2rgb(ypbpr, *, channel_axis=-1):
    """YPbPr to RGB, as `skimage.color.ypbpr2rgb`. 1 launch; read once, written once."""
    return convert(ypbpr, channel_axis, from_linear(compute_type(ypbpr), "ypbpr"))


def rgb2ycbcr(rgb, *, channel_axis=-1):
    """RGB to YCbCr, as `skimage.color.rgb2ycbcr`. 1 launch; read once, written once."""
    return convert(rgb, channel_axis, to_linear(compute_type(rgb), "ycbcr"))


def ycbcr2rgb(ycbcr, *, channel_axis=-1):
    """YCbCr to RGB, as `skimage.color.ycbcr2rgb`.

    1 launch; input read once, output written once. As there, the offsets are taken off in
    the type of the image: integers wrap around, float16 is rounded.
    """
    return convert(ycbcr, channel_axis, from_linear(compute_type(ycbcr), "ycbcr"))


def rgb2ydbdr(rgb, *, channel_axis=-1):
    """RGB to YDbDr, as `skimage.color.rgb2ydbdr`. 1 launch; read once, written once."""
    return convert(rgb, channel_axis, to_linear(compute_type(rgb), "ydbdr"))


def ydbdr2rgb(ydbdr, *, channel_axis=-1):
    """YDbDr to RGB, as `skimage.color.ydbdr2rgb`. 1 launch; read once, written once."""
    return convert(ydbdr, channel_axis, from_linear(compute_type(ydbdr), "ydbdr"))
