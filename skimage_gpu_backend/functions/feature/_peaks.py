"""What rooms of peaks share: thresholds, borders and order as scikit-image has them."""

import math

import numpy as np

from ...plan import Declined, Invalid


def borders_of(exclude_border, ndim, distance):
    """Widths that skimage.feature.peak._get_excluded_border_width gives."""
    if isinstance(exclude_border, bool):
        return (int(distance) if exclude_border else 0,) * ndim
    if isinstance(exclude_border, int):
        exclude_border = (exclude_border,) * ndim
    if not isinstance(exclude_border, tuple) or len(exclude_border) != ndim:
        raise Invalid("exclude_border is neither a bool nor an integer nor one for each axis")
    if not all(isinstance(width, int) and width >= 0 for width in exclude_border):
        raise Invalid("exclude_border is negative or no integer")
    return exclude_border


def refuse_odd_values(found):
    """Decline what SciPy's filters, which compute in double, have their own way with."""
    if found.low != found.low:
        raise Declined(
            "image has NaN; give finite numbers, as numpy.nan_to_num(image), which changes the "
            "result"
        )
    if found.dtype.kind in "iu" and max(-int(found.low), int(found.high)) > 2**53:
        raise Declined(
            "image has integers beyond 2**53, which SciPy does not tell apart; give smaller ones"
        )
    if found.labelled and found.dtype.kind == "f" and found.low == -math.inf:
        raise Declined(
            "image has infinities and labels are given; give finite numbers, as "
            "numpy.nan_to_num(image), which changes the result"
        )


def threshold_of(found, threshold_abs, threshold_rel):
    threshold = found.low if threshold_abs is None else threshold_abs
    if threshold_rel is not None:
        threshold = max(threshold, threshold_rel * found.high)
    return threshold


def above(dtype, threshold):
    """What ``image > threshold`` compares with, for `Maxima.listed`."""
    if dtype.kind == "f":
        number = np.asarray(threshold, np.result_type(dtype, threshold))
        return float(number), 0
    limits = np.iinfo(dtype)
    if threshold != threshold or threshold >= limits.max:
        return None
    if threshold < limits.min:
        return 0.0, limits.min
    return 0.0, math.floor(threshold) + 1
