"""Calls that the ops of peak_local_max and corner_peaks take."""

import math

import numpy as np

from ._verdict import Invalid

MOST_AXES = 8


def peak_local_max(
    image,
    min_distance=1,
    threshold_abs=None,
    threshold_rel=None,
    exclude_border=True,
    num_peaks=np.inf,
    footprint=None,
    labels=None,
    num_peaks_per_label=np.inf,
    p_norm=np.inf,
):
    if image.size == 0 or image.ndim == 0:
        return Invalid("image is empty")
    if image.dtype.char in "?e":
        return Invalid(f"peaks of {image.dtype} are not found")
    if image.ndim > MOST_AXES:
        return f"image has more than {MOST_AXES} axes"
    return (
        _distance(min_distance)
        or border(exclude_border, image.ndim)
        or _threshold(threshold_abs, "threshold_abs")
        or _threshold(threshold_rel, "threshold_rel")
        or _footprint(footprint, image.ndim)
        or _labels(labels, image)
    )


def corner_peaks(
    image,
    min_distance=1,
    threshold_abs=None,
    threshold_rel=None,
    exclude_border=True,
    indices=True,
    num_peaks=np.inf,
    footprint=None,
    labels=None,
    *,
    num_peaks_per_label=np.inf,
    p_norm=np.inf,
):
    return peak_local_max(
        image,
        min_distance,
        threshold_abs,
        threshold_rel,
        exclude_border,
        footprint=footprint,
        labels=labels,
    )


def _distance(min_distance):
    if not isinstance(min_distance, int | np.integer):
        return "min_distance is not an integer"
    return None if 0 <= min_distance < 1 << 20 else "min_distance is negative, or very large"


def border(exclude_border, ndim):
    """Reason not to take an `exclude_border`, or None."""
    if isinstance(exclude_border, bool):
        return None
    if isinstance(exclude_border, int):
        exclude_border = (exclude_border,) * ndim
    if not isinstance(exclude_border, tuple) or len(exclude_border) != ndim:
        return Invalid("exclude_border is neither a bool nor an integer nor one for each axis")
    if not all(isinstance(width, int) and width >= 0 for width in exclude_border):
        return Invalid("exclude_border is negative or no integer")
    return None


def _threshold(value, name):
    if value is None or isinstance(value, bool | int | float | np.integer | np.floating):
        return None
    return f"{name} is not a number"


def _footprint(footprint, ndim):
    if footprint is None:
        return None
    if footprint.ndim != ndim and math.prod(footprint.shape) != 1:
        return Invalid("footprint has other axes than the image")
    if footprint.dtype.kind not in "biuf":
        return f"footprint has dtype {footprint.dtype}"
    return None


def _labels(labels, image):
    if labels is None:
        return None
    if type(labels) is not type(image):
        return "labels are no array of the image's kind"
    if not np.can_cast(labels.dtype, int, "safe"):
        return Invalid("labels are not integers that fit into int64")
    return None if labels.shape == image.shape else "labels have another shape than the image"
