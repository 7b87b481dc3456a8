"""skimage.filters: thresholds that a histogram gives.

The device makes the histogram; the search among its bins, a few hundred numbers, is
scikit-image's own arithmetic on the host: so the threshold is equal, not just close.

Cost of every function here: 8-bit and bool images 1 launch, read once; others 2 launches, read
twice (range, then histogram). The counts come to the host.
"""

import functools

import numpy as np

from ..._warn import gathering, warn_caller
from ...devices import xp
from ...plan import Declined, Invalid, Plan, Sums
from ...primitives.arguments import truth
from ...primitives.histogram import bins_of, checked_bins, cost
from ...scikit_image import on_host

__all__ = [
    "threshold_isodata",
    "threshold_minimum",
    "threshold_multiotsu",
    "threshold_otsu",
    "threshold_triangle",
    "threshold_yen",
]


def threshold_otsu(image=None, nbins=256, *, hist=None):
    """Threshold that separates two classes best: `skimage.filters.threshold_otsu`."""
    if hist is None and image is not None and image.size == 0:
        raise Invalid("image is empty; nothing to change")
    if isinstance(nbins, int | np.integer) and nbins < 1:
        raise Declined("nbins is less than 1; give a number from 1 on")
    return _of_histogram(_otsu, image, nbins, hist)


def threshold_yen(image=None, nbins=256, *, hist=None):
    """Threshold by Yen's criterion: `skimage.filters.threshold_yen`."""
    return _of_histogram(_found, image, nbins, hist, name="threshold_yen")


def threshold_isodata(image=None, nbins=256, return_all=False, *, hist=None):
    """Thresholds midway between the means they part: `skimage.filters.threshold_isodata`."""
    return_all = truth("return_all", return_all)
    name, run = "threshold_isodata", _all_found if return_all else _found
    return _of_histogram(run, image, nbins, hist, name=name, return_all=return_all)


def threshold_minimum(image=None, nbins=256, max_num_iter=10000, *, hist=None):
    """Minimum between two maxima of the histogram: `skimage.filters.threshold_minimum`.

    It is smoothed on the host.
    """
    name = "threshold_minimum"
    return _of_histogram(_found, image, nbins, hist, name=name, max_num_iter=max_num_iter)


def threshold_multiotsu(image=None, classes=3, nbins=256, *, hist=None):
    """Thresholds that separate several classes: `skimage.filters.threshold_multiotsu`."""
    return _of_histogram(_multiotsu, image, nbins, hist, classes=classes)


def threshold_triangle(image, nbins=256):
    """Bin farthest below a line to the histogram's peak: `skimage.filters.threshold_triangle`."""
    return _of_histogram(_triangle, image, nbins)


def _of_histogram(run, image, nbins, hist=None, **options):
    """Plan whose `run` takes the image, the checked `nbins` and the options."""
    if hist is not None:
        raise Declined("hist is given, after which little is left to compute; nothing to change")
    if image is None:
        raise Invalid("neither image nor histogram is given")
    nbins = checked_bins(image, nbins)
    return Plan(functools.partial(run, nbins=nbins, **options), Sums, cost=cost(image, nbins))


def _otsu(image, nbins):
    warn_of_color("threshold_otsu", image)
    with gathering() as heard:
        bins = bins_of(image, nbins)
        if bins.first is not None:  # scikit-image makes no histogram, which warns of booleans
            heard.clear()
            return bins.first
    return search("threshold_otsu", bins.host_counts, bins.host_centers)


def _multiotsu(image, nbins, classes):
    warn_of_color("threshold_multiotsu", image)
    bins = bins_of(image, nbins)
    share = bins.host_counts / image.size
    return xp.asarray(search("threshold_multiotsu", share, bins.host_centers, classes=classes))


def _triangle(image, nbins):
    bins = bins_of(image, nbins)
    counts, centers = bins.host_counts, bins.host_centers
    if bins.first is not None:
        return bins.first
    if len(counts) == 1:
        raise Declined("image has all pixels in one bin; nothing to change")
    return triangle(counts, centers)


def triangle(counts, centers):
    """The threshold of a histogram whose first and last bins are not empty."""
    peak, last = np.argmax(counts), len(counts) - 1
    if flipped := peak < last - peak:
        counts, peak = counts[::-1], last - peak
    height, width = counts[peak], peak
    norm = np.sqrt(height**2 + width**2)
    below = height / norm * np.arange(width) - width / norm * counts[:width]
    level = np.argmax(below)
    return centers[last - level if flipped else level]


def _found(image, nbins, name, **options):
    """What scikit-image's own search finds; it takes counts of one value for its own."""
    bins = bins_of(image, nbins)
    if bins.first is not None and bins.edges is not None:
        raise Declined("image has one value everywhere; nothing to change")
    return search(name, bins.host_counts, bins.host_centers, **options)


def _all_found(*args, **options):
    return xp.asarray(_found(*args, **options))


def search(name, *hist, **options):
    """scikit-image's own threshold of counts and centers, which is not dispatched."""
    return on_host(f"skimage.filters:{name}", hist=hist, **options)


def warn_of_color(name, image):
    if image.ndim > 2 and image.shape[-1] in (3, 4):
        warn_caller(
            f"{name} is expected to work correctly only for grayscale images; image shape"
            f" {image.shape} looks like that of an RGB image.",
            UserWarning,
        )
