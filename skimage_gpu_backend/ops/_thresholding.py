"""Thresholds of skimage.filters that a histogram gives.

The device makes the histogram; the search among its bins, a few hundred numbers, is
scikit-image's own arithmetic on the host: so the threshold is equal, not just close.
"""

import inspect

import cupy as cp
import numpy as np
from skimage.filters import thresholding

from .._warn import warn_caller
from ..availability import Declined
from ._histogram import bins_of, specializations

__all__ = [
    "specializations",
    "threshold_isodata",
    "threshold_minimum",
    "threshold_multiotsu",
    "threshold_otsu",
    "threshold_triangle",
    "threshold_yen",
]


def threshold_otsu(image=None, nbins=256, *, hist=None):
    """Threshold that separates two classes best, as `skimage.filters.threshold_otsu`.

    8-bit and bool images: 1 launch, read once. Others: 2 launches, read twice (range, then
    histogram). The counts come to the host.
    """
    _warn_of_color("threshold_otsu", image)
    bins = bins_of(image, nbins)
    if bins.first is not None:
        return bins.first
    return _search("threshold_otsu", bins.host_counts, bins.host_centers)


def threshold_yen(image=None, nbins=256, *, hist=None):
    """Threshold by Yen's criterion, as `skimage.filters.threshold_yen`.

    Launches and reads as `threshold_otsu`.
    """
    return _search("threshold_yen", *_of_several_values(image, nbins))


def threshold_isodata(image=None, nbins=256, return_all=False, *, hist=None):
    """Thresholds midway between the means they part, as `skimage.filters.threshold_isodata`.

    Launches and reads as `threshold_otsu`.
    """
    found = _search("threshold_isodata", *_of_several_values(image, nbins), return_all=return_all)
    return cp.asarray(found) if return_all else found


def threshold_minimum(image=None, nbins=256, max_num_iter=10000, *, hist=None):
    """Minimum between two maxima of the smoothed histogram.

    As `skimage.filters.threshold_minimum`. Launches and reads as `threshold_otsu`; the
    histogram is smoothed on the host.
    """
    counts, centers = _of_several_values(image, nbins)
    return _search("threshold_minimum", counts, centers, max_num_iter=max_num_iter)


def threshold_multiotsu(image=None, classes=3, nbins=256, *, hist=None):
    """Thresholds that separate several classes, as `skimage.filters.threshold_multiotsu`.

    Launches and reads as `threshold_otsu`.
    """
    _warn_of_color("threshold_multiotsu", image)
    bins = bins_of(image, nbins)
    share = bins.host_counts / image.size
    return cp.asarray(_search("threshold_multiotsu", share, bins.host_centers, classes=classes))


def threshold_triangle(image, nbins=256):
    """Bin farthest below the line from the histogram's end to its peak.

    As `skimage.filters.threshold_triangle`. Launches and reads as `threshold_otsu`.
    """
    bins = bins_of(image, nbins)
    counts, centers = bins.host_counts, bins.host_centers
    if bins.first is not None:
        return bins.first
    if len(counts) == 1:
        raise Declined("all pixels are in one bin")
    peak, last = np.argmax(counts), len(counts) - 1  # the first and the last are not 0
    if flipped := peak < last - peak:
        counts, peak = counts[::-1], last - peak
    height, width = counts[peak], peak
    norm = np.sqrt(height**2 + width**2)
    below = height / norm * np.arange(width) - width / norm * counts[:width]
    level = np.argmax(below)
    return centers[last - level if flipped else level]


def _of_several_values(image, nbins):
    """Counts and centers; scikit-image takes those of one value for its own."""
    bins = bins_of(image, nbins)
    if bins.first is not None and bins.edges is not None:
        raise Declined("all pixels have one value")
    return bins.host_counts, bins.host_centers


def _search(name, *hist, **options):
    """scikit-image's own threshold of counts and centers, which is not dispatched."""
    return inspect.unwrap(getattr(thresholding, name))(hist=hist, **options)


def _warn_of_color(name, image):
    if image.ndim > 2 and image.shape[-1] in (3, 4):
        warn_caller(
            f"{name} is expected to work correctly only for grayscale images; image shape"
            f" {image.shape} looks like that of an RGB image.",
            UserWarning,
        )
