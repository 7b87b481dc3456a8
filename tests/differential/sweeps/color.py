"""Calls of `skimage.color`: conversions."""

import numpy as np
from skimage.color import bex_from_rgb, hed_from_rgb, rgb_from_hed

from ..inputs import ALL, COLOR, PHOTO, VOLUME, Input
from ..sweep import Bound, Sweep

_LAB = Input("lab", COLOR.shape)
_FEW = ("bool", "uint8", "uint16", "int64", "float16", "float32", "float64")
_WHITE = {"illuminant": ["A", "D50", "E", "d65", "no such"], "observer": ["10", "R", "3"]}
_ROUNDED = Bound("differences of numbers that are rounded in single precision", single=1e-4)


def _conversion(function, image=COLOR, dtypes=_FEW, bound=None, channels=3, **vary):
    source = function.partition("2")[0]
    content = image.content
    return Sweep(
        f"skimage.color:{function}",
        {source: image},
        vary=vary,
        also=(
            {source: Input(content, (channels, 21, 13)), "channel_axis": 0},
            {source: Input(content, (21, channels, 13), "float32"), "channel_axis": -2},
            {source: Input(content, (5, 7, 9, channels))},
            {source: Input(content, (17, channels))},
            {source: Input(content, (channels,))},
            {source: Input(content, (21, 13, channels + 1))},
            {source: PHOTO},
            {source: image, "channel_axis": 0},
            {source: Input("signed", (*COLOR.shape[:2], channels)).cast("int8")},
        ),
        dtypes=dtypes,
        bound=bound,
    )


_FROM_RGB = ("hed", "luv", "rgbcie", "xyz", "ycbcr", "ydbdr", "yiq", "ypbpr", "yuv")
_TO_RGB = ("hed", "hsv", "rgbcie", "xyz", "ydbdr", "yiq", "ypbpr", "yuv")
_ALPHA = Input("noise")
_SPACES = ("RGB", "HSV", "RGB CIE", "XYZ", "YUV", "YIQ", "YPbPr", "YCbCr", "YDbDr")

SWEEPS = (
    _conversion("rgb2gray", dtypes=ALL),
    _conversion("rgb2hsv", dtypes=ALL),
    _conversion("rgb2lab", dtypes=ALL, **_WHITE),
    *(_conversion(f"rgb2{space}") for space in _FROM_RGB),
    *(_conversion(f"{space}2rgb") for space in _TO_RGB),
    _conversion("ycbcr2rgb", dtypes=ALL),
    _conversion("xyz2lab", **_WHITE),
    _conversion("xyz2luv", **_WHITE),
    _conversion("lab2rgb", _LAB, **_WHITE),
    _conversion("lab2xyz", _LAB, **_WHITE),
    _conversion("lab2lch", _LAB),
    _conversion("lch2lab", _LAB),
    _conversion("luv2rgb", _LAB, bound=_ROUNDED),
    _conversion("luv2xyz", _LAB, **_WHITE),
    _conversion(
        "rgba2rgb",
        Input("color", (41, 53, 4)),
        channels=4,
        background=[(0.5, 0.2, 0), np.array([1, 0, 0]), (1, 1), (2, 0, 0), 0.5],
    ),
    Sweep(
        "skimage.color:gray2rgb",
        {"image": PHOTO},
        vary={"channel_axis": [0, -2, 1, 3], "image": [COLOR, VOLUME, Input("noise", (7,))]},
    ),
    Sweep(
        "skimage.color:gray2rgba",
        {"image": PHOTO},
        vary={
            "alpha": [
                0.5,
                1,
                Input("noise"),
                Input("noise", dtype="float32"),
                Input("noise", (5,)),
            ],
            "channel_axis": [0, -2],
        },
        also=(
            {"image": PHOTO.cast("uint8"), "alpha": 0.5},
            {"image": PHOTO.cast("uint8"), "alpha": 300},
            {"image": PHOTO.cast("uint8"), "alpha": Input("noise", dtype="uint8")},
            {"image": PHOTO.cast("uint8"), "alpha": Input("noise")},
            {"image": PHOTO, "alpha": Input("noise", (53,))},
        ),
    ),
    Sweep(
        "skimage.color:convert_colorspace",
        {"arr": COLOR, "fromspace": "RGB", "tospace": "HSV"},
        vary={"fromspace": [*_SPACES, "no such"], "tospace": [*_SPACES, "no such"]},
        also=(
            {"arr": COLOR.cast("uint8"), "fromspace": "YCbCr", "tospace": "XYZ"},
            {"arr": COLOR.cast("uint8"), "fromspace": "rgb", "tospace": "rgb"},
            {"arr": Input("color", (3, 21, 13)), "tospace": "yuv", "channel_axis": 0},
        ),
        dtypes=_FEW,
    ),
    Sweep(
        "skimage.color:separate_stains",
        {"rgb": COLOR, "conv_matrix": hed_from_rgb},
        vary={"conv_matrix": [bex_from_rgb, hed_from_rgb.astype("float32"), np.eye(2)]},
        also=({"rgb": Input("color", (3, 21, 13)), "channel_axis": 0},),
        dtypes=_FEW,
    ),
    Sweep(
        "skimage.color:combine_stains",
        {"stains": COLOR, "conv_matrix": rgb_from_hed},
        vary={"conv_matrix": [rgb_from_hed.astype("float32"), np.eye(2)]},
        also=({"stains": Input("color", (3, 21, 13)), "channel_axis": 0},),
        dtypes=_FEW,
    ),
)
