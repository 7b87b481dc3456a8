"""Reach of skimage.exposure: curves and histograms."""

from . import Passes, Sums, point


def adjust_gamma(image, gamma=1, gain=1):
    return point(image)


def adjust_log(image, gain=1, inv=False):
    return point(image)


def adjust_sigmoid(image, cutoff=0.5, gain=10, inv=False):
    return point(image)


def histogram(image, nbins=256, source_range="image", normalize=False, *, channel_axis=None):
    return Sums if channel_axis is None else None


def cumulative_distribution(image, nbins=256):
    return Sums


def rescale_intensity(image, in_range="image", out_range="dtype"):
    if not any(isinstance(given, str) and given == "image" for given in (in_range, out_range)):
        return point(image)
    from ...ops._rescale import own_range, rescaled

    return Passes(own_range, rescaled, point(image))


def equalize_hist(image, nbins=256, mask=None):
    if mask is not None:
        return None
    from ...ops._equalization import equalized, level_shares

    return Passes(level_shares, equalized, point(image))
