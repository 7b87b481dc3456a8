"""`measure.shannon_entropy` of Dask arrays of few values."""

from scipy.stats import entropy

from ..trouble import Declined
from . import sums
from .chunk import histogram_of


def shannon_entropy(call):
    """Entropy of the values: of booleans, and of integers of up to 16 bits."""
    (image,) = call.images
    if image.dtype.kind == "f" or image.dtype.itemsize > 2:
        raise Declined(
            f"image is a Dask array of {image.dtype}, which has too many values to be counted by "
            "chunks; give image.compute()"
        )
    if image.dtype.kind == "b":
        image = image.view("uint8")
    task = call.task("skimage.exposure:histogram", ("image",))
    bins = sums.summed(histogram_of, (image,), sums.add_counts, task=task)
    return call.made(_entropy, bins, dtype=float, base=call.options["base"])


def _entropy(bins, base):
    counts = bins[0]
    return entropy(counts[counts > 0], base=base)
