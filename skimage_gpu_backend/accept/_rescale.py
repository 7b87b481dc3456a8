"""Calls that the op of skimage.exposure.rescale_intensity takes, and what they ask for."""

from numbers import Real

import numpy as np
from skimage.util.dtype import dtype_range

from ._verdict import Invalid

_LIMITS = {
    **dtype_range,
    **{dtype.__name__: limits for dtype, limits in dtype_range.items()},
    **{f"uint{bits}": (0, 2**bits - 1) for bits in (10, 12, 14)},
    "float": dtype_range[np.float64],
    "bool": dtype_range[bool],
}
_RESULTS = "BHfd"  # dtypes of results beside the image's own


def rescale_intensity(image, in_range="image", out_range="dtype"):
    for name, given in (("in_range", in_range), ("out_range", out_range)):
        if reason := _no_range(name, given):
            return reason
    if image.size == 0 and "image" in (in_range, out_range):
        return Invalid("an empty image has no range")
    if image.dtype.char == "e":
        return "the range of a float16 image is taken twice" if out_range == "image" else None
    dtype = result_dtype(image.dtype, out_range)
    if dtype.char in "lLqQ":
        return "the largest 64-bit integers overflow, and what comes of it depends on the machine"
    if dtype != image.dtype and dtype.char not in _RESULTS:
        return f"a result of dtype {dtype} is not supported"
    return None


def result_dtype(dtype, out_range):
    """Dtype of the result for an image of `dtype`."""
    if type(out_range) is tuple:
        return np.dtype(np.float32 if dtype.char in "ef" else np.float64)
    if out_range in ("dtype", "image"):
        return dtype
    try:
        return np.dtype(out_range)
    except TypeError:  # uint10 and other names that scikit-image alone knows
        return np.dtype(np.uint16)


def limits(dtype, wanted):
    """Least and largest value of a range, None where it is the image's own."""
    if type(wanted) is tuple:
        low, high = wanted
    elif wanted == "image":
        return None
    else:
        low, high = _LIMITS[dtype.type if wanted == "dtype" else wanted]
    return float(low), float(high)


def _no_range(name, given):
    if type(given) is tuple:
        is_pair = len(given) == 2 and all(isinstance(value, Real) for value in given)
        return None if is_pair else f"{name} is no pair of numbers"
    if type(given) not in (str, type):
        return f"{name} is neither a pair of numbers nor a dtype"
    known = given in ("image", "dtype") or given in _LIMITS
    return None if known else f"{name} is no dtype whose range is known"
