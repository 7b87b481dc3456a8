"""Conversions to and from the CIE spaces Lab, Luv and LCh.

Each is one launch; the image is read once and the result written once.
"""

import cupy as cp

from .._warn import warn_caller
from ._color_launch import compute_type, convert
from ._color_steps import (
    bare,
    lab_to_xyz,
    luv_to_xyz,
    rgb_to_xyz,
    xyz_to_lab,
    xyz_to_luv,
    xyz_to_rgb,
)

__all__ = [
    "lab2lch",
    "lab2rgb",
    "lab2xyz",
    "lch2lab",
    "luv2rgb",
    "luv2xyz",
    "rgb2lab",
    "rgb2luv",
    "xyz2lab",
    "xyz2luv",
]


def rgb2lab(rgb, illuminant="D65", observer="2", *, channel_axis=-1):
    """sRGB to CIE Lab, as `skimage.color.rgb2lab`.

    1 launch for both conversions; input read once, output written once.
    """
    w = compute_type(rgb)
    return convert(rgb, channel_axis, rgb_to_xyz(w), xyz_to_lab(w, illuminant, observer))


def xyz2lab(xyz, illuminant="D65", observer="2", *, channel_axis=-1):
    """CIE XYZ to CIE Lab, as `skimage.color.xyz2lab`.

    1 launch; input read once, output written once.
    """
    return convert(xyz, channel_axis, xyz_to_lab(compute_type(xyz), illuminant, observer))


def lab2rgb(lab, illuminant="D65", observer="2", *, channel_axis=-1):
    """CIE Lab to sRGB, as `skimage.color.lab2rgb`.

    1 launch for both conversions; input read once, output written once. 8 bytes, the count
    of clipped Z values, come to the host, which waits for them.
    """
    w = compute_type(lab)
    steps = lab_to_xyz(w, illuminant, observer), xyz_to_rgb(w)
    return _from_lab(lab, channel_axis, "Conversion from CIE-LAB, via XYZ to sRGB", *steps)


def lab2xyz(lab, illuminant="D65", observer="2", *, channel_axis=-1):
    """CIE Lab to CIE XYZ, as `skimage.color.lab2xyz`.

    1 launch; input read once, output written once. 8 bytes, the count of clipped Z values,
    come to the host, which waits for them.
    """
    step = lab_to_xyz(compute_type(lab), illuminant, observer)
    return _from_lab(lab, channel_axis, "Conversion from CIE-LAB to XYZ", step)


def _from_lab(lab, channel_axis, conversion, *steps):
    counter = cp.zeros(1, "uint64")
    result = convert(lab, channel_axis, *steps, counter=counter)
    if lab.size and (clipped := int(counter.get()[0])):
        warn_caller(
            conversion + " color space resulted in {count} negative Z values that have been "
            "clipped to zero",
            UserWarning,
            clipped,
        )
    return result


def rgb2luv(rgb, *, channel_axis=-1):
    """sRGB to CIE Luv, as `skimage.color.rgb2luv`.

    1 launch for both conversions; input read once, output written once.
    """
    w = compute_type(rgb)
    return convert(rgb, channel_axis, rgb_to_xyz(w), xyz_to_luv(w))


def xyz2luv(xyz, illuminant="D65", observer="2", *, channel_axis=-1):
    """CIE XYZ to CIE Luv, as `skimage.color.xyz2luv`.

    1 launch; input read once, output written once.
    """
    return convert(xyz, channel_axis, xyz_to_luv(compute_type(xyz), illuminant, observer))


def luv2rgb(luv, *, channel_axis=-1):
    """CIE Luv to sRGB, as `skimage.color.luv2rgb`.

    1 launch for both conversions; input read once, output written once. In float32 it
    agrees to 1e-4: dark channels of saturated colours are small differences, which the
    gamma curve stretches; scikit-image's own float32 result is as far from the exact one.
    """
    w = compute_type(luv)
    return convert(luv, channel_axis, luv_to_xyz(w), xyz_to_rgb(w))


def luv2xyz(luv, illuminant="D65", observer="2", *, channel_axis=-1):
    """CIE Luv to CIE XYZ, as `skimage.color.luv2xyz`.

    1 launch; input read once, output written once.
    """
    return convert(luv, channel_axis, luv_to_xyz(compute_type(luv), illuminant, observer))


def lab2lch(lab, *, channel_axis=-1):
    """CIE Lab to its polar form, as `skimage.color.lab2lch`; further channels are kept.

    1 launch; input read once, output written once.
    """
    return convert(lab, channel_axis, bare("LabToLch"))


def lch2lab(lch, *, channel_axis=-1):
    """CIE LCh to CIE Lab, as `skimage.color.lch2lab`; further channels are kept.

    1 launch; input read once, output written once.
    """
    return convert(lch, channel_axis, bare("LchToLab"))
