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
    "label2rgb": (
        Difference("labels are no integers", lambda call: call.label.dtype.kind not in "biu"),
        Difference(
            "a negative bg_label does not fit unsigned labels",
            lambda call: call.bg_label < 0 and call.label.dtype.kind == "u",
            invalid=True,
        ),
        Difference(
            "colours that are averaged are not RGB of at most 32 bits",
            lambda call: (
                call.kind == "avg"
                and call.image is not None
                and (
                    call.image.ndim != call.label.ndim + 1
                    or call.image.shape[call.channel_axis] != 3
                    or call.image.dtype.char in "lLqQ"
                )
            ),
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
    "label2rgb": correction("_color_labels", "label2rgb"),
    "rgb2hed": correction("_color_images", "rgb_with_stains"),
    "separate_stains": correction("_color_images", "rgb_with_stains"),
}
