"""Histograms, and what is made of them, as scikit-image makes them.

The edges of bins come from NumPy: on a GPU, multiplication and addition are rounded once,
and values that lie on an edge, as those of 8-bit images do, would fall into another bin.
"""

import cupy as cp
import numpy as np
from skimage.util import dtype_limits

from .._warn import warn_caller
from ..device.dtypes import float_type
from ..scikit_image import private
from ._results import host_extremes, interpolate

_exposure = private("exposure.exposure")

_MAYBE_COLOR = (
    "This might be a color image. The histogram will be computed on the flattened image. You"
    " can instead apply this function to each color channel, or set channel_axis."
)


def histogram(theirs, image, nbins=256, source_range="image", normalize=False, channel_axis=None):
    """As `skimage.exposure.histogram`."""
    if image.dtype.kind not in "bf":
        return theirs(
            image=image,
            nbins=nbins,
            source_range=source_range,
            normalize=normalize,
            channel_axis=channel_axis,
        )
    if source_range not in ("image", "dtype"):
        raise ValueError(f"Incorrect value for `source_range` argument: {source_range}")
    if image.ndim == 3 and image.shape[-1] < 4 and channel_axis is None:
        warn_caller(_MAYBE_COLOR, UserWarning)
    hist_range = dtype_limits(image) if source_range == "dtype" else None
    if image.dtype.kind == "b":
        image = image.view(cp.uint8)
    make_edges = np.histogram_bin_edges if channel_axis is None else _exposure._get_bin_edges
    edges = make_edges(host_extremes(image), nbins, hist_range)
    if channel_axis is None:
        hist = _counts(image, edges)
    else:
        hist = cp.stack([_counts(plane, edges) for plane in cp.moveaxis(image, channel_axis, 0)])
    if normalize:
        hist = hist / hist.sum(axis=-1, keepdims=True)
    return hist, cp.asarray((edges[:-1] + edges[1:]) / 2.0)


def _counts(image, edges):
    """Elements in each bin, as `numpy.histogram`: the last bin has its upper edge."""
    wide = np.result_type(edges.dtype, np.float32)
    last = np.nextafter(edges[-1:].astype(wide), np.inf, dtype=wide)
    beyond = np.array([np.inf], wide)
    if image.dtype == np.float16:
        image = image.astype(np.float32)
    bins = cp.asarray(np.concatenate([edges[:-1], last, beyond]))
    return cp.histogram(image.ravel(), bins)[0][:-1]


def cumulative_distribution(theirs, image, nbins=256):
    """As `skimage.exposure.cumulative_distribution`."""
    from cucim.skimage import exposure

    hist, centers = histogram(exposure.histogram, image, nbins)
    cdf = hist.cumsum()
    cdf = cdf / float(cdf[-1])
    return cdf.astype(float_type(image.dtype), copy=False), centers


def equalize_hist(theirs, image, nbins=256, mask=None):
    """As `skimage.exposure.equalize_hist`."""
    seen = image if mask is None else image[mask.astype(bool, copy=False)]
    cdf, centers = cumulative_distribution(None, seen, nbins)
    levels = image.view(cp.uint8) if image.dtype.kind == "b" else image
    out = cp.interp(levels.ravel(), centers.astype(float), cdf.astype(float))
    return out.reshape(image.shape).astype(float_type(image.dtype), copy=False)


def match_histograms(theirs, image, reference, channel_axis=None):
    """As `skimage.exposure.match_histograms`."""
    if image.ndim != reference.ndim:
        raise ValueError("Image and reference must have the same number of channels.")
    if channel_axis is None:
        matched = _matched(image, reference)
    else:
        image = cp.moveaxis(image, channel_axis, -1)
        reference = cp.moveaxis(reference, channel_axis, -1)
        channels = image.shape[-1]
        if channels != reference.shape[-1]:
            raise ValueError("Number of channels in the two images must match!")
        matched = cp.empty(image.shape, image.dtype)
        for channel in range(channels):
            matched[..., channel] = _matched(image[..., channel], reference[..., channel])
        matched = cp.moveaxis(matched, -1, channel_axis)
    if matched.dtype.kind == "f":
        matched = matched.astype(float_type(image.dtype), copy=False)
    return matched


def _matched(source, template):
    flat, reference = source.reshape(-1), template.reshape(-1)
    if source.dtype.kind == "u":
        place, counts = flat, cp.bincount(flat)
        reference_counts = cp.bincount(reference)
        values = cp.nonzero(reference_counts)[0]
        reference_counts = reference_counts[values]
    else:
        _, place, counts = cp.unique(flat, return_inverse=True, return_counts=True)
        values, reference_counts = cp.unique(reference, return_counts=True)
    quantiles = cp.cumsum(counts) / flat.size
    reference_quantiles = cp.cumsum(reference_counts) / reference.size
    return interpolate(quantiles, reference_quantiles, values)[place].reshape(source.shape)
