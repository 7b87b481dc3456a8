"""skimage.exposure.match_histograms."""

import functools
import math

import numpy as np

from ...device import c_name, launch
from ...device.launches import Cost
from ...devices import to_host, xp
from ...plan import Declined, Invalid, Plan
from ...primitives.arguments import refuse_but_arrays
from ...primitives.channels import channels_moved, refuse_axis
from ...primitives.histogram import bins_of, channel_bins_of, cost
from ...primitives.lookup import bits, by_table
from ...primitives.points import flags
from ...primitives.reduce import BLOCK, blocks_for
from ._levels import bits_of_integer

_LOOKUP = "exposure/lookup_channels.cu"
_SORTED = "exposure/match_sorted.cu"
# Elements of a channel from which on it is sorted by itself, by digits: CuPy sorts rows of one
# array together, but by comparisons, which for shorter rows is predicted to take less.
_LARGE = 1 << 18
# So many of them are searched in buckets, of which so many are small beside what is read anyway
_SEARCHED, _BUCKETS = 1 << 20, 1 << 16


@channels_moved(2)
def match_histograms(image, reference, *, channel_axis=None):
    """An image with the histogram of another: `skimage.exposure.match_histograms`.

    3 launches for 8-bit images, also of several channels, else 5 (range and histogram of
    both, result): each image is read once in each, the result is written once. The grey
    levels are matched on the host. Floating images: each is sorted, and 2 launches.
    """
    refuse_but_arrays(image=image, reference=reference)
    _refuse_pair(image, reference)
    if channel_axis is not None:
        _refuse_channels(image, reference, channel_axis)
    if image.dtype.kind == "f":
        return Plan(functools.partial(_by_rank, channel_axis))
    run = _by_table if channel_axis is None else functools.partial(_by_tables, channel_axis)
    return Plan(run, cost=_cost(image, reference, channel_axis))


def _refuse_pair(image, reference):
    if image.ndim != reference.ndim:
        raise Invalid("the images have not the same number of axes")
    if image.ndim == 0 or image.size == 0 or reference.size == 0:
        raise Declined("image or reference is empty or has no axes; nothing to change")
    kinds = image.dtype.kind, reference.dtype.kind
    if "f" in kinds and not _alike(image, reference):
        raise Declined(
            "image and reference differ in dtype, and one is floating; give both in one dtype"
        )
    if kinds[0] == "u" and kinds[1] != "u":
        raise Declined("image is unsigned and reference is not; give both in one dtype")


def _refuse_channels(image, reference, axis):
    if image.dtype.char == "e":
        raise Declined(
            "images are float16 and have channels; give image.astype(numpy.float32) of both"
        )
    if not _alike(image, reference):
        raise Declined(
            "image and reference have channels and differ in dtype; give both in one dtype"
        )
    refuse_axis(image, axis)
    if image.shape[axis] != reference.shape[axis]:
        raise Invalid("the images have not the same number of channels")


def _alike(image, reference):
    """Whether the dtypes are the same, but for the order of their bytes."""
    one, other = image.dtype, reference.dtype
    return one.kind == other.kind and one.itemsize == other.itemsize


def _cost(image, reference, axis):
    """Two histograms and the result; None for integers whose values tell of the bins."""
    counting = cost(image, 256), cost(reference, 256)
    if None in counting:
        return None
    channels, element = (1, 8) if axis is None else (image.shape[axis], image.dtype.itemsize)
    table = channels * element << 8 * image.dtype.itemsize
    return Cost(
        sum(c.launches for c in counting) + 1,
        sum(c.read for c in counting) + image.nbytes + table,
        channels * sum(c.written for c in counting) + element * image.size,
    )


def _by_table(image, reference):
    """One table for all elements."""
    image = xp.ascontiguousarray(image)
    table, low = _matched(_histogram_of(image), _histogram_of(reference))
    return by_table(image, bits_of_integer(low, image.dtype), table)[0]


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


def looked_up(channel_axis, low, tables, image, reference=None):
    """A part of an image by tables that have been made for the whole.

    Parameters
    ----------
    channel_axis : int or None
    low : int
        Element that the first level of the tables is of.
    tables : numpy.ndarray
        One for each channel, or one for all.
    image : cupy.ndarray
    reference : array, optional
        Is not looked at.
    """
    image, low = xp.ascontiguousarray(image), np.int64(low)
    if channel_axis is None:
        return by_table(image, bits_of_integer(low, image.dtype), tables[0])[0]
    return _looked_up(image, channel_axis, low, tables)


def _by_tables(channel_axis, image, reference):
    """A table for each channel."""
    image = xp.ascontiguousarray(image)
    own, other = (channel_bins_of(i, channel_axis) for i in (image, reference))
    tables = [
        _matched((counts, own.host_centers), (others, other.host_centers))[0]
        for counts, others in zip(own.host_counts, other.host_counts, strict=True)
    ]
    return _looked_up(image, channel_axis, own.low, np.stack(tables).astype(image.dtype))


def _looked_up(image, channel_axis, low, tables):
    """Each element looked up in the table of its channel."""
    inner = _inner(image, channel_axis)
    result = xp.empty(image.shape, image.dtype)
    keys = bits(image)
    low = keys.dtype.type(bits_of_integer(low, image.dtype))
    args = (keys, keys.size, inner, len(tables), low, bits(xp.asarray(tables)))
    args += (tables.shape[1], bits(result))
    expression = f"lookup_channels<{c_name(keys.dtype)}>"
    launch(_LOOKUP, expression, args, work=image.size, block=BLOCK, grid=(blocks_for(image),))
    return result


def _inner(image, channel_axis):
    """Elements of the axes after that of the channels."""
    return math.prod(image.shape[channel_axis % image.ndim + 1 :])


def _by_rank(channel_axis, image, reference):
    """Of floating images: values of the reference at the ranks of the image's."""
    image = xp.ascontiguousarray(image)
    channels, inner = 1, 1
    if channel_axis is not None:
        channels = image.shape[channel_axis]
        inner = _inner(image, channel_axis)
    own, other = (_in_order(i, channel_axis, channels) for i in (image, reference))
    result = xp.empty(image.shape, np.promote_types(image.dtype, np.float32))
    made, refused = xp.empty(own.shape, result.dtype), flags()
    types, each = f"{c_name(image.dtype)}, {c_name(result.dtype)}", own.size // channels
    buckets = _BUCKETS if each >= _SEARCHED else 0
    starts = xp.empty((channels, buckets + 1 if buckets else 0), "int64")
    buckets = np.int32(buckets)
    args = (own, each, channels, other, other.size // channels, buckets, refused, made, starts)
    launch(_SORTED, f"match_runs<{types}>", args, work=own.size, block=BLOCK)
    args = (image, image.size, inner, channels, own, each, buckets, made, starts, result)
    launch(_SORTED, f"match_sorted<{types}>", args, work=image.size, block=BLOCK)
    if to_host(refused)[0]:
        raise Declined(
            "image has NaN or infinities; give finite numbers, as numpy.nan_to_num(image), which "
            "changes the result"
        )
    return result


def _in_order(image, channel_axis, channels):
    """The elements of each channel in ascending order, one row for each channel."""
    if channel_axis is None:
        return xp.sort(image.ravel())[np.newaxis]
    rows = xp.ascontiguousarray(xp.moveaxis(image, channel_axis, 0)).reshape(channels, -1)
    if rows.shape[1] < _LARGE:
        return xp.sort(rows, axis=-1)
    return xp.stack(list(map(xp.sort, rows)))


def specializations():
    """Every (source, expression) that this room launches, but for histograms and one table."""
    for name in ("uint8", "uint16", "uint32", "uint64"):
        yield _LOOKUP, f"lookup_channels<{c_name(np.dtype(name))}>"
    for types in ("float16, float", "float, float", "double, double"):
        yield _SORTED, f"match_runs<{types}>"
        yield _SORTED, f"match_sorted<{types}>"
