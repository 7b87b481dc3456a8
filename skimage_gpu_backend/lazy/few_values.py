"""Functions of a histogram, of few values, or of elements by their order, of Dask arrays."""

import numpy as np
from scipy.stats import entropy

from ..functions.exposure.is_low_contrast import is_less
from ..primitives.percentiles import between, percentiles_of_counts, ranks_of
from ..trouble import Declined
from . import sums
from .chunk import histogram_of
from .order import elements_at


def shannon_entropy(call):
    """Entropy of the values: of booleans, and of integers of up to 16 bits."""
    return call.made(_entropy, _counted(call), dtype=float, base=call.options["base"])


def _counted(call):
    """Counts and centers of all values."""
    (image,) = call.images
    if image.dtype.kind == "f" or image.dtype.itemsize > 2:
        raise Declined(
            f"image is a Dask array of {image.dtype}, which has too many values to be counted by "
            "chunks; give image.compute()"
        )
    if image.dtype.kind == "b":
        image = image.view("uint8")
    task = call.task("skimage.exposure:histogram", ("image",))
    return sums.summed(histogram_of, (image,), sums.add_counts, task=task)


def _entropy(bins, base):
    counts = bins[0]
    return entropy(counts[counts > 0], base=base)


def threshold_li(call):
    """Of floats, which are too many: of integers it is one of `reduced`."""
    raise Declined(
        "image is a Dask array of floats, whose means below and above the threshold each "
        "iteration takes anew, and a graph has no such loop; give image.compute(), or integers, "
        "as skimage.util.img_as_uint(image), which changes the result"
    )


def is_low_contrast(call):
    """Whether the values span a small part of their type."""
    (image,) = call.images
    if image.ndim == 3 and image.shape[2] in (3, 4) and image.dtype.kind != "b":
        raise Declined(
            "image is a Dask array with channels; give skimage.color.rgb2gray(image), which "
            "changes the result"
        )
    percentiles = tuple(call.options[f"{end}_percentile"] for end in ("lower", "upper"))
    threshold = call.options["fraction_threshold"]
    if image.dtype.kind == "f":
        ranks, share = ranks_of(image.size, percentiles)
        found = elements_at(call, image, np.append(ranks, image.size - 1))
        options = {"share": share, "threshold": threshold}
        return call.made(_is_low_between, found, dtype=bool, **options)
    bins = _counted(call)
    return call.made(_is_low, bins, dtype=bool, into=image.dtype, options=(percentiles, threshold))


def _is_low_between(found, share, threshold):
    *elements, last = found  # where NaN is
    limits = between(np.array(elements), share) if last == last else np.full(2, np.nan)
    return is_less(limits, np.empty(0, found.dtype), threshold)


def _is_low(bins, into, options):
    counts, centers = bins
    percentiles, threshold = options
    if into.kind == "b":
        return len(counts) == 1
    found = percentiles_of_counts(counts, centers[0], into, percentiles)
    return is_less(found, np.empty(0, into), threshold)
