"""Grounds about what is drawn, warned of and refused."""

from dataclasses import replace

import numpy as np
from skimage.color import rgb2ycbcr
from skimage.restoration import denoise_tv_bregman
from skimage.util import img_as_float

from skimage_gpu_backend.adapt import values

from ..arrays import Array
from ..compare import expected


def swallowed(call, found, theirs, ours):
    """SciPy's filters set an exception that the next piece of code raises, or that is lost."""
    return "must be real number" in f"{theirs.error} {ours.error}" and not ours.source


def no_number(call, found, theirs, ours):
    """SciPy cannot make a number of `cval`; it says so only if the next piece of code looks."""
    try:
        float(theirs.made.get("cval", 0))
    except TypeError:
        return not ours.source
    return False


def of_threads(call, found, theirs, ours):
    """scikit-image raised both times, in one of its threads; others warn until they stop."""
    of_both = [(type(ran.error), str(ran.error), set(ran.warned)) for ran in (theirs, ours)]
    return theirs.error is not None and not ours.source and of_both[0] == of_both[1]


def two_kinds(call, found, theirs, ours):
    """An array that no device holds (of texts, of objects) beside those on the device."""
    return call.kind == "cupy" and "give arrays of one kind" in str(ours.error)


def another_mistake(call, found, theirs, ours):
    """Arrays that no data is looked at of are refused as ours are."""
    if call.kind != "cupy" or theirs.error is None or ours.error is None:
        return False

    def zeros(value):
        return replace(value, content="zeros", special=()) if isinstance(value, Array) else value

    arguments = {name: values.replace(value, zeros) for name, value in call.arguments.items()}
    without = expected(replace(call, arguments=arguments)).error
    return type(without) is type(ours.error) and str(without) == str(ours.error)


def drawn(call, found, theirs, ours):
    """By random numbers without a seed."""
    return theirs.made.get("rng") is None


def thin(call, found, theirs, ours):
    """Of one row or one column, by `denoise_tv_bregman`, which may have been handed over."""
    made = theirs.made
    denoiser = made.get("func", made.get("denoise_function", denoise_tv_bregman))
    shape = np.shape(made.get("image", made.get("x")))
    return denoiser is denoise_tv_bregman and (len(shape) < 2 or 1 in shape)


def window_outside(call, found, theirs, ours):
    r, c, width, height = (theirs.made.get(name, 0) for name in ("r", "c", "width", "height"))
    rows, columns = theirs.made["int_image"].shape
    return not (0 <= r <= rows - height and 0 <= c <= columns - width)


def flat_colours(call, found, theirs, ours):
    """A channel of YCbCr is constant but for rounding; only the number of warnings differs."""
    if not theirs.made.get("convert2ycbcr") or set(theirs.warned) != set(ours.warned):
        return False
    image = np.moveaxis(img_as_float(theirs.made["image"]), theirs.made["channel_axis"], -1)
    channels = np.moveaxis(rgb2ycbcr(image), -1, 0)
    most = 64 * np.finfo(channels.dtype).eps * max(1, np.abs(image).max())
    return any(np.ptp(channel) <= 255 * most for channel in channels)
