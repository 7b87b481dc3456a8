"""Calls that the op of skimage.exposure.is_low_contrast takes."""

from numbers import Real

from ._verdict import Invalid


def is_low_contrast(
    image, fraction_threshold=0.05, lower_percentile=1, upper_percentile=99, method="linear"
):
    if image.size == 0:
        return "the image is empty"
    if image.dtype.kind == "b":
        return None
    for percentile in (lower_percentile, upper_percentile):
        if not isinstance(percentile, Real):
            return "a percentile is not a number"
        if not 0 <= percentile <= 100:
            return Invalid("a percentile lies beyond 0 and 100")
    if not isinstance(fraction_threshold, Real):
        return "fraction_threshold is not a number"
    if image.ndim == 3 and image.shape[2] in (3, 4):
        return None  # becomes gray
    if image.dtype.kind != "f" and image.dtype.itemsize > 2:
        return f"there is no kernel for percentiles of {image.dtype}"
    return None
