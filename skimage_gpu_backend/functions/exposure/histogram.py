"""skimage.exposure: histogram and cumulative_distribution.

The device makes the histogram; sums and centers, a few hundred numbers, are made on the host.
"""

import functools

import numpy as np

from ..._warn import warn_caller
from ...device.dtypes import float_type
from ...device.launches import Cost
from ...devices import xp
from ...plan import Declined, Invalid, Plan, Sums
from ...primitives.arguments import truth
from ...primitives.channels import channels_moved, refuse_axis
from ...primitives.histogram import bins_of, channel_bins_of, checked_bins, cost

_RANGES = ("image", "dtype")


@channels_moved()
def histogram(image, nbins=256, source_range="image", normalize=False, *, channel_axis=None):
    """Counts and centers of bins: `skimage.exposure.histogram`.

    1 launch for 8-bit and bool images, which are read once; 2 for others, which are read
    twice, or once where the range is that of the dtype. The centers of wide integers and a
    normalized histogram take one more each, which read and write bins; the sum by which one of
    the dtype's range is normalized takes another one.
    """
    if not isinstance(source_range, str) or source_range not in _RANGES:
        raise Invalid("source_range is neither 'image' nor 'dtype'")
    if image.dtype.kind == "b" and channel_axis is not None:
        raise Declined("image is boolean and has channels; give image.astype(numpy.uint8)")
    if image.dtype.kind == "b" and source_range == "dtype":
        # NumPy subtracts the ends of the range, unless it is given the bins' edges
        raise (Invalid if isinstance(nbins, int | np.integer) else Declined)(
            "image is boolean; give image.astype(numpy.uint8)"
        )
    if channel_axis is not None:
        refuse_axis(image, channel_axis)
        if isinstance(nbins, int) and nbins < 1:  # of which scikit-image makes edges of its own
            raise Declined("nbins is less than 1; give a number from 1 on, as 256")
    numbers = {"nbins": checked_bins(image, nbins), "source_range": source_range}
    numbers |= {"normalize": truth("normalize", normalize), "axis": channel_axis}
    run = functools.partial(_histogram, **numbers)
    return Plan(run, Sums if channel_axis is None else None, cost=_cost(image, **numbers))


def _histogram(image, nbins, source_range, normalize, axis):
    if axis is None:
        warn_of_color(image)
        bins = bins_of(image, nbins, source_range)
    else:
        bins = channel_bins_of(image, axis, nbins, source_range)
    counts, centers = bins.device_counts, bins.device_centers
    if normalize:
        pixels = image.size if axis is None else image.size // image.shape[axis]
        outside = source_range == "dtype" and image.dtype.kind == "f"
        counts = counts / (counts.sum(axis=-1, keepdims=True) if outside else pixels)
    return counts, centers


def _cost(image, nbins, source_range, normalize, axis):
    """That of the counts, with their centers and their normalization."""
    counting = cost(image, nbins)
    if counting is None:
        return None
    kind, size = image.dtype.kind, image.dtype.itemsize
    channels = 1 if axis is None else image.shape[axis]
    bins = 8 * (nbins if kind in "bf" else 1 << 8 * size)  # bytes
    centers = kind in "iu" and size > 1
    passes = normalize + (normalize and source_range == "dtype" and kind == "f")
    return Cost(
        counting.launches + centers + passes,
        counting.read + passes * channels * bins,
        channels * (counting.written + normalize * bins) + centers * bins,
    )


def cumulative_distribution(image, nbins=256):
    """Share of the elements up to each bin: `skimage.exposure.cumulative_distribution`.

    Launches and reads as `histogram`; the sums are taken on the host.
    """
    nbins = checked_bins(image, nbins)
    return Plan(functools.partial(_distribution_there, nbins), Sums, cost=cost(image, nbins))


def _distribution_there(nbins, image):
    warn_of_color(image)
    return tuple(map(xp.asarray, distribution(image, nbins)))


def distribution(image, nbins):
    """The cumulative distribution and the centers of the bins, on the host."""
    bins = bins_of(image, nbins)
    sums = bins.host_counts.cumsum()
    shares = (sums / float(sums[-1])).astype(float_type(image.dtype), copy=False)
    return shares, bins.host_centers


def warn_of_color(image):
    """As scikit-image does, of what it takes for an image of one channel."""
    if image.ndim == 3 and image.shape[-1] < 4:
        warn_caller(
            "This might be a color image. The histogram will be computed on the flattened"
            " image. You can instead apply this function to each color channel, or set"
            " channel_axis.",
            UserWarning,
        )
