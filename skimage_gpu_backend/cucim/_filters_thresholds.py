"""Thresholds of `filters`, as scikit-image computes them."""

import cupy as cp
import numpy as np
from skimage.util import dtype_limits

from .._warn import warn_caller
from ..trouble import Declined
from ._exposure_histogram import histogram
from ._precision import doubled

_COLOR = (
    "{} is expected to work correctly only for grayscale images; image shape {} looks like that"
    " of an RGB image."
)


def threshold_yen(theirs, image=None, nbins=256, *, hist=None, **options):
    """As `skimage.filters.threshold_yen`, and those that are called alike."""
    if image is None or hist is not None or image.dtype.kind not in "bf":
        return theirs(image=image, nbins=nbins, hist=hist, **options)
    counts, centers = histogram(None, image.ravel(), nbins)
    if int(cp.count_nonzero(counts)) == 1:
        raise Declined("image has all pixels in one bin; nothing to change")
    return theirs(nbins=nbins, hist=(counts, centers), **options)


threshold_isodata = threshold_minimum = threshold_yen


def threshold_otsu(theirs, image=None, nbins=256, *, hist=None):
    """As `skimage.filters.threshold_otsu`."""
    if image is None or hist is not None or image.dtype.kind not in "bf":
        return theirs(image=image, nbins=nbins, hist=hist)
    _warn_of_color("threshold_otsu", image)
    if bool((image == image.ravel()[0]).all()):
        return image.ravel()[0]
    return threshold_yen(theirs, image, nbins)


def threshold_multiotsu(theirs, image=None, classes=3, nbins=256, *, hist=None):
    """As `skimage.filters.threshold_multiotsu`."""
    if image is None or hist is not None or image.dtype.kind not in "bf":
        return theirs(image=image, classes=classes, nbins=nbins, hist=hist)
    _warn_of_color("threshold_multiotsu", image)
    counts, centers = histogram(None, image.ravel(), nbins, normalize=True)
    return theirs(classes=classes, nbins=nbins, hist=(counts, centers))


def _warn_of_color(function, image):
    if image.ndim > 2 and image.shape[-1] in (3, 4):
        warn_caller(_COLOR.format(function, image.shape), UserWarning)


def threshold_triangle(theirs, image, nbins=256):
    """As `skimage.filters.threshold_triangle`: the bin farthest below the line to the peak."""
    if image.dtype.kind not in "bf":
        return theirs(image=image, nbins=nbins)
    counts, centers = (cp.asnumpy(array) for array in histogram(None, image.ravel(), nbins))
    filled = np.flatnonzero(counts)
    if filled.size == 1:
        return image.ravel()[0]
    peak = np.argmax(counts)
    flipped = peak - filled[0] < filled[-1] - peak
    if flipped:
        counts, centers = counts[::-1], centers[::-1]
        peak = counts.size - 1 - peak
    low = counts.size - 1 - filled[-1] if flipped else filled[0]
    width, height = peak - low, counts[peak]
    length = np.sqrt(height**2 + width**2)
    below = height / length * np.arange(width) - width / length * counts[low:peak]
    return centers[np.argmax(below) + low]


def threshold_li(theirs, image, **options):
    """As `skimage.filters.threshold_li`."""
    result = theirs(image=image, **options)
    return np.float64(result) if image.dtype.kind in "iu" and type(result) is float else result


def threshold_sauvola(theirs, image, window_size=15, k=0.2, r=None):
    """As `skimage.filters.threshold_sauvola`."""
    if r is None:  # half of what the caller's dtype holds
        low, high = dtype_limits(image, clip_negative=False)
        r = 0.5 * (high - low)
    return theirs(image=doubled(image), window_size=window_size, k=k, r=r)


def apply_hysteresis_threshold(theirs, image, low, high):
    """As `skimage.filters.apply_hysteresis_threshold`."""
    low, high = (cp.asarray(v) if isinstance(v, np.ndarray) else v for v in (low, high))
    return theirs(image=image, low=low, high=high)
