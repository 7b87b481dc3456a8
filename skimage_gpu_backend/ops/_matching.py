"""skimage.exposure.match_histograms on the device."""

import math

import cupy as cp
import numpy as np

from ..device import c_name, launch
from ..primitives.histogram import bins_of, channel_bins_of
from ..primitives.lookup import bits, by_table
from ..primitives.points import flags
from ..primitives.reduce import BLOCK, blocks_for
from ..trouble import Declined
from ._equalization import bits_of_integer

_LOOKUP = "exposure/lookup_channels.cu"
_SORTED = "exposure/match_sorted.cu"


def specializations():
    """Every (source, expression) that the op of this module launches."""
    for name in ("uint8", "uint16", "uint32", "uint64"):
        yield _LOOKUP, f"lookup_channels<{c_name(np.dtype(name))}>"
    for types in ("float16, float", "float, float", "double, double"):
        yield _SORTED, f"match_sorted<{types}>"


def match_histograms(image, reference, *, channel_axis=None):
    """An image with the histogram of another, as `skimage.exposure.match_histograms`.

    3 launches for 8-bit images, also of several channels, else 5 (range and histogram of
    both, result): each image is read once in each, the result is written once. The grey
    levels are matched on the host. Floating images: each is sorted, and 1 launch.
    """
    image = cp.ascontiguousarray(image)
    if image.dtype.kind == "f":
        return _by_rank(image, reference, channel_axis)
    if channel_axis is None:
        table, low = _matched(_histogram_of(image), _histogram_of(reference))
        return by_table(image, bits_of_integer(low, image.dtype), table)[0]
    own, other = (channel_bins_of(i, channel_axis) for i in (image, reference))
    tables = [
        _matched((counts, own.host_centers), (others, other.host_centers))[0]
        for counts, others in zip(own.host_counts, other.host_counts, strict=True)
    ]
    return _by_tables(image, channel_axis, own.low, np.stack(tables).astype(image.dtype))


def _histogram_of(image):
    if image.dtype.kind == "b":  # its levels are the bins
        image = image.view(np.uint8)
    bins = bins_of(image)
    return bins.host_counts, bins.host_centers


def _matched(own, other):
    """Level of the reference for each of the image's from the first on, and the first.

    Step by step the arithmetic of skimage/exposure/histogram_matching.py.
    """
    counts, centers = own
    other_counts, levels = other
    present = other_counts > 0
    quantiles = np.cumsum(counts) / counts.sum()
    other_quantiles = np.cumsum(other_counts[present]) / other_counts.sum()
    return np.interp(quantiles, other_quantiles, levels[present]), centers[0]


def _by_tables(image, channel_axis, low, tables):
    """Each element looked up in the table of its channel."""
    inner = _inner(image, channel_axis)
    result = cp.empty(image.shape, image.dtype)
    keys = bits(image)
    low = keys.dtype.type(bits_of_integer(low, image.dtype))
    args = (keys, keys.size, inner, len(tables), low, bits(cp.asarray(tables)))
    args += (tables.shape[1], bits(result))
    expression = f"lookup_channels<{c_name(keys.dtype)}>"
    launch(_LOOKUP, expression, args, work=image.size, block=BLOCK, grid=(blocks_for(image),))
    return result


def _inner(image, channel_axis):
    """Elements of the axes after that of the channels."""
    return math.prod(image.shape[channel_axis % image.ndim + 1 :])


def _by_rank(image, reference, channel_axis):
    """Of floating images: values of the reference at the ranks of the image's."""
    channels, inner = 1, 1
    if channel_axis is not None:
        channels = image.shape[channel_axis]
        inner = _inner(image, channel_axis)
    own, other = (_in_order(i, channel_axis, channels) for i in (image, reference))
    result = cp.empty(image.shape, np.promote_types(image.dtype, np.float32))
    refused = flags()
    args = (image, image.size, inner, channels, own, own.size // channels)
    args += (other, other.size // channels, refused, result)
    expression = f"match_sorted<{c_name(image.dtype)}, {c_name(result.dtype)}>"
    launch(_SORTED, expression, args, work=image.size, block=BLOCK)
    if refused.get()[0]:
        raise Declined("some elements are not finite")
    return result


def _in_order(image, channel_axis, channels):
    """The elements of each channel in ascending order, one row for each channel."""
    if channel_axis is not None:
        image = cp.ascontiguousarray(cp.moveaxis(image, channel_axis, 0))
    return cp.sort(image.reshape(channels, -1), axis=-1)
