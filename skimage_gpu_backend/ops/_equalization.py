"""Histograms of skimage.exposure, and images that are equalized by them."""

import cupy as cp
import numpy as np
from skimage._shared.utils import _supported_float_type

from .._warn import warn_caller
from ..device import c_name
from ..primitives.histogram import bins_of, channel_bins_of
from ..primitives.lookup import by_table, levels
from ..primitives.points import launch_points
from ..trouble import Declined

_INTERPOLATE = "exposure/interpolate.cu"
# nodes of three doubles that a block has room for on every device without asking for more
_SHARED_NODES = 1024


def specializations():
    """Every (source, expression) that the ops of this module launch."""
    for types in ("float16, float", "float, float", "double, double"):
        yield _INTERPOLATE, f"interpolate<{types}>"


def histogram(image, nbins=256, source_range="image", normalize=False, *, channel_axis=None):
    """Counts and centers of bins, as `skimage.exposure.histogram`.

    1 launch for 8-bit and bool images, which are read once; 2 for others, which are read
    twice, or once where the range is that of the dtype. The centers of wide integers and a
    normalized histogram take one more each, which read and write bins.
    """
    if channel_axis is None:
        _warn_of_color(image)
        bins = bins_of(image, nbins, source_range)
        pixels = image.size
    else:
        bins = channel_bins_of(image, channel_axis, nbins, source_range)
        pixels = image.size // image.shape[channel_axis]
    counts, centers = bins.device_counts, bins.device_centers
    if normalize:
        outside = source_range == "dtype" and image.dtype.kind == "f"
        counts = counts / (counts.sum(axis=-1, keepdims=True) if outside else pixels)
    return counts, centers


def cumulative_distribution(image, nbins=256):
    """Share of the elements up to each bin, as `skimage.exposure.cumulative_distribution`.

    Launches and reads as `histogram`; the sums are taken on the host.
    """
    _warn_of_color(image)
    return tuple(map(cp.asarray, _distribution(image, nbins)))


def _distribution(image, nbins):
    """The cumulative distribution, on the host, and the centers of the bins."""
    bins = bins_of(image, nbins)
    sums = bins.host_counts.cumsum()
    shares = (sums / float(sums[-1])).astype(_supported_float_type(image.dtype), copy=False)
    return shares, bins.host_centers


def equalize_hist(image, nbins=256, mask=None):
    """An image of which each grey level is as frequent, as `skimage.exposure.equalize_hist`.

    2 launches for 8-bit and bool images, else 3 (range, histogram, result); the image is
    read once in each, the result is written once. A mask takes a few more, which put the
    elements in it together.
    """
    image = cp.ascontiguousarray(image)
    return equalized(level_shares(image, nbins, mask), image, nbins, mask)


def level_shares(image, nbins=256, mask=None):
    """Cumulative distribution, on the host, and centers of its bins; see `equalize_hist`.

    Without a mask `image` may be in pieces (`parts_of`).
    """
    if mask is None:
        _warn_of_color(image)
        return _distribution(image, nbins)
    seen = image[mask.astype(bool, copy=False)]
    if seen.size == 0:
        raise Declined("the mask is empty")
    return _distribution(seen, nbins)


def equalized(found, image, nbins=256, mask=None):
    """(A part of) an image whose cumulative distribution and centers of bins were found."""
    shares, centers = found
    image = cp.ascontiguousarray(image)
    if image.dtype.kind == "f":
        return _interpolated(image, centers, shares)
    if image.dtype.itemsize <= 2 and (image.dtype.itemsize == 1 or mask is not None):
        return by_table(image, 0, np.interp(levels(image.dtype), centers, shares))[0]
    return by_table(image, bits_of_integer(centers[0], image.dtype), shares)[0]


def _interpolated(image, nodes, values):
    """Element by element numpy.interp, in the floating type of scikit-image's results."""
    nodes, values = nodes.astype(float), values.astype(float)
    slopes = np.zeros(nodes.size)
    slopes[:-1] = np.diff(values) / np.diff(nodes)
    result = cp.empty(image.shape, _supported_float_type(image.dtype))
    in_shared = nodes.size <= _SHARED_NODES
    table = map(cp.asarray, (nodes, values, slopes))
    args = (image, image.size, *table, np.int32(nodes.size), in_shared, result)
    expression = f"interpolate<{c_name(image.dtype)}, {c_name(result.dtype)}>"
    shared = 3 * nodes.nbytes * in_shared
    launch_points(_INTERPOLATE, expression, args, image, result, shared=shared)
    return result


def bits_of_integer(value, dtype):
    """The bits of an integer, as an unsigned one."""
    return int(value) & (1 << 8 * dtype.itemsize) - 1


def _warn_of_color(image):
    if image.ndim == 3 and image.shape[-1] < 4:
        warn_caller(
            "This might be a color image. The histogram will be computed on the flattened"
            " image. You can instead apply this function to each color channel, or set"
            " channel_axis.",
            UserWarning,
        )
