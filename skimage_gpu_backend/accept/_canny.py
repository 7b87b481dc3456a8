"""Calls that the op of skimage.feature.canny takes."""

import numpy as np

from ..functions.bridge import verdict_of
from ..functions.filters.gaussian import gaussian as _gaussian
from ..primitives.components import MOST_PIXELS
from ._stencils import LEAST_SIGMA, radius, sigma_per_axis
from ._verdict import Invalid

_MOST_RADIUS = 16  # PAIR_RADIUS in gaussian_pair.cuh
_THRESHOLDS = (int, float, np.integer, np.floating)

gaussian = verdict_of(_gaussian)


def canny(
    image,
    sigma=1.0,
    low_threshold=None,
    high_threshold=None,
    mask=None,
    use_quantiles=False,
    *,
    mode="constant",
    cval=0.0,
):
    dtype = image.dtype
    if image.ndim != 2 or dtype.char in "lqLQ":
        return Invalid("image is not 2-D, or of integers of 64 bits")
    if not 0 < image.size <= MOST_PIXELS:
        return f"image is empty or has more than {MOST_PIXELS} pixels"
    if mask is not None:
        if type(mask) is not type(image) or mask.dtype.kind not in "biuf":
            return "mask is no array of the image's kind"
        if mask.shape != image.shape:
            return Invalid("mask has another shape than the image")
    for threshold in (low_threshold, high_threshold):
        if not (threshold is None or isinstance(threshold, _THRESHOLDS)):
            return "a threshold is no plain number"
        if use_quantiles and threshold is not None and not 0.0 <= threshold <= 1.0:
            return Invalid("a quantile is not between 0 and 1")
    low, high = both_thresholds(dtype, low_threshold, high_threshold, use_quantiles)
    if high < low:
        return Invalid("high_threshold is below low_threshold")
    if not isinstance(mode, str):
        return "mode is given for each axis"
    if refusal := gaussian(image, sigma, mode=mode, cval=cval):
        return refusal
    if any(
        s > LEAST_SIGMA and radius(s, 4.0) > _MOST_RADIUS for s in sigma_per_axis(sigma, 2, None)
    ):
        return f"a Gaussian's radius is above {_MOST_RADIUS}"
    if dtype.kind == "f" and dtype.itemsize < 8 and float(np.float32(cval)) != float(cval):
        return "cval is no number of single precision"
    return None


def both_thresholds(dtype, low, high, use_quantiles):
    """The thresholds as scikit-image divides them by the largest value of the image's type."""
    largest = 1 if use_quantiles or dtype.kind not in "iu" else int(np.iinfo(dtype).max)
    return 0.1 if low is None else low / largest, 0.2 if high is None else high / largest
