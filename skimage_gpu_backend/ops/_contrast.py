"""skimage.exposure.is_low_contrast on the device.

The device counts; the percentiles are NumPy's own arithmetic on the host.
"""

import numpy as np
from skimage.util import dtype_limits

from ..functions.color.gray import rgb2gray, rgba2rgb
from ..primitives import select as _select
from ..primitives.histogram import bins_of
from ..primitives.select import elements_at
from ..primitives.value_range import value_range

specializations = _select.specializations


def is_low_contrast(
    image, fraction_threshold=0.05, lower_percentile=1, upper_percentile=99, method="linear"
):
    """Whether the values span a small part of their type, as `skimage.exposure.is_low_contrast`.

    8-bit and boolean images: 1 launch, read once. 16-bit images: 2 launches, read twice.
    Floating images: as `elements_at`. Colour images: 1 or 2 launches more, which make them
    gray. Counts come to the host.
    """
    if image.dtype.kind == "b":
        low, high = value_range(image).get()[:2]
        return not (high == 1 and low == 0)
    if image.ndim == 3 and image.shape[2] == 4:
        image = rgba2rgb(image).run(rgba=image)
    if image.ndim == 3 and image.shape[2] == 3:
        image = rgb2gray(image).run(rgb=image)
    lower, upper = percentiles_of(image, [lower_percentile, upper_percentile])
    low, high = dtype_limits(image, clip_negative=False)
    return (upper - lower) / (high - low) < fraction_threshold


def percentiles_of(image, percentiles):
    """As `numpy.percentile` (its method "linear")."""
    last = image.size - 1
    places = last * np.true_divide(percentiles, 100)
    before = np.minimum(np.floor(places).astype(np.intp), last)
    ranks = np.concatenate([before, np.minimum(before + 1, last)])
    elements = elements_at(image, ranks) if image.dtype.kind == "f" else _of_integers(image, ranks)
    if elements is None:
        return np.full(len(percentiles), np.nan)
    first, second = np.split(elements, 2)
    share = places - before
    with np.errstate(invalid="ignore"):  # infinity
        between = second - first
        return np.where(share >= 0.5, second - between * (1 - share), first + between * share)


def _of_integers(image, ranks):
    bins = bins_of(image)
    until = np.cumsum(bins.host_counts)  # elements up to each value
    return (bins.low + np.searchsorted(until, ranks, side="right")).astype(image.dtype)
