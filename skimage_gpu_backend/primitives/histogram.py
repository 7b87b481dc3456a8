"""Histograms of device arrays, bin for bin those of `skimage.exposure.histogram`.

The device counts; edges and centers, a few hundred numbers, are NumPy's own arithmetic on
the host. What thresholds, equalization and matching are made from.
"""

import operator
from typing import NamedTuple

import numpy as np
from skimage.util import dtype_limits

from .._warn import warn_caller
from ..device import c_name, launch
from ..device.launches import Cost
from ..devices import to_host, xp
from ..plan import Declined, Invalid
from ..scikit_image import private
from . import value_range as _value_range
from .reduce import BLOCK, blocks_for, in_memory_order, parts_of

MOST_BINS = 1 << 24
_HISTOGRAM = "exposure/histogram.cu"
_BYTES = ("bool", "int8", "uint8")
_INTEGERS = ("int16", "int32", "int64", "uint16", "uint32", "uint64")
_FLOATS = ("float16", "float32", "float64")
# 32-bit counters that a block has room for on every device without asking for more
_SHARED_BINS = 12 * 1024
# up to here NumPy's position of a float16 among bins is right to one bin, which it corrects
_MOST_HALF_BINS = 512


def specializations():
    """Every (source, expression) that the functions of this module launch."""
    for name in _BYTES:
        yield _HISTOGRAM, f"histogram_bytes<{c_name(np.dtype(name))}>"
    for name in _INTEGERS:
        yield _HISTOGRAM, f"histogram_integers<{c_name(np.dtype(name))}>"
    for name in _FLOATS:
        yield _HISTOGRAM, f"histogram_uniform<{c_name(np.dtype(name))}>"
        yield _HISTOGRAM, f"histogram_range<{c_name(np.dtype(name))}>"
        yield _HISTOGRAM, f"histogram_edges<{c_name(np.dtype(name))}>"
    for name in _BYTES + _INTEGERS:
        yield _HISTOGRAM, f"histogram_channels<{c_name(np.dtype(name))}>"
    yield from _value_range.specializations()


def checked_bins(image, nbins):
    """`nbins` of a histogram that `bins_of` makes.

    Raises
    ------
    Declined
    """
    if image.size == 0:
        raise Declined("image is empty; nothing to change")
    if isinstance(nbins, np.ndarray):
        raise Declined(
            "nbins is an array of the bins' edges; give the number of bins, which changes the "
            "result"
        )
    if image.dtype.kind in "iu":  # nbins is not looked at
        return nbins
    try:
        nbins = operator.index(nbins)
    except TypeError:
        raise Declined("nbins is not an integer; give one, as 256") from None
    if nbins < 1:
        raise Invalid("nbins is less than 1")
    if nbins > MOST_BINS:
        raise Declined(f"nbins is above {MOST_BINS}; give fewer, as 256")
    return nbins


def cost(image, nbins) -> Cost | None:
    """Of `bins_of`; None for integers of which the values tell how many bins there are."""
    if image.dtype.itemsize == 1:
        return Cost(1, image.nbytes, 8 * 256)
    if image.dtype.kind == "f":
        edges = 8 * (nbins + 1)  # a kernel reads them where they are many
        return Cost(2, 2 * image.nbytes + edges, edges)
    if image.dtype.itemsize == 2:
        return Cost(2, 2 * image.nbytes, 8 << 16)
    return None


class Bins(NamedTuple):
    """A histogram.

    Attributes
    ----------
    counts : numpy.ndarray or cupy.ndarray
        Elements in each bin, one row for each channel where there are channels. On the host
        where it is there anyway, else ``uint64`` on the device.
    low, high : scalars
        Least and largest value of the range.
    edges : numpy.ndarray or None
        None: one bin for each integer from `low` to `high`.
    first : numpy scalar or None
        The first element of an image whose elements are all alike.
    copied : numpy.ndarray or None
        The counts on the host, where they are there, too.
    """

    counts: object
    low: object
    high: object
    edges: object = None
    first: object = None
    copied: object = None

    @property
    def host_counts(self):
        """Counts on the host, as NumPy counts."""
        if self.counts is None:
            raise Declined(
                f"image is {self.first} everywhere, around which floats are too far apart for "
                "the bins; give fewer bins"
            )
        if isinstance(self.counts, np.ndarray):
            return self.counts
        counts = to_host(self.counts) if self.copied is None else self.copied
        return counts.astype(np.intp)

    @property
    def device_counts(self):
        """Counts on the device, as NumPy counts."""
        if isinstance(self.counts, xp.ndarray):
            return self.counts.view(np.int64)
        return xp.asarray(self.host_counts)

    @property
    def host_centers(self):
        """Centers of the bins."""
        if self.edges is None:
            return np.arange(self.low, self.high + 1)
        return (self.edges[:-1] + self.edges[1:]) / 2.0

    @property
    def device_centers(self):
        """Centers of the bins, on the device; those of integers take one launch."""
        if self.edges is None and not isinstance(self.counts, np.ndarray):
            return xp.arange(self.low, self.high + 1)
        return xp.asarray(self.host_centers)


def bins_of(image, nbins=256, source_range="image") -> Bins:
    """Histogram of all elements of an image.

    8-bit and bool images: 1 launch, read once. Others: 2 launches, read twice (range, then
    histogram); 1 launch where the range is that of the dtype. Floats' range and counts come to
    the host in one copy, up to 4,095 bins. An image in pieces (see
    `parts_of`): so many launches for each piece, whose counts are added up.
    """
    if isinstance(image, xp.ndarray):
        (image,) = in_memory_order(image)
    if image.dtype.kind == "b":
        return _of_booleans(image, nbins)
    if image.dtype.itemsize == 1:
        counts = to_host(_launch("histogram_bytes", image, 256)).astype(np.intp)
        # counted by byte: negative values came last
        return _of_bytes(np.roll(counts, -np.iinfo(image.dtype).min), image.dtype, source_range)
    if source_range == "dtype":
        return _of_dtype_range(image, nbins)
    if image.dtype.kind == "f":
        return _of_floats(image, nbins)
    low, high, first = _host_range(image)
    return _of_integers(image, low, high, first if low == high else None)


def channel_bins_of(image, axis, nbins=256, source_range="image") -> Bins:
    """Histogram of each channel, in bins that are common to all.

    Launches and reads as `bins_of`.
    """
    axis %= image.ndim
    if image.T.flags.c_contiguous:  # then it is what `in_memory_order` gives
        axis = image.ndim - 1 - axis
    (image,) = in_memory_order(image)
    channels, inner = image.shape[axis], int(np.prod(image.shape[axis + 1 :]))
    if image.dtype.kind == "f":
        low, high = dtype_limits(image) if source_range == "dtype" else _host_range(image)[:2]
        extent = np.array([low, high], image.dtype)
        # unlike those of NumPy, these bins may have no width
        edges = private("exposure.exposure")._get_bin_edges(
            extent, nbins, None if source_range == "image" else (low, high)
        )
        counts = _of_edges(image, edges, channels, inner)
        return Bins(counts.reshape(channels, -1), low, high, edges)
    if image.dtype.itemsize == 1:
        low = 0 if image.dtype.kind == "b" else int(np.iinfo(image.dtype).min)
        counts = _launch("histogram_channels", image, 256, (inner, channels, low), rows=channels)
        counts = to_host(counts).astype(np.intp).reshape(channels, 256)
        return _of_bytes(counts, image.dtype, source_range)
    low, high = map(int, dtype_limits(image) if source_range == "dtype" else _host_range(image)[:2])
    bins = _integer_bins(low, high, channels)
    counts = _launch("histogram_channels", image, bins, (inner, channels, low), rows=channels)
    return Bins(counts.reshape(channels, bins), low, high)


def _of_integers(image, low, high, first=None):
    low, high = int(low), int(high)
    bins = _integer_bins(low, high)
    return Bins(_launch("histogram_integers", image, bins, (low,)), low, high, first=first)


def _of_floats(image, nbins):
    """The range and the counts come to the host at once, where a block has room for the edges."""
    compute = np.promote_types(image.dtype, np.float32)
    behind = 16 if compute.itemsize == 4 else 24  # three numbers, and what aligns the counts
    found = xp.zeros(behind + 8 * nbins, "uint8")
    told, counts = found[:behind], found[behind:].view("uint64")
    extent = _value_range.value_range(image, told)
    shared = 4 * nbins + compute.itemsize * (nbins + 1)
    if at_once := shared <= 4 * _SHARED_BINS:
        _count("histogram_range", image, (extent, np.int32(nbins), counts), shared)
    there = to_host(found if at_once else told)
    low, high, first = there[: extent.nbytes].view(compute).astype(image.dtype)
    if low == high:
        return _of_constant(image, first, nbins)
    edges = _edges(low, high, nbins)
    width = high - low
    if not np.isfinite(width):
        raise Declined(
            f"image has values from {low} to {high}, too far apart for {image.dtype}; "
            "give the image in double, or scaled"
        )
    if at_once:
        copied = there[behind:].view("uint64")
        return Bins(counts, low, high, edges, copied=copied)
    around = (xp.asarray(edges.astype(compute)),), (compute.type(width),)
    return Bins(_launch("histogram_uniform", image, nbins, *around), low, high, edges)


def _of_constant(image, first, nbins):
    try:
        counts, edges = np.histogram(first.reshape(1), nbins)
    except ValueError:
        return Bins(None, first, first, first=first)
    return Bins(counts * image.size, first, first, edges, first)


def _of_booleans(image, nbins):
    warn_caller(
        "Converting input from bool to <class 'numpy.uint8'> for compatibility.", RuntimeWarning
    )
    counts = to_host(_launch("histogram_bytes", image, 256))[:2].astype(np.intp)
    values = np.flatnonzero(counts).astype(np.uint8)
    counts, edges = np.histogram(values, nbins, weights=counts[values])
    first = np.bool_(values[0]) if values.size == 1 else None
    return Bins(counts, values[0], values[-1], edges, first)


def _of_bytes(counts, dtype, source_range):
    """Of the counts of all values of an 8-bit dtype."""
    lowest = 0 if dtype.kind == "b" else int(np.iinfo(dtype).min)
    if source_range == "dtype":
        return Bins(counts, lowest, lowest + 255)
    present = np.flatnonzero(counts.reshape(-1, 256).any(axis=0))
    low, high = int(present[0]), int(present[-1])
    first = dtype.type(low + lowest) if low == high else None
    return Bins(counts[..., low : high + 1], low + lowest, high + lowest, first=first)


def _of_dtype_range(image, nbins):
    low, high = dtype_limits(image)
    if image.dtype.kind == "f":
        edges = _edges(low, high, nbins, image.dtype)
        return Bins(_of_edges(image, edges), low, high, edges)
    return _of_integers(image, low, high)


def _edges(low, high, nbins, dtype=None):
    """NumPy's edges; it looks at no more of an image than its range, and refuses some."""
    if dtype is None:
        return np.histogram_bin_edges(np.array([low, high]), nbins)
    return np.histogram_bin_edges(np.zeros(1, dtype), nbins, (low, high))


def _integer_bins(low, high, channels=1):
    bins = high - low + 1
    if bins * channels > MOST_BINS or high >= np.iinfo(np.int64).max:
        raise Declined(
            f"image has integers from {low} to {high}, whose histogram is too large; give "
            "image.astype(float)"
        )
    return bins


def _of_edges(image, edges, channels=1, inner=1):
    bins = len(edges) - 1
    if image.dtype == np.float16 and bins > _MOST_HALF_BINS:
        raise Declined(
            f"image is float16 and nbins is above {_MOST_HALF_BINS}, which NumPy counts "
            "inexactly; give image.astype(numpy.float32)"
        )
    if not (edges[1:] > edges[:-1]).all():
        raise Declined(
            "nbins makes bins without width in the narrow range of the image; give fewer bins"
        )
    device_edges = xp.asarray(edges.astype(np.promote_types(image.dtype, np.float32)))
    return _launch("histogram_edges", image, bins, (inner, channels, device_edges), rows=channels)


def _host_range(image):
    """Minimum, maximum and first element, as NumPy scalars of the image's dtype."""
    return to_host(_value_range.value_range(image)).astype(image.dtype)


def _launch(kernel, image, bins, before=(), after=(), rows=1):
    """Counts, on the device; the kernel's arguments that say which stand around `bins`."""
    counts = xp.zeros(bins * rows, "uint64")
    if kernel == "histogram_bytes":
        _count(kernel, image, (counts,))
        return counts
    in_shared = counts.size <= _SHARED_BINS
    args = (*before, np.int32(bins), *after, in_shared, counts)
    _count(kernel, image, args, 4 * counts.size if in_shared else 0)
    return counts


def _count(kernel, image, args, shared=0):
    """Launch a kernel that adds to counts, for each piece of an image."""
    for part in parts_of(image):
        (part,) = in_memory_order(part)
        launch(
            _HISTOGRAM,
            f"{kernel}<{c_name(part.dtype)}>",
            (part, part.size, *args),
            work=part.size,
            block=BLOCK,
            shared=shared,
            grid=(blocks_for(part),),
        )
