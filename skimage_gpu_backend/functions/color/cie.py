"""skimage.color: conversions to and from the CIE spaces Lab, Luv and LCh.

Cost of every function here: 1 launch; the image is read once and the result written once.
`rgb2lab` of an 8-bit image takes 47 operations of a pixel in double precision: 9 for the matrix, 8
for the white point, 6 for each cube root, whose first steps are in single precision, 6 for the
line that is taken in place of it, 6 for L, a and b. Values between these have no table.
"""

import functools

import numpy as np

from ..._warn import warn_caller
from ...device.dtypes import C_NAMES
from ...device.launches import Array
from ...devices import to_host
from ...plan import Declined, Invalid, Plan
from ...scikit_image import private
from ._pixels import axis_of, channels_moved, conversion, converted
from ._steps import (
    lab_to_lch,
    lab_to_xyz,
    lch_to_lab,
    luv_to_xyz,
    rgb_to_xyz,
    xyz_to_lab,
    xyz_to_luv,
    xyz_to_rgb,
)

colorconv = private("color.colorconv")


@channels_moved
def rgb2lab(rgb, illuminant="D65", observer="2", *, channel_axis=-1):
    """sRGB to CIE Lab: `skimage.color.rgb2lab`."""
    axis = _checked(rgb, channel_axis, illuminant, observer)
    return conversion("rgb", rgb, axis, (rgb_to_xyz,), (xyz_to_lab, illuminant, observer))


@channels_moved
def xyz2lab(xyz, illuminant="D65", observer="2", *, channel_axis=-1):
    """CIE XYZ to CIE Lab: `skimage.color.xyz2lab`."""
    axis = _checked(xyz, channel_axis, illuminant, observer)
    return conversion("xyz", xyz, axis, (xyz_to_lab, illuminant, observer))


@channels_moved
def lab2rgb(lab, illuminant="D65", observer="2", *, channel_axis=-1):
    """CIE Lab to sRGB: `skimage.color.lab2rgb`.

    8 bytes, the count of clipped Z values, come to the host, which waits for them.
    """
    axis = _checked(lab, channel_axis, illuminant, observer)
    steps = (lab_to_xyz, illuminant, observer), (xyz_to_rgb,)
    return _clipped(lab, axis, "Conversion from CIE-LAB, via XYZ to sRGB", *steps)


@channels_moved
def lab2xyz(lab, illuminant="D65", observer="2", *, channel_axis=-1):
    """CIE Lab to CIE XYZ: `skimage.color.lab2xyz`.

    8 bytes, the count of clipped Z values, come to the host, which waits for them.
    """
    axis = _checked(lab, channel_axis, illuminant, observer)
    step = lab_to_xyz, illuminant, observer
    return _clipped(lab, axis, "Conversion from CIE-LAB to XYZ", step)


@channels_moved
def rgb2luv(rgb, *, channel_axis=-1):
    """sRGB to CIE Luv: `skimage.color.rgb2luv`."""
    axis = _checked(rgb, channel_axis)
    return conversion("rgb", rgb, axis, (rgb_to_xyz,), (xyz_to_luv,))


@channels_moved
def xyz2luv(xyz, illuminant="D65", observer="2", *, channel_axis=-1):
    """CIE XYZ to CIE Luv: `skimage.color.xyz2luv`."""
    axis = _checked(xyz, channel_axis, illuminant, observer)
    return conversion("xyz", xyz, axis, (xyz_to_luv, illuminant, observer))


@channels_moved
def luv2rgb(luv, *, channel_axis=-1):
    """CIE Luv to sRGB: `skimage.color.luv2rgb`.

    In float32 it agrees to 1e-4: dark channels of saturated colours are small differences,
    which the gamma curve stretches; scikit-image's own float32 result is as far from the exact
    one.
    """
    axis = _checked(luv, channel_axis)
    return conversion("luv", luv, axis, (luv_to_xyz,), (xyz_to_rgb,))


@channels_moved
def luv2xyz(luv, illuminant="D65", observer="2", *, channel_axis=-1):
    """CIE Luv to CIE XYZ: `skimage.color.luv2xyz`."""
    axis = _checked(luv, channel_axis, illuminant, observer)
    return conversion("luv", luv, axis, (luv_to_xyz, illuminant, observer))


@channels_moved
def lab2lch(lab, *, channel_axis=-1):
    """CIE Lab to its polar form: `skimage.color.lab2lch`; further channels are kept."""
    return conversion("lab", lab, axis_of(lab, channel_axis, most=None), (lab_to_lch,))


@channels_moved
def lch2lab(lch, *, channel_axis=-1):
    """CIE LCh to CIE Lab: `skimage.color.lch2lab`; further channels are kept."""
    return conversion("lch", lch, axis_of(lch, channel_axis, most=None), (lch_to_lab,))


def _checked(image, channel_axis, illuminant="D65", observer="2"):
    """Axis of the three channels."""
    axis = axis_of(image, channel_axis)
    named = isinstance(illuminant, str) and isinstance(observer, str)
    if not named or not _is_white(illuminant, observer):
        raise Invalid(f"there is no illuminant {illuminant!r} with observer {observer!r}")
    return axis


@functools.cache
def _is_white(illuminant, observer):
    try:
        colorconv.xyz_tristimulus_values(illuminant=illuminant, observer=observer)
    except ValueError:
        return False
    return True


def _clipped(lab, axis, conversion, *steps):
    if lab.ndim == 1 and lab.dtype.char in "ef":
        raise Declined(
            "image is a single colour in single precision, whose result has a dtype that "
            "depends on its value; give it as float64"
        )
    launches, reach = converted("lab", lab.shape, lab.dtype, axis, *steps, clipped=True)

    def run(lab):
        result, counter = launches(lab=lab)
        if lab.size and (clipped := int(to_host(counter)[0])):
            warn_caller(
                conversion + " color space resulted in {count} negative Z values that have been "
                "clipped to zero",
                UserWarning,
                clipped,
            )
        return result

    return Plan(run, reach, launches=launches)


def samples():
    """Plans that together ask for every kernel of this room."""
    for dtype in C_NAMES:
        image = Array((4, 4, 3), np.dtype(dtype))
        for function in (rgb2lab, xyz2lab, lab2rgb, lab2xyz, rgb2luv, xyz2luv, luv2rgb, luv2xyz):
            yield function(image)
        yield from (lab2lch(image), lch2lab(image))
