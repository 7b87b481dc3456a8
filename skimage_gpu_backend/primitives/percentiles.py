"""Percentiles of an image: the device counts, the rest is NumPy's own arithmetic on the host."""

import numpy as np

from .histogram import bins_of
from .select import elements_at


def percentiles_of(image, percentiles):
    """As `numpy.percentile` (its method "linear"); NaN where an element is NaN.

    Images of 8 and 16 bits: launches and reads as `bins_of`. Floating ones: as `elements_at`.
    """
    ranks, share = ranks_of(image.size, percentiles)
    if image.dtype.kind == "f":
        elements = elements_at(image, ranks)
    else:
        bins = bins_of(image)
        elements = _elements(bins.host_counts, bins.low, ranks, image.dtype)
    return np.full(len(percentiles), np.nan) if elements is None else between(elements, share)


def percentiles_of_counts(counts, low, dtype, percentiles):
    """The same of an image of integers, from how many of its elements are `low`, `low` + 1, ..."""
    ranks, share = ranks_of(counts.sum(), percentiles)
    return between(_elements(counts, low, ranks, dtype), share)


def ranks_of(size, percentiles):
    """Ranks of the elements before each percentile, then behind; its share of the way between."""
    last = size - 1
    places = last * np.true_divide(percentiles, 100)
    before = np.minimum(np.floor(places).astype(np.intp), last)
    return np.concatenate([before, np.minimum(before + 1, last)]), places - before


def _elements(counts, low, ranks, dtype):
    until = np.cumsum(counts)  # elements up to each value
    return (low + np.searchsorted(until, ranks, side="right")).astype(dtype)


def between(elements, share):
    """Percentiles, from the elements at the ranks that `ranks_of` gave, and the shares."""
    first, second = np.split(elements, 2)
    with np.errstate(invalid="ignore"):  # infinity
        between = second - first
        return np.where(share >= 0.5, second - between * (1 - share), first + between * share)
