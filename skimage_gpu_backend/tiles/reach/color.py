"""Reach of skimage.color: pixels, whose channels stay together."""

from . import Reach


def _pixels(added):
    """Functions that leave so many more axes of channels (-1, 0) where there is one."""

    def reach(image, *args, channel_axis=-1, **kwargs):
        if isinstance(channel_axis, tuple | list):
            (channel_axis,) = channel_axis
        axis = int(-1 if channel_axis is None else channel_axis) % image.ndim
        halo = tuple(None if a == axis else 0 for a in range(image.ndim))
        places = tuple(a + added * (a > axis) for a in range(image.ndim))
        return Reach(halo, places, arrays=1)

    return reach


def _image_by_its_name(name, reach):
    def by_either(*args, **kwargs):
        image = args[0] if args else kwargs.pop(name)
        return reach(image, *args[1:], **kwargs)

    return by_either


def _conversions(names):
    return {name: _image_by_its_name(name.partition("2")[0], _pixels(0)) for name in names.split()}


globals().update(
    _conversions(
        "hed2rgb hsv2rgb rgb2hed rgb2hsv rgb2rgbcie rgb2xyz rgb2ycbcr rgb2ydbdr rgb2yiq rgb2ypbpr"
        " rgb2yuv rgba2rgb rgbcie2rgb xyz2rgb ycbcr2rgb ydbdr2rgb yiq2rgb ypbpr2rgb yuv2rgb"
    )
)
rgb2gray = _image_by_its_name("rgb", _pixels(-1))
separate_stains = _image_by_its_name("rgb", _pixels(0))
combine_stains = _image_by_its_name("stains", _pixels(0))


def convert_colorspace(arr, fromspace, tospace, *, channel_axis=-1):
    if fromspace.lower() == tospace.lower() == "rgb":
        return None  # it returns the image itself
    return _pixels(0)(arr, channel_axis=channel_axis)


def gray2rgb(image, *, channel_axis=-1):
    axis = int(channel_axis) % (image.ndim + 1)
    places = tuple(a + (a >= axis) for a in range(image.ndim))
    return Reach((0,) * image.ndim, places, arrays=4)


def gray2rgba(image, alpha=None, *, channel_axis=-1):
    if getattr(alpha, "size", 1) == 1 and getattr(alpha, "ndim", 0):
        return None  # one number in an array that has axes
    return gray2rgb(image, channel_axis=channel_axis)


def _difference(lab1, lab2, *weights, channel_axis=-1, **named):
    if lab1.shape != lab2.shape:
        return None
    return _pixels(-1)(lab1, channel_axis=channel_axis)


deltaE_ciede94 = deltaE_ciede2000 = deltaE_cmc = _difference


def deltaE_cie76(lab1, lab2, channel_axis=-1):
    return _difference(lab1, lab2, channel_axis=channel_axis)
