"""Calls that the op of skimage.filters.apply_hysteresis_threshold takes."""

import numpy as np

MOST_AXES = 8
MOST_PIXELS = 1 << 30


def apply_hysteresis_threshold(image, low, high):
    if not 1 <= image.ndim <= MOST_AXES:
        return f"image has no axes or more than {MOST_AXES}"
    if not 0 < image.size <= MOST_PIXELS:
        return f"image is empty or has more than {MOST_PIXELS} pixels"
    return _threshold("low", low, image) or _threshold("high", high, image)


def _threshold(name, value, image):
    if isinstance(value, int | float | np.integer | np.floating | np.bool_):
        if value != value:
            return f"{name} is NaN"
        is_integer = isinstance(value, int | np.integer)
        if is_integer and abs(int(value)) >= 2**53:  # not told apart from its neighbours
            return f"{name} does not fit a double"
        return None
    if type(value) is not np.ndarray and type(value) is not type(image):
        return f"{name} is neither a number nor an array"
    if value.shape != image.shape:
        return f"{name} has another shape than the image"
    if value.dtype.name not in ("float16", "float32", "float64"):
        return f"{name} has dtype {value.dtype}"
    return None
