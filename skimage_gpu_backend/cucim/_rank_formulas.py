"""scikit-image's rank filters, put together from cuCIM's values of windows.

In each formula `w` are the windows and `name` is the function of scikit-image.
"""

import cupy as cp
import numpy as np
from scipy import ndimage

from ..trouble import Declined
from ._rank_windows import Windows


def rank_filter(name, *, image, footprint=None, out=None, mask=None, **arguments):
    """scikit-image's rank filter `name` of device arrays."""
    shifts = [int(arguments.pop(f"shift_{axis}", 0)) for axis in "xyz"]
    shifts = tuple(shifts) if image.ndim == 3 else (shifts[1], shifts[0])
    if footprint is None and name == "median":
        footprint = ndimage.generate_binary_structure(image.ndim, image.ndim)
    windows = Windows(image, footprint, mask, shifts, hollow=name == "noise_filter")
    result = _FORMULAS.get(name, _same)(windows, name, **arguments)
    if out is None:
        return result
    out[...] = result
    return out


def _same(w, name):
    """cuCIM's own, inside as at the borders."""
    return w.value(name)


def _wrapped(w, name, **options):
    """Sums and counts wrap around at the largest integer of the image's dtype."""
    return _cast(w, w.value(name, np.float64, **options))


def _entropy(w, name):
    return w.value(name, np.float64)


def _stretched(w, low, high):
    span = high - low
    product = (w.bins - 1) * (_wide(w.image) - low)
    # integer division of C, which rounds towards zero
    quotient = abs(product) // cp.maximum(span, 1) * cp.sign(product)
    return cp.where(span > 0, quotient, cp.minimum(span, 0))


def _autolevel(w, name):
    if w.centred and w.image.dtype == np.uint8:
        return w.value(name)
    return _cast(w, _stretched(w, _wide(w.value("minimum")), _wide(w.value("maximum"))))


def _equalize(w, name):
    if w.image.dtype == np.uint8:
        return w.value(name)
    share = w.value(name, np.float64)
    # what is a hair below an integer is that integer: shares are fractions of small numbers
    return _cast(w, cp.floor((w.bins - 1) * share + 1e-7))


def _subtract_mean(w, name):
    result = (w.image - w.value("mean", np.float64)) / 2 + (w.bins // 2 - 1)
    return _emptied(w, _cast(w, result))


def _noise_filter(w, name):
    """Distance to the next grey value; scikit-image takes both ends of the scale for one."""
    grey = _wide(w.image)
    low, high = _wide(w.value("minimum")), _wide(w.value("maximum"))
    distance = _wide(w.value(name))
    empty = w.empty
    most = w.bins - 1
    distance = cp.where(empty, most, distance)
    distance = cp.where(empty | (low > grey), cp.minimum(distance, grey), distance)
    distance = cp.where(empty | (high < grey), cp.minimum(distance, most - grey), distance)
    return _cast(w, distance)


# --- percentiles: the value in a given place among the sorted values of a window


def _ranked(w, place, guess):
    """Value in `place` of each window, a function of the numbers of pixels."""
    pixels = np.arange(1, w.most + 1)
    wanted = place(pixels)
    for name, end in (("minimum", 0), ("maximum", pixels - 1)):
        if (wanted == end).all():
            return _wide(w.value(name))
    for share in (guess, guess * (1 - 1e-9), guess * (1 + 1e-9)):
        if 0 <= share <= 1 and all((p == wanted).all() for p in _places(share, pixels)):
            return _wide(w.value("percentile", p0=share))
    raise Declined(
        "p0 or p1 falls between two pixels of the window, where ranks are rounded "
        "otherwise; nothing to change"
    )


def _places(share, pixels):
    """Where cuCIM's kernels look for a percentile."""
    percent = share * 100.0
    yield _floor(percent / 100.0 * pixels)
    yield _floor(percent * pixels / 100.0)


def _floor(values):
    return np.floor(values).astype(int)


def _ceil(values):
    return np.ceil(values).astype(int)


def _percentile(w, name, p0=0):
    return _cast(w, _ranked(w, lambda n: np.minimum(_floor(p0 * n), n - 1), p0))


def _threshold_percentile(w, name, p0=0):
    # a share of 0 is reached before the first value
    limit = 0 if p0 == 0 else _ranked(w, lambda n: _ceil(p0 * n) - 1, p0)
    return _emptied(w, _cast(w, cp.where(w.image >= limit, w.bins - 1, 0)))


def _ends(w, p0, p1):
    """Lowest and highest value of the share between `p0` and `p1`."""
    above = 1.0 - p1
    low = _ranked(w, lambda n: _floor(p0 * n), p0)
    high = _ranked(w, lambda n: n - 1 - _floor(above * n), 1 - above)
    return low, high


def _autolevel_percentile(w, name, p0=0, p1=1):
    return _emptied(w, _cast(w, _stretched_within(w, *_ends(w, p0, p1))))


def _stretched_within(w, low, high):
    grey = cp.minimum(cp.maximum(_wide(w.image), low), high)
    span = high - low
    return cp.where(span > 0, (w.bins - 1) * (grey - low) // cp.maximum(span, 1), span)


def _enhance_contrast_percentile(w, name, p0=0, p1=1):
    low, high = _ends(w, p0, p1)
    grey = _wide(w.image)
    return _cast(w, cp.where(high - grey < grey - low, high, low))


def _gradient_percentile(w, name, p0=0, p1=1):
    above = 1.0 - p1
    # a share of 0 is reached before the first value, at the end of the scale
    low = 0 if p0 == 0 else _ranked(w, lambda n: _ceil(p0 * n) - 1, p0)
    high = w.bins - 1 if p1 == 1 else _ranked(w, lambda n: n - _ceil(above * n), 1 - above)
    return _emptied(w, _cast(w, cp.zeros(w.image.shape, np.int64) + (high - low)))


def _pop_percentile(w, name, p0=0, p1=1):
    if p0 == 0 and p1 == 1:
        return _wrapped(w, "pop")
    pixels = np.arange(1, w.most + 1)
    for share, rounded in ((p0, _ceil), (p1, _floor)):
        wanted = rounded(share * pixels)
        percent = share * 100.0
        theirs = percent / 100.0 * pixels, percent * pixels / 100.0
        if any((rounded(values) != wanted).any() for values in theirs):
            raise Declined(
                "p0 or p1 falls between two pixels of the window, where ranks are rounded "
                "otherwise; nothing to change"
            )
    return _wrapped(w, name, p0=p0, p1=p1)


def _all_of(formula):
    """A function of a share that is the whole window: other shares are declined."""
    return lambda w, name, p0=0, p1=1: formula(w, name.removesuffix("_percentile"))


def _subtract_whole_mean(w, name):
    # scikit-image divides integers here
    result = (_wide(w.image) - _wide(w.value("mean"))) * 0.5 + w.bins // 2
    return _emptied(w, _cast(w, result))


def _bilateral(w, name, **options):
    return _wrapped(w, name, **options)


def _mean_bilateral(w, name, **options):
    return w.value(name, **options)


def _wide(values):
    return values.astype(np.int64)


def _cast(w, values):
    """As C casts: towards zero, then the low bits."""
    return values.astype(np.int64).astype(w.image.dtype)


def _emptied(w, result):
    """0 for windows without pixels."""
    return result if w.centred else cp.where(w.empty, result.dtype.type(0), result)


_FORMULAS = {
    "autolevel": _autolevel,
    "entropy": _entropy,
    "equalize": _equalize,
    "noise_filter": _noise_filter,
    "pop": _wrapped,
    "subtract_mean": _subtract_mean,
    "sum": _wrapped,
    "autolevel_percentile": _autolevel_percentile,
    "enhance_contrast_percentile": _enhance_contrast_percentile,
    "gradient_percentile": _gradient_percentile,
    "mean_percentile": _all_of(_same),
    "percentile": _percentile,
    "pop_percentile": _pop_percentile,
    "subtract_mean_percentile": _all_of(_subtract_whole_mean),
    "sum_percentile": _all_of(_wrapped),
    "threshold_percentile": _threshold_percentile,
    "mean_bilateral": _mean_bilateral,
    "pop_bilateral": _bilateral,
    "sum_bilateral": _bilateral,
}
