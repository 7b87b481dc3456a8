"""skimage.color on the device: conversions between colour spaces and colour differences.

The functions lie in ``_color_*.py``, by family; all of them launch kernels of
``kernels/color``, once for each call.
"""

from ..device.dtypes import C_NAMES
from ._color_delta_e import deltaE_cie76, deltaE_ciede94, deltaE_ciede2000, deltaE_cmc
from ._color_gray import gray2rgb, gray2rgba, rgb2gray, rgba2rgb
from ._color_rgb import (
    convert_colorspace,
    hsv2rgb,
    rgb2hsv,
    rgb2rgbcie,
    rgb2xyz,
    rgb2ycbcr,
    rgb2ydbdr,
    rgb2yiq,
    rgb2ypbpr,
    rgb2yuv,
    rgbcie2rgb,
    xyz2rgb,
    ycbcr2rgb,
    ydbdr2rgb,
    yiq2rgb,
    ypbpr2rgb,
    yuv2rgb,
)
from ._color_stains import combine_stains, hed2rgb, rgb2hed, separate_stains

__all__ = [
    "combine_stains",
    "convert_colorspace",
    "deltaE_cie76",
    "deltaE_ciede94",
    "deltaE_ciede2000",
    "deltaE_cmc",
    "gray2rgb",
    "gray2rgba",
    "hed2rgb",
    "hsv2rgb",
    "rgb2gray",
    "rgb2hed",
    "rgb2hsv",
    "rgb2rgbcie",
    "rgb2xyz",
    "rgb2ycbcr",
    "rgb2ydbdr",
    "rgb2yiq",
    "rgb2ypbpr",
    "rgb2yuv",
    "rgba2rgb",
    "rgbcie2rgb",
    "separate_stains",
    "xyz2rgb",
    "ycbcr2rgb",
    "ydbdr2rgb",
    "yiq2rgb",
    "ypbpr2rgb",
    "yuv2rgb",
]

# Steps of a conversion in the type of the image's result, and those that count.
_TO_RGB = ("Affine", "HsvToRgb", "XyzToRgb")
_FROM_RGB = ("Affine", "RgbToHsv", "RgbToXyz")
_CONVERSIONS = (
    *((step,) for step in dict.fromkeys(_TO_RGB + _FROM_RGB)),
    *((first, second) for first in _TO_RGB for second in _FROM_RGB),
    ("RgbToGray",),
    ("RgbaToRgb",),
)


def specializations():
    """Every (source, expression) that the ops of this module launch."""
    for name, t in C_NAMES.items():
        w = "float" if name in ("float16", "float32") else "double"
        for steps in _CONVERSIONS:
            yield "color/convert.cu", f"convert<{t}, {w}, {', '.join(steps)}>"
        separate = "SeparateStainsOfFloat" if w == "float" else "SeparateStains"
        for step in (separate, "CombineStains"):
            yield "color/convert.cu", f"convert<{t}, double, {step}>"
        for formula in ("Cie76", "Ciede94", "Ciede2000", "Cmc"):
            yield "color/delta_e.cu", f"delta_e<{t}, {w}, {formula}>"
        if name.startswith("uint"):
            yield "color/gray.cu", f"gray2rgb<{t}>"
            yield "color/gray.cu", f"gray2rgba<{t}>"
        if name.startswith(("uint", "float")):
            yield "color/gray.cu", f"gray2rgba_each<{t}>"
