"""Calls that the ops of skimage.exposure take that are made of histograms."""

import numpy as np

from ..functions.bridge import verdict_of
from ..primitives.histogram import checked_bins
from ._verdict import Invalid

_RANGES = ("image", "dtype")

unfit = verdict_of(checked_bins)


def histogram(*args, **kwargs):
    return _histogram(not args, *args, **kwargs)


def _histogram(
    by_keyword, image, nbins=256, source_range="image", normalize=False, *, channel_axis=None
):
    if not isinstance(source_range, str) or source_range not in _RANGES:
        return Invalid("source_range is neither 'image' nor 'dtype'")
    if channel_axis is None:
        if image.dtype.kind == "b" and source_range == "dtype":
            return "image is boolean"
        return unfit(image, nbins)
    if image.dtype.kind == "b":
        return "image is boolean and has channels"
    return _channels(image, channel_axis, by_keyword) or unfit(image, nbins)


def cumulative_distribution(image, nbins=256):
    return unfit(image, nbins)


def equalize_hist(image, nbins=256, mask=None):
    if image.ndim == 0:
        return "image has no axes"
    if mask is not None:
        if isinstance(mask, np.ndarray) and type(mask) is not np.ndarray:
            return "mask is a subclass of a NumPy array"
        if getattr(mask, "shape", None) != image.shape:
            return "mask has another shape than the image"
        if mask.dtype.kind not in "biuf" or mask.dtype.itemsize > 8:
            return f"mask has dtype {mask.dtype}"
        if image.dtype.kind in "iu" and image.dtype.itemsize > 2:
            return "the image has a mask and integers of more than 16 bits"
    return unfit(image, nbins)


def match_histograms(*args, **kwargs):
    return _match_histograms(len(args) < 2, *args, **kwargs)


def _match_histograms(by_keyword, image, reference, *, channel_axis=None):
    if image.ndim != reference.ndim:
        return Invalid("the images have not the same number of axes")
    if image.ndim == 0 or image.size == 0 or reference.size == 0:
        return "an image is empty or has no axes"
    kinds = image.dtype.kind, reference.dtype.kind
    same_dtype = kinds[0] == kinds[1] and image.dtype.itemsize == reference.dtype.itemsize
    if "f" in kinds and not same_dtype:
        return "a floating image and one of another dtype"
    if kinds[0] == "u" and kinds[1] != "u":
        return "the image has no sign and the reference has one"
    if channel_axis is None:
        return None
    if image.dtype.char == "e":
        return "the images are float16 and have channels"
    if not same_dtype:
        return "the images have channels and different dtypes"
    if reason := _channels(image, channel_axis, by_keyword):
        return reason
    if image.shape[channel_axis] != reference.shape[channel_axis]:
        return Invalid("the images have not the same number of channels")
    return None


def _channels(image, axis, by_keyword):
    """Why the channels do not lie at `axis`, or None."""
    if type(axis) is not int:
        return "channel_axis is not a plain integer"
    if not -image.ndim <= axis < image.ndim:
        return Invalid("channel_axis exceeds the dimensions of the image")
    if by_keyword and axis != -1:
        return "the channels of an image given by keyword are not moved by channel_axis"
    return None
