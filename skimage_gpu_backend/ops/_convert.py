"""The conversions img_as_* of skimage.util on the device, equal to the last bit."""

import cupy as cp
import numpy as np

from .._warn import warn_caller
from ..device import c_name
from ..primitives.points import any_layout, flags, launch_points, points_blocks
from ..primitives.reduce import scratch
from ..primitives.value_range import value_range
from ..trouble import Declined

_SOURCE = "util/convert.cu"
_INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
_FLOATS = ("float16", "float32", "float64")
_RESULTS = ("int16", "uint8", "uint16")
_BEYOND, _NAN = 1, 2  # what the kernel tells of floats


def specializations():
    """Every (source, expression) that the ops of this module launch."""
    for image in _INTEGERS:
        for result in _RESULTS:
            if image != result or image == "uint8":  # as which booleans are read
                yield _SOURCE, _expression("scale_integers", image, result)
        for result in ("float32", "float64"):
            if image.startswith("int") or (image, result) == ("uint64", "float32"):
                yield _SOURCE, _expression("integers_to_floats", image, result)
    for image in _FLOATS:
        for result in _RESULTS:
            if image != "float16" or result == "uint8":
                yield _SOURCE, _expression("floats_to_integers", image, result)


def _expression(kernel, image, result):
    return f"{kernel}<{c_name(np.dtype(image))}, {c_name(np.dtype(result))}>"


def img_as_float(image, force_copy=False):
    """Integers as double, as `skimage.util.img_as_float`; as `img_as_float64`."""
    return img_as_float64(image)


def img_as_float64(image, force_copy=False):
    """Integers as double, as `skimage.util.img_as_float64`.

    1 launch; image read once, result written once.
    """
    return _integers_to_floats(image, "float64")


def img_as_float32(image, force_copy=False):
    """Integers as float, as `skimage.util.img_as_float32`.

    1 launch; image read once, result written once.
    """
    return _integers_to_floats(image, "float32")


def img_as_int(image, force_copy=False):
    """Any image as 16-bit integers, as `skimage.util.img_as_int`.

    1 launch; image read once, result written once; but for 8-bit and boolean images one
    number comes to the host. 2 launches where it says that values are not scaled.
    """
    return to_integers(None, image, "int16")


def img_as_ubyte(image, force_copy=False):
    """Any image as bytes, as `skimage.util.img_as_ubyte`. Launches as `img_as_int`."""
    return to_integers(None, image, "uint8")


def img_as_uint(image, force_copy=False):
    """Any image as 16-bit unsigned integers, as `skimage.util.img_as_uint`.

    Launches as `img_as_int`.
    """
    return to_integers(None, image, "uint16")


@any_layout
def _integers_to_floats(image, dtype):
    result = cp.empty(image.shape, dtype)
    expression = _expression("integers_to_floats", image.dtype, result.dtype)
    launch_points(_SOURCE, expression, (image, image.size, result), image, result)
    return result


def largest_of(image, force_copy=False):
    """Largest element of an image of integers, on the host; it may be in pieces (`parts_of`)."""
    return value_range(image)[1].get()[()]


def to_integers(largest, image, dtype, force_copy=False):
    """(A part of) an image as integers; where `largest` is None, an element of this one is."""
    return _to_integers(image, largest, dtype)


@any_layout
def _to_integers(image, largest, dtype):
    result = cp.empty(image.shape, dtype)
    if image.dtype.kind == "f":
        _from_floats(image, result)
    elif image.dtype.kind == "b":
        _scale(image.view("uint8"), result, factor=np.iinfo(dtype).max)
    else:
        _from_integers(image, result, largest)
    return result


def _from_floats(image, result):
    limits = np.iinfo(result.dtype)
    signed = limits.min < 0
    factor = (limits.max - limits.min) / 2 if signed else float(limits.max)
    numbers = (factor, 0.5 if signed else 0.0, float(limits.min), float(limits.max))
    refused = flags()
    expression = _expression("floats_to_integers", image.dtype, result.dtype)
    args = (image, image.size, *numbers, refused, result)
    launch_points(_SOURCE, expression, args, image, result)
    seen = int(refused.get()[0])
    if seen & _NAN:
        raise Declined(f"what becomes of NaN as {result.dtype} depends on the machine")
    if seen & _BEYOND:
        raise ValueError("Images of type float must be between -1 and 1.")


def _from_integers(image, result, largest):
    """As `_scale` of skimage/util/dtype.py, from n to m bits without the sign."""
    n = 8 * image.dtype.itemsize - (image.dtype.kind == "i")
    m = 8 * result.dtype.itemsize - (result.dtype.kind == "i")
    if n > m:
        known = largest is not None
        if not known:
            found = cp.empty(1, image.dtype)
            _scale(image, result, shift=n - m, largest=found)
            largest = found.get()[0]
        elif largest >= 2**m:
            _scale(image, result, shift=n - m)
        if largest < 2**m:
            _warn_of_downcast(image.dtype, m, largest)
            _scale(image, result)
    elif image.dtype.kind == result.dtype.kind == "i":
        _scale(image, result, before=1 << n, factor=257, after=-(1 << m))
    else:  # up to a multiple of n bits, then down
        multiple = -(-m // n) * n
        factor = (2**multiple - 1) // (2**n - 1)
        _scale(image, result, factor=factor, shift=multiple - m)


def _scale(image, result, *, before=0, factor=1, shift=0, after=0, largest=None):
    partials = arrived = None
    if largest is not None:
        partials, arrived = scratch(points_blocks(image, result), 1, image.dtype)
    numbers = (np.int32(before), int(factor), np.int32(shift), np.int32(after))
    args = (image, image.size, *numbers, partials, arrived, largest, result)
    expression = _expression("scale_integers", image.dtype, result.dtype)
    launch_points(_SOURCE, expression, args, image, result)


def _warn_of_downcast(dtype, bits, largest):
    narrow = f"int{bits + 1}" if bits % 2 else f"uint{bits}"
    warn_caller(
        f"Downcasting {dtype} to {narrow} without scaling because max value {largest} fits"
        f" in {narrow}",
        UserWarning,
    )
