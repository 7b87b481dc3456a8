"""Where cuCIM's `color` and scikit-image's differ."""

from .deferred import correction
from .difference import Difference

LEFT_OUT = {"xyz_tristimulus_values": "three numbers, for which no array is on the device"}

_SOURCES = {
    "rgb": "rgb2gray rgb2hsv rgb2lab rgb2luv rgb2rgbcie rgb2xyz rgb2ycbcr rgb2ydbdr rgb2yiq"
    " rgb2ypbpr rgb2yuv",
    "arr": "convert_colorspace",
    "two": "deltaE_cie76 deltaE_ciede94 deltaE_ciede2000 deltaE_cmc",
    "stains": "combine_stains",
    "xyz": "xyz2lab xyz2luv xyz2rgb",
    "lab": "lab2lch lab2rgb lab2xyz",
    "luv": "luv2rgb luv2xyz",
    **{
        source: f"{source}2rgb"
        for source in ["rgba", "hsv", "hed", "rgbcie", "ycbcr", "ydbdr", "yiq", "ypbpr", "yuv"]
    },
    "lch": "lch2lab",
}

DIFFERENCES = {
    "convert_colorspace": (
        Difference(
            "integers in YCbCr are not supported",
            lambda call: call.fromspace.lower() == "ycbcr" and call.arr.dtype.kind != "f",
        ),
    ),
    "ycbcr2rgb": (
        Difference(
            "offsets of YCbCr do not fit the dtype",
            lambda call: call.ycbcr.dtype.char in "?b",
            invalid=True,
        ),
    ),
}
CORRECTIONS = {
    **{
        function: correction("_color_images", f"of_{source}")
        for source, functions in _SOURCES.items()
        for function in functions.split()
    },
    "rgb2hed": correction("_color_images", "rgb_with_stains"),
    "separate_stains": correction("_color_images", "rgb_with_stains"),
}
