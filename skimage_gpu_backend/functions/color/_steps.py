"""Steps of colour conversions as kernel arguments: which functor, and its numbers.

The numbers come from scikit-image's own tables. `w` is the floating dtype that the kernel
computes in. The functors are in ``kernels/color/steps.cuh`` and ``kernels/color/cie.cuh``.
"""

import functools
from typing import NamedTuple

import numpy as np

from ...scikit_image import private

colorconv = private("color.colorconv")

__all__ = [
    "Step",
    "bare",
    "blend_alpha",
    "combine",
    "from_linear",
    "hsv_to_rgb",
    "lab_to_lch",
    "lab_to_xyz",
    "lch_to_lab",
    "luv_to_xyz",
    "rgb_to_gray",
    "rgb_to_hsv",
    "rgb_to_xyz",
    "separate",
    "struct",
    "to_linear",
    "xyz_to_lab",
    "xyz_to_luv",
    "xyz_to_rgb",
]

_NOTHING = np.zeros((), [("nothing", np.uint8)])[()]  # C++ gives an empty struct one byte
_ZERO = (0.0, 0.0, 0.0)
_YCBCR_OFFSET = (16.0, 128.0, 128.0)


class Step(NamedTuple):
    """A functor, the struct that the kernel takes for it, channels in and out."""

    functor: str
    numbers: np.void
    inputs: int = 3
    outputs: int = 3


def struct(w, **values):
    """C struct of numbers of type `w`, in the order given."""
    with np.errstate(over="ignore"):  # infinity, as scikit-image has it
        return _filled({name: np.asarray(v).astype(w).ravel() for name, v in values.items()})


def _filled(fields):
    layout = np.dtype([(name, f.dtype, f.shape) for name, f in fields.items()], align=True)
    filled = np.zeros((), layout)
    for name, field in fields.items():
        filled[name] = field
    return filled[()]


def bare(functor):
    """A step without numbers."""
    return Step(functor, _NOTHING)


def lab_to_lch(w):
    return bare("LabToLch")


def lch_to_lab(w):
    return bare("LchToLab")


def rgb_to_hsv(w):
    return bare("RgbToHsv")


def hsv_to_rgb(w):
    return bare("HsvToRgb")


def _affine(w, matrix, before=_ZERO, after=_ZERO):
    numbers = {
        "matrix": matrix.ravel().astype(w),
        "before": np.array(before),
        "after": np.array(after, w),
    }
    return Step("Affine", _filled(numbers))


@functools.cache
def to_linear(w, space):
    """RGB to one of the spaces that a matrix gives."""
    offset = _YCBCR_OFFSET if space == "ycbcr" else _ZERO
    return _affine(w, getattr(colorconv, f"{space}_from_rgb"), after=offset)


@functools.cache
def from_linear(w, space):
    """One of the spaces that a matrix gives to RGB."""
    offset = _YCBCR_OFFSET if space == "ycbcr" else _ZERO
    return _affine(w, getattr(colorconv, f"rgb_from_{space}"), before=offset)


@functools.cache
def rgb_to_xyz(w):
    return Step("RgbToXyz", struct(w, matrix=colorconv.xyz_from_rgb))


@functools.cache
def xyz_to_rgb(w):
    return Step("XyzToRgb", struct(w, matrix=colorconv.rgb_from_xyz))


@functools.cache
def rgb_to_gray(w):
    return Step("RgbToGray", struct(w, weights=colorconv.gray_from_rgb[0]), outputs=1)


def divisor_of(w, number):
    """A C++ `Divisor`: the number and its inverse."""
    value = np.dtype(w).type(number)
    return value, 1 / value


def _white(illuminant, observer, w=np.float64):
    return colorconv.xyz_tristimulus_values(illuminant=illuminant, observer=observer, dtype=w)


@functools.cache
def xyz_to_lab(w, illuminant, observer):
    x, _, z = _white(illuminant, observer)
    return Step("XyzToLab", struct(w, white_x=divisor_of(w, x), white_z=divisor_of(w, z)))


@functools.cache
def lab_to_xyz(w, illuminant, observer):
    x, _, z = _white(illuminant, observer)
    return Step("LabToXyz", struct(w, white_x=x, white_z=z))


@functools.cache
def xyz_to_luv(w, illuminant="D65", observer="2"):
    return Step("XyzToLuv", _luv(w, illuminant, observer))


@functools.cache
def luv_to_xyz(w, illuminant="D65", observer="2"):
    return Step("LuvToXyz", _luv(w, illuminant, observer))


def _luv(w, illuminant, observer):
    """White point as scikit-image computes it, in the type of the image; its Y is 1."""
    white = _white(illuminant, observer, w)
    weighted = np.array([1, 15, 3], w) @ white
    return struct(
        w,
        u0=4 * white[0] / weighted,
        v0=9 * white[1] / weighted,
        eps=np.finfo(w).eps,
    )


def blend_alpha(w, background):
    return Step("RgbaToRgb", struct(w, background=background), inputs=4)


def separate(w, of_float, matrix):
    """RGB to stains; of float images scikit-image takes the logarithm in float."""
    functor = "SeparateStainsOfFloat" if of_float else "SeparateStains"
    return Step(functor, struct(w, matrix=np.transpose(matrix)))


def combine(w, matrix):
    """Stains to RGB."""
    return Step("CombineStains", struct(w, matrix=np.transpose(matrix)))
