"""Percentiles of an image: the device counts, the rest is NumPy's own arithmetic on the host."""

import numpy as np

from .histogram import bins_of
from .select import elements_at


def percentiles_of(image, percentiles):
    """As `numpy.percentile` (its method "linear"); NaN where an element is NaN.

    Images of 8 and 16 bits: launches and reads as `bins_of`. Floating ones: as `elements_at`.
    """
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
