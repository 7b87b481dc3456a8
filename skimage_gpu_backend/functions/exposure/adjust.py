"""skimage.exposure: adjust_gamma, adjust_log and adjust_sigmoid.

8- and 16-bit images, float16 among them, go through a table of all their values, which
scikit-image's own function makes on the host: the numbers are its own.

Cost of every function here: 1 launch; image read once, result written once. Where the dtype has
negative values, one number comes to the host.
"""

import functools

import numpy as np

from ...device import c_name
from ...device.launches import Array, Launches
from ...devices import to_host, xp
from ...plan import Declined, Invalid, Plan, keeps_order, point
from ...primitives.arguments import is_real
from ...primitives.lookup import levels, lookup
from ...primitives.points import points
from ...scikit_image import on_host

_SOURCE = "exposure/adjust.cu"
# bits of the values below 0, as unsigned integers; in float16 they end before NaN
_NEGATIVE = {
    "int8": (0x80, 0xFF),
    "int16": (0x8000, 0xFFFF),
    "float16": (0x8001, 0xFC00),
}


def adjust_gamma(image, gamma=1, gain=1):
    """Power of intensities: `skimage.exposure.adjust_gamma`."""
    _refuse_but_numbers(gamma=gamma, gain=gain)
    if gamma < 0:
        raise Invalid("gamma is negative")
    if image.dtype.char in "fd":
        return _by_curve(image.shape, image.dtype, "GAMMA", float(gamma), float(gain))
    return _by_table(image.shape, image.dtype, "adjust_gamma", gamma, gain)


def adjust_log(image, gain=1, inv=False):
    """Logarithm of intensities, or its inverse: `skimage.exposure.adjust_log`."""
    _refuse_but_numbers(gain=gain, inv=inv)
    if image.dtype.char in "fd":
        curve = "INVERSE_LOG" if inv else "LOG"
        return _by_curve(image.shape, image.dtype, curve, 0.0, float(gain))
    return _by_table(image.shape, image.dtype, "adjust_log", gain, inv)


def adjust_sigmoid(image, cutoff=0.5, gain=10, inv=False):
    """Sigmoid of intensities: `skimage.exposure.adjust_sigmoid`."""
    _refuse_but_numbers(cutoff=cutoff, gain=gain, inv=inv)
    if image.dtype.char in "fd":
        curve = "INVERSE_SIGMOID" if inv else "SIGMOID"
        return _by_curve(image.shape, image.dtype, curve, float(cutoff), float(gain))
    return _by_table(image.shape, image.dtype, "adjust_sigmoid", cutoff, gain, inv)


def _refuse_but_numbers(**parameters):
    for name, value in parameters.items():
        if not is_real(value):
            raise Declined(f"{name} is not a number; give a number, as 2.5")


@keeps_order
@functools.lru_cache(maxsize=256)
def _by_curve(shape, dtype, curve, parameter, gain):
    image, result, negative = _places(shape, dtype)
    args = (image, image.size, parameter, gain, negative, result)
    step = points(_SOURCE, f"adjust<{c_name(dtype)}, {curve}>", args, image, result)
    return _planned(Launches([step], (result, negative)))


@keeps_order
def _by_table(shape, dtype, name, *parameters):
    if dtype.itemsize > 2:
        raise Declined(
            "image has integers of 32 or 64 bits, which show how powers and logarithms "
            "are rounded; give image.astype(float)"
        )
    made = functools.partial(_table, f"skimage.exposure:{name}", dtype, *parameters)
    return _planned(_looked_up(shape, dtype), made)


@functools.lru_cache(maxsize=256)
def _looked_up(shape, dtype):
    image, result, negative = _places(shape, dtype)
    table = Array((1 << 8 * dtype.itemsize,), dtype, "table")
    refused = _NEGATIVE.get(dtype.name)
    return Launches([lookup(image, 0, table, result, negative, refused)], (result, negative))


def _places(shape, dtype):
    """The image, the result, and what tells of negative values."""
    negative = Array((1,), np.dtype(np.uint32), zero=True)
    return Array(shape, dtype, "image"), Array(shape, dtype), negative


def _planned(launches, table=None):
    """Plan of one launch; `table` makes what it looks values up in."""

    def run(image):
        entries = {} if table is None else {"table": xp.asarray(table())}
        result, negative = launches(image=image, **entries)
        if result.dtype.kind == "f" or result.dtype.name in _NEGATIVE:
            _refuse(negative)
        return result

    image = launches.result[0]
    return Plan(run, point(image), launches=launches)


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
    if to_host(negative)[0]:
        raise ValueError(
            "Image Correction methods work correctly only on images with non-negative values. "
            "Use skimage.exposure.rescale_intensity."
        )


def samples():
    """Plans that together ask for every kernel of this room."""
    for dtype in ("uint8", "uint16", "float32", "float64"):
        image = Array((4, 4), np.dtype(dtype))
        yield adjust_gamma(image)
        for function in (adjust_log, adjust_sigmoid):
            yield from (function(image), function(image, inv=True))
