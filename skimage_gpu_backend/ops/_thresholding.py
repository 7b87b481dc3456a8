"""skimage.filters.threshold_otsu on the device.

The device makes the histogram; the search among its bins, a few hundred numbers, is
scikit-image's own arithmetic on the host: so the threshold is equal, not just close.
"""

import cupy as cp
import numpy as np

from .._warn import warn_caller
from ..accept._thresholding import MOST_BINS
from ..availability import Declined
from ..device import c_name, launch
from ._reduce import BLOCK, blocks_for, in_memory_order, scratch

_RANGE = "exposure/value_range.cu"
_HISTOGRAM = "exposure/histogram.cu"
_BYTES = ("bool", "int8", "uint8")
_INTEGERS = ("int16", "int32", "int64", "uint16", "uint32", "uint64")
_FLOATS = ("float16", "float32", "float64")
# 32-bit counters that a block has room for on every device without asking for more
_SHARED_BINS = 12 * 1024


def specializations():
    """Every (source, expression) that the ops of this module launch."""
    for name in _BYTES:
        yield _HISTOGRAM, f"histogram_bytes<{c_name(np.dtype(name))}>"
    for name in _INTEGERS:
        yield _HISTOGRAM, f"histogram_integers<{c_name(np.dtype(name))}>"
    for name in _FLOATS:
        yield _HISTOGRAM, f"histogram_uniform<{c_name(np.dtype(name))}>"
    for name in _INTEGERS + _FLOATS:
        yield _RANGE, f"value_range<{c_name(np.dtype(name))}>"


def threshold_otsu(image=None, nbins=256, *, hist=None):
    """Threshold that separates two classes best, as `skimage.filters.threshold_otsu`.

    8-bit and bool images: 1 launch, read once. Others: 2 launches, read twice (range, then
    histogram). The counts come to the host.
    """
    if image.ndim > 2 and image.shape[-1] in (3, 4):
        warn_caller(
            "threshold_otsu is expected to work correctly only for grayscale images; image "
            f"shape {image.shape} looks like that of an RGB image.",
            UserWarning,
        )
    (image,) = in_memory_order(image)
    if image.dtype.kind == "b":
        return _of_booleans(image, nbins)
    if image.dtype.itemsize == 1:
        return _of_bytes(image)
    low, high, first = _value_range(image)
    if low == high:
        return first
    if image.dtype.kind == "f":
        return _of_floats(image, low, high, nbins)
    return _of_integers(image, int(low), int(high))


def _of_booleans(image, nbins):
    off, on = (int(count) for count in _byte_counts(image)[:2])
    if not off or not on:
        return np.bool_(on)
    warn_caller(
        "Converting input from bool to <class 'numpy.uint8'> for compatibility.", RuntimeWarning
    )
    counts = np.zeros(nbins, np.intp)
    counts[0] = off
    counts[-1] += on
    return _best_threshold(counts, np.histogram_bin_edges(np.uint8([0, 1]), nbins))


def _of_bytes(image):
    counts = _byte_counts(image)
    lowest = np.iinfo(image.dtype).min
    counts = np.roll(counts, -lowest)  # counted by byte: negative values came last
    present = np.flatnonzero(counts)
    low, high = present[0], present[-1]
    if low == high:
        return image.dtype.type(low + lowest)
    return _best_threshold(counts[low : high + 1], centers=np.arange(low, high + 1) + lowest)


def _of_integers(image, low, high):
    bins = high - low + 1
    if bins > MOST_BINS or high > np.iinfo(np.int64).max:
        raise Declined(f"a histogram of integers from {low} to {high} is too large")
    counts = _counts("histogram_integers", image, bins, (low,))
    return _best_threshold(counts, centers=np.arange(low, high + 1))


def _of_floats(image, low, high, nbins):
    # NumPy looks at no more of an image than its range, and refuses some
    edges = np.histogram_bin_edges(np.array([low, high], image.dtype), nbins)
    width = high - low
    if not np.isfinite(width):
        raise Declined(f"the range from {low} to {high} is too wide for {image.dtype}")
    compute = np.promote_types(image.dtype, np.float32)
    device_edges = cp.asarray(edges.astype(compute))
    counts = _counts(
        "histogram_uniform", image, len(edges) - 1, (device_edges,), (compute.type(width),)
    )
    return _best_threshold(counts, edges)


def _value_range(image):
    """Minimum, maximum and first element, as NumPy scalars of the image's dtype."""
    dtype = np.promote_types(image.dtype, np.float32) if image.dtype.kind == "f" else image.dtype
    blocks = blocks_for(image)
    partials, arrived = scratch(blocks, 2, dtype)
    result = cp.empty(3, dtype)
    args = (image, image.size, partials, arrived, result)
    expression = f"value_range<{c_name(image.dtype)}>"
    launch(_RANGE, expression, args, work=image.size, block=BLOCK, grid=(blocks,))
    return result.get().astype(image.dtype)


def _byte_counts(image):
    counts = cp.zeros(256, "uint64")
    expression = f"histogram_bytes<{c_name(image.dtype)}>"
    args = (image, image.size, counts)
    launch(_HISTOGRAM, expression, args, work=image.size, block=BLOCK, grid=(blocks_for(image),))
    return counts.get().astype(np.intp)


def _counts(kernel, image, bins, before, after=()):
    """Counts of `bins` bins; the kernel's arguments that say which stand around their number."""
    in_shared = bins <= _SHARED_BINS
    counts = cp.zeros(bins, "uint64")
    args = (image, image.size, *before, np.int32(bins), *after, in_shared, counts)
    launch(
        _HISTOGRAM,
        f"{kernel}<{c_name(image.dtype)}>",
        args,
        work=image.size,
        block=BLOCK,
        shared=4 * bins if in_shared else 0,
        grid=(blocks_for(image),),
    )
    return counts.get().astype(np.intp)


def _best_threshold(counts, edges=None, *, centers=None):
    """Center of the bin after which the variance between the classes is largest.

    Step by step the arithmetic of skimage/filters/thresholding.py (and of the centers in
    skimage/exposure/exposure.py), rounding included.
    """
    if centers is None:
        centers = (edges[:-1] + edges[1:]) / 2.0
    counts = counts.astype("float32")
    weight1 = np.cumsum(counts)
    weight2 = np.cumsum(counts[::-1])[::-1]
    mean1 = np.cumsum(counts * centers) / weight1
    mean2 = (np.cumsum((counts * centers)[::-1]) / weight2[::-1])[::-1]
    variance12 = weight1[:-1] * weight2[1:] * (mean1[:-1] - mean2[1:]) ** 2
    return centers[np.argmax(variance12)]
