"""skimage.exposure.is_low_contrast on the device.

The device counts; the percentiles are NumPy's own arithmetic on the host.
"""

import numpy as np
from skimage.util import dtype_limits

from ._histogram import bins_of
from ._value_range import value_range


def is_low_contrast(
    image, fraction_threshold=0.05, lower_percentile=1, upper_percentile=99, method="linear"
):
    """Whether the values span a small part of their type, as `skimage.exposure.is_low_contrast`.

    8-bit and boolean images: 1 launch, read once. 16-bit images: 2 launches, read twice. The
    counts come to the host.
    """
    if image.dtype.kind == "b":
        low, high = value_range(image).get()[:2]
        return not (high == 1 and low == 0)
    bins = bins_of(image)
    lower, upper = _percentiles(bins, image.dtype, [lower_percentile, upper_percentile])
    low, high = dtype_limits(image, clip_negative=False)
    return (upper - lower) / (high - low) < fraction_threshold


def _percentiles(bins, dtype, percentiles):
    """As `numpy.percentile` of an image of integers (its method "linear")."""
    until = np.cumsum(bins.host_counts)  # elements up to each value
    last = int(until[-1]) - 1
    places = last * np.true_divide(percentiles, 100)
    before = np.minimum(np.floor(places).astype(np.intp), last)
    after = np.minimum(before + 1, last)
    first, second = (
        (bins.low + np.searchsorted(until, ranks, side="right")).astype(dtype)
        for ranks in (before, after)
    )
    share = places - before
    between = second - first
    return np.where(share >= 0.5, second - between * (1 - share), first + between * share)
