"""Where cuCIM's `color` and scikit-image's differ."""

from ._precision import scaled, with_images
from .deferred import correction
from .difference import Difference

LEFT_OUT = {"xyz_tristimulus_values": "three numbers, for which no array is on the device"}

_CONVERSIONS = """
    rgb2gray rgb2hsv rgb2lab rgb2luv rgb2rgbcie rgb2xyz rgb2ycbcr rgb2ydbdr rgb2yiq rgb2ypbpr
    rgb2yuv xyz2lab xyz2luv xyz2rgb lab2lch lab2rgb lab2xyz luv2rgb luv2xyz lch2lab rgba2rgb
    hsv2rgb rgbcie2rgb ydbdr2rgb yiq2rgb ypbpr2rgb yuv2rgb
"""
_BY_STAINS = {
    "rgb2hed": "rgb",
    "separate_stains": "rgb",
    "hed2rgb": "hed",
    "combine_stains": "stains",
}


def _scaled_in_double(image):
    """For conversions with a matrix in double precision."""
    return scaled(image).astype(float, copy=False)


def _one_color(example):
    return Difference(
        "image is a single colour in single precision, which scikit-image computes "
        "in double and cuCIM does not; give it as float64",
        lambda call: any(
            getattr(value, "ndim", 0) == 1 and value.dtype.char in "ef"
            for value in vars(call).values()
        ),
        example=f"color = np.array([5, 100, 100], np.float32){example}",
    )


_BELOW_ZERO = """
cs.color.lab2xyz(cp.asarray(color)).dtype != ski.color.lab2xyz(color).dtype
"""
_FROM_ITSELF = """
theirs = cs.color.deltaE_cmc(cp.asarray(color), cp.asarray(color))
theirs.dtype != ski.color.deltaE_cmc(color, color).dtype
"""


def _is_smaller(call):
    shape = list(call.image.shape)
    del shape[call.channel_axis]
    return any(have < need for have, need in zip(shape, call.label.shape, strict=False))


DIFFERENCES = {
    **dict.fromkeys(("lab2rgb", "lab2xyz"), (_one_color(_BELOW_ZERO),)),
    "deltaE_cmc": (_one_color(_FROM_ITSELF),),
    "convert_colorspace": (
        Difference(
            "image is of integers in YCbCr; give floats",
            lambda call: call.fromspace.lower() == "ycbcr" and call.arr.dtype.kind != "f",
        ),
    ),
    "gray2rgba": (
        Difference(
            "alpha is of floats and the image is not; give alpha in the image's dtype",
            lambda call: (
                getattr(call.alpha, "ndim", 0) > 0
                and call.alpha.dtype.kind == "f" != call.image.dtype.kind
            ),
            example="""
alpha = np.full((4, 5), 1e305)
theirs = cs.color.gray2rgba(cp.zeros((4, 5), np.uint8), cp.asarray(alpha))
not np.array_equal(theirs.get(), ski.color.gray2rgba(np.zeros((4, 5), np.uint8), alpha))
""",
        ),
    ),
    "label2rgb": (
        Difference(
            "label is not of integers; give label.astype(int)",
            lambda call: call.label.dtype.kind not in "biu",
        ),
        Difference(
            "bg_label is negative and label is unsigned; give label.astype(int)",
            lambda call: call.bg_label < 0 and call.label.dtype.kind == "u",
        ),
        Difference(
            "kind='avg' and image is smaller than label, beyond which cuCIM reads other pixels; "
            "give an image of label.shape",
            lambda call: call.kind == "avg" and call.image is not None and _is_smaller(call),
        ),
        Difference(
            "kind='avg' averages RGB images of at most 32 bits a channel on the GPU; "
            "give image as RGB in uint8 or float32",
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
    **{name: with_images(scaled, name.partition("2")[0]) for name in _CONVERSIONS.split()},
    **{name: with_images(_scaled_in_double, image) for name, image in _BY_STAINS.items()},
    **dict.fromkeys(
        ("deltaE_cie76", "deltaE_ciede94", "deltaE_ciede2000", "deltaE_cmc"),
        correction("_color_images", "of_two"),
    ),
    "convert_colorspace": correction("_color_images", "of_arr"),
    "ycbcr2rgb": correction("_color_images", "of_ycbcr"),
    "label2rgb": correction("_color_labels", "label2rgb"),
}
