"""skimage.filters.apply_hysteresis_threshold."""

import functools
import math

import numpy as np

from ...device.launches import Array
from ...plan import Declined, Plan
from ...primitives.components import MOST_AXES, MOST_PIXELS, connected

_NUMBERS = (int, float, np.integer, np.floating, np.bool_)
_DOUBLE = np.dtype(np.float64)


def apply_hysteresis_threshold(image, low, high):
    """Pixels above `low` connected to one above `high`: `filters.apply_hysteresis_threshold`.

    3 launches, whatever the image shows; the image is read once, 4 bytes a pixel are written,
    joined along the borders of tiles and read, the result is written once. Arrays of
    thresholds that are not float64 are made so (1 launch each).
    """
    if not 1 <= image.ndim <= MOST_AXES:
        raise Declined(f"image has {image.ndim} axes; give one of 1 to {MOST_AXES}")
    if not 0 < image.size <= MOST_PIXELS:
        raise Declined(f"image has {image.size} pixels; give one of 1 to {MOST_PIXELS}")
    lows, highs = _dtype("low", low, image), _dtype("high", high, image)
    try:
        with np.errstate(over="raise"):
            limits = _limits(image.dtype, low, high)
    except (FloatingPointError, OverflowError):
        raise Declined(
            "low or high is beyond what the image's dtype holds; give a number within"
        ) from None
    return _planned(image.shape, image.dtype, lows, highs, *limits)


@functools.lru_cache(maxsize=256)
def _planned(shape, dtype, lows, highs, *limits):
    thresholds = [
        None if each is None else Array(shape, _DOUBLE, name, converted=each != _DOUBLE)
        for name, each in (("low", lows), ("high", highs))
    ]
    return Plan(connected(Array(shape, dtype, "image"), *limits, *thresholds))


def _dtype(name, value, image):
    """dtype of thresholds for each pixel; None for a number."""
    if isinstance(value, _NUMBERS):
        if value != value:
            raise Declined(f"{name} is NaN; give a number, as 2.5")
        is_integer = isinstance(value, int | np.integer)
        if is_integer and abs(int(value)) >= 2**53:  # not told apart from its neighbours
            raise Declined(
                f"{name} is an integer of 2**53 or more, which no double holds; give a smaller one"
            )
        return None
    if type(value) is not np.ndarray and type(value) is not type(image):
        raise Declined(f"{name} is neither a number nor an array; give a number, as 2.5")
    if value.shape != image.shape:
        raise Declined(
            f"{name} has another shape than the image; give a number, or "
            f"numpy.broadcast_to({name}, image.shape)"
        )
    if value.dtype.name not in ("float16", "float32", "float64"):
        raise Declined(f"{name} has dtype {value.dtype}; give {name}.astype(float)")
    return value.dtype


def _limits(dtype, low, high):
    """Low and high threshold, and the most that a low one may be: as NumPy compares them.

    As the high threshold, Python's numbers take the dtype that they are compared with;
    numpy.clip makes an array of the low one before. A double holds all others.
    """
    if not isinstance(high, _NUMBERS):
        return float(low) if isinstance(low, _NUMBERS) else 0.0, 0.0, 0.0
    if isinstance(low, _NUMBERS):
        return float(np.clip(low, a_min=None, a_max=high)), float(_as(dtype, high)), math.inf
    return 0.0, float(_as(dtype, high)), float(_as(low.dtype, high))


def _as(dtype, number):
    if dtype.kind == "f" and isinstance(number, int | float) and not isinstance(number, np.generic):
        return dtype.type(number)
    return number
