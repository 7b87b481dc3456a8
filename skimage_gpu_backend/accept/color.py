"""Calls that the ops of skimage.color take."""

import math
import operator

import numpy as np

from ._verdict import Invalid

_INTEGER_AXIS = "channel_axis is not a plain integer"


def _channel_axis(axis, by_keyword):
    """Axis that scikit-image's decorator takes the channels from, and a reason or None."""
    if type(axis) is not int:
        if axis is None:
            return -1, None
        if isinstance(axis, tuple | list):
            if len(axis) != 1:
                return None, Invalid("only a single channel axis is supported")
            (axis,) = axis
        if not isinstance(axis, int | np.integer):
            return None, _INTEGER_AXIS
        axis = int(axis)
    if by_keyword and axis != -1:
        return axis, "the channels of an image given by keyword are not moved by channel_axis"
    return axis, None


def _converting(check):
    """Accept functions for scikit-image's functions that move the channels by a decorator.

    Called with the name of the image's parameter. `check` takes the image, the axis of its
    channels and the arguments after the image.
    """

    def accept_of(image_name):
        def accept(*args, **kwargs):
            axis, reason = _channel_axis(kwargs.pop("channel_axis", None), not args)
            if reason:
                return reason
            if not args:
                args = (kwargs.pop(image_name),)
            return check(args[0], axis, *args[1:], **kwargs)

        return accept

    return accept_of


def _channels(image, axis, count):
    if not -image.ndim <= axis < image.ndim:
        return Invalid("channel_axis exceeds the dimensions of the image")
    if image.shape[axis] != count:
        return Invalid(f"the image has {image.shape[axis]} channels, not {count}")
    return None


@_converting
def _of_three(image, axis):
    return _channels(image, axis, 3)


@_converting
def _ycbcr(image, axis):
    return _cannot_take_128_off(image) or _channels(image, axis, 3)


def _cannot_take_128_off(image):
    if image.dtype.name in ("bool", "int8"):
        return Invalid(f"offsets of YCbCr do not fit {image.dtype}")
    return None


@_converting
def _stains(image, axis, conv_matrix):
    if isinstance(conv_matrix, list | tuple):
        conv_matrix = np.asarray(conv_matrix)
    elif not _is_plain_array(conv_matrix):
        return "conv_matrix is not an array"
    shape = conv_matrix.shape
    if not shape or shape[max(len(shape) - 2, 0)] != 3:
        return Invalid("conv_matrix has not 3 rows")
    if shape != (3, 3):
        return "conv_matrix is not 3 x 3"
    if conv_matrix.dtype.kind not in "biuf" or conv_matrix.dtype.itemsize > 8:
        return f"conv_matrix has dtype {conv_matrix.dtype}"
    return _channels(image, axis, 3)


def _is_plain_array(value):
    return type(value) is np.ndarray or type(value).__module__.startswith("cupy")


def _is_single(image):
    return image.dtype.char in "ef"


rgb2gray = rgb2hed = rgb2hsv = rgb2rgbcie = rgb2xyz = _of_three("rgb")
rgb2ycbcr = rgb2ydbdr = rgb2yiq = rgb2ypbpr = rgb2yuv = rgb2gray
hed2rgb = _of_three("hed")
hsv2rgb = _of_three("hsv")
rgbcie2rgb = _of_three("rgbcie")
xyz2rgb = _of_three("xyz")
ycbcr2rgb = _ycbcr("ycbcr")
ydbdr2rgb = _of_three("ydbdr")
yiq2rgb = _of_three("yiq")
ypbpr2rgb = _of_three("ypbpr")
yuv2rgb = _of_three("yuv")
separate_stains = _stains("rgb")
combine_stains = _stains("stains")

_SPACES = {"rgb", "hsv", "rgb cie", "xyz", "yuv", "yiq", "ypbpr", "ycbcr", "ydbdr"}


def convert_colorspace(arr, fromspace, tospace, *, channel_axis=-1):
    fromspace, tospace = fromspace.lower(), tospace.lower()
    if not {fromspace, tospace} <= _SPACES:
        return Invalid("there is no such colour space")
    if fromspace == tospace == "rgb":
        return None
    if fromspace == "ycbcr" and (reason := _cannot_take_128_off(arr)):
        return reason
    axis, reason = _channel_axis(channel_axis, by_keyword=False)
    return reason or _channels(arr, axis, 3)


_WHITE = (1, 1, 1)


def rgba2rgb(rgba, background=_WHITE, *, channel_axis=-1):
    if not isinstance(channel_axis, int):
        return Invalid("channel_axis must be an integer")
    if reason := _channels(rgba, channel_axis, 4):
        return reason
    if background is _WHITE:
        return None
    if isinstance(background, list | tuple):
        background = np.asarray(background)
    elif not _is_plain_array(background):
        return "background is not an array"
    if background.size != 3:
        return Invalid("background has not 3 values")
    if background.dtype.kind not in "biuf":
        return f"background has dtype {background.dtype}"
    if type(background) is np.ndarray and (np.any(background < 0) or np.any(background > 1)):
        return Invalid("background is outside 0 to 1")
    return None


def gray2rgb(image, *, channel_axis=-1):
    if not -image.ndim <= operator.index(channel_axis) + 1 <= image.ndim + 1:
        return Invalid("channel_axis exceeds the dimensions of the result")
    return None


def gray2rgba(image, alpha=None, *, channel_axis=-1):
    if reason := gray2rgb(image, channel_axis=channel_axis):
        return reason
    if alpha is None or isinstance(alpha, float):
        return None
    if isinstance(alpha, int):
        return None if -(2**63) <= alpha < 2**64 else "alpha does not fit 64 bits"
    if not _is_plain_array(alpha):
        return "alpha is not an array"
    if alpha.ndim > image.ndim or any(
        own not in (1, wanted)
        for own, wanted in zip(alpha.shape[::-1], image.shape[::-1], strict=False)
    ):
        return Invalid("alpha has another shape than the image")
    if alpha.size == 1 and alpha.dtype.kind in "biuf":
        return None
    if alpha.shape != image.shape:
        return "alpha is broadcast"
    if (alpha.dtype.kind, alpha.dtype.itemsize) != (image.dtype.kind, image.dtype.itemsize):
        return "alpha has another dtype than the image"
    return None


def _difference(lab1, lab2, axis, **weights):
    axis = operator.index(axis)
    shapes = []
    for lab in (lab1, lab2):
        if not -lab.ndim <= axis < lab.ndim:
            return Invalid("channel_axis exceeds the dimensions of an image")
        if lab.shape[axis] < 3:
            return Invalid("an image has less than 3 channels")
        place = axis % lab.ndim
        shapes.append(lab.shape[:place] + lab.shape[place + 1 :])
    if shapes[0] != shapes[1] and (reason := _badly_broadcast(shapes)):
        return reason
    single = _is_single(lab1) and _is_single(lab2)
    for name, value in weights.items():
        if type(value) not in (int, float, bool) and (single or not isinstance(value, float)):
            return f"{name} is not a plain number"
    return None


def _badly_broadcast(shapes):
    try:
        pixels = math.prod(np.broadcast_shapes(*shapes))
    except ValueError:
        return Invalid("the shapes of the images do not fit together")
    if all(math.prod(shape) in (1, pixels) for shape in shapes):
        return None
    return "one image is broadcast along some of its axes"


def deltaE_cie76(lab1, lab2, channel_axis=-1):
    return _difference(lab1, lab2, channel_axis)


def deltaE_ciede94(lab1, lab2, kH=1, kC=1, kL=1, k1=0.045, k2=0.015, *, channel_axis=-1):
    return _difference(lab1, lab2, channel_axis, kH=kH, kC=kC, kL=kL, k1=k1, k2=k2)


def deltaE_ciede2000(lab1, lab2, kL=1, kC=1, kH=1, *, channel_axis=-1):
    return _difference(lab1, lab2, channel_axis % lab1.ndim, kL=kL, kC=kC, kH=kH)


def deltaE_cmc(lab1, lab2, kL=1, kC=1, *, channel_axis=-1):
    if lab1.ndim == lab2.ndim == 1 and _is_single(lab1) and _is_single(lab2):
        return "scikit-image compares two float32 pixels in another dtype than images"
    return _difference(lab1, lab2, channel_axis, kL=kL, kC=kC)
