"""skimage.exposure.adjust_gamma, adjust_log and adjust_sigmoid on the device.

8- and 16-bit images, float16 among them, go through a table of all their values, which
scikit-image's own function makes on the host: the numbers are its own.
"""

import functools

import cupy as cp
import numpy as np

from ..device import c_name
from ..primitives.lookup import by_table, levels
from ..primitives.points import any_layout, flags, launch_points
from ..scikit_image import on_host

_SOURCE = "exposure/adjust.cu"
_CURVES = ("GAMMA", "LOG", "INVERSE_LOG", "SIGMOID", "INVERSE_SIGMOID")
# bits of the values below 0, as unsigned integers; in float16 they end before NaN
_NEGATIVE = {
    "int8": (0x80, 0xFF),
    "int16": (0x8000, 0xFFFF),
    "float16": (0x8001, 0xFC00),
}


def specializations():
    """Every (source, expression) that the ops of this module launch, but for the tables."""
    for curve in _CURVES:
        for name in ("float", "double"):
            yield _SOURCE, f"adjust<{name}, {curve}>"


@any_layout
def adjust_gamma(image, gamma=1, gain=1):
    """Power of intensities, as `skimage.exposure.adjust_gamma`.

    1 launch; image read once, result written once. Where the dtype has negative values, one
    number comes to the host.
    """
    if image.dtype.char in "fd":
        return _adjusted(image, "GAMMA", gamma, gain)
    return _looked_up("adjust_gamma", image, gamma, gain)


@any_layout
def adjust_log(image, gain=1, inv=False):
    """Logarithm of intensities, or its inverse, as `skimage.exposure.adjust_log`.

    1 launch; image read once, result written once. Where the dtype has negative values, one
    number comes to the host.
    """
    if image.dtype.char in "fd":
        return _adjusted(image, "INVERSE_LOG" if inv else "LOG", 0.0, gain)
    return _looked_up("adjust_log", image, gain, inv)


@any_layout
def adjust_sigmoid(image, cutoff=0.5, gain=10, inv=False):
    """Sigmoid of intensities, as `skimage.exposure.adjust_sigmoid`.

    1 launch; image read once, result written once. Where the dtype has negative values, one
    number comes to the host.
    """
    if image.dtype.char in "fd":
        return _adjusted(image, "INVERSE_SIGMOID" if inv else "SIGMOID", cutoff, gain)
    return _looked_up("adjust_sigmoid", image, cutoff, gain, inv)


def _adjusted(image, curve, parameter, gain):
    result = cp.empty(image.shape, image.dtype)
    negative = flags()
    args = (image, image.size, float(parameter), float(gain), negative, result)
    launch_points(_SOURCE, f"adjust<{c_name(image.dtype)}, {curve}>", args, image, result)
    _refuse(negative)
    return result


def _looked_up(name, image, *parameters):
    table = _table(f"skimage.exposure:{name}", image.dtype, *parameters)
    refused = _NEGATIVE.get(image.dtype.name)
    result, negative = by_table(image, 0, table, refused=refused)
    if refused:
        _refuse(negative)
    return result


@functools.lru_cache(maxsize=8, typed=True)
def _table(name, dtype, *parameters):
    """What scikit-image makes of each value; 0 for negative ones, which it refuses."""
    values = levels(dtype)
    allowed = ~(values < 0)
    table = np.zeros(values.shape, dtype)
    with np.errstate(all="ignore"):  # of values that the image need not have
        table[allowed] = on_host(name, values[allowed], *parameters)
    return table


def _refuse(negative):
    if negative.get()[0]:
        raise ValueError(
            "Image Correction methods work correctly only on images with non-negative values. "
            "Use skimage.exposure.rescale_intensity."
        )
