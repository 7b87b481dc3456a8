"""skimage.measure.shannon_entropy."""

import functools

import numpy as np
from scipy.special import entr
from scipy.stats import entropy

from ...device.lazy import cp
from ...plan import Declined, Invalid, Plan
from ...primitives.arguments import is_real
from ...primitives.histogram import bins_of, cost


def shannon_entropy(image, base=2):
    """Entropy of the values of an image: `skimage.measure.shannon_entropy`.

    8 bits and booleans: 1 launch, which reads the image once. 16-bit integers: 2 launches, read
    twice. Their counts come to the host. Others are sorted by CuPy, and of how many values there
    are with each count the numbers come to the host.
    """
    if image.ndim == 0 or image.size == 0:
        raise Declined("image has no axes, or is empty; nothing to change")
    if base is not None:
        if not is_real(base) or getattr(base, "itemsize", 8) > 8:
            raise Declined("base is not a number; give one, as 2")
        if base <= 0:
            raise Invalid("base is not above 0; give a number that is, as 2")
    if image.dtype.kind == "f" or image.dtype.itemsize > 2:
        return Plan(functools.partial(_of_sorted, base))
    return Plan(functools.partial(_of_few, base), cost=cost(image, None))


def _of_few(base, image):
    if image.dtype.kind == "b":
        image = image.view("uint8")
    counts = bins_of(image).host_counts
    return entropy(counts[counts > 0], base=base)


def _of_sorted(base, image):
    values = cp.sort(image.ravel())
    is_new = values[1:] != values[:-1]
    if values.dtype.kind == "f":  # NaN comes last, and is one value
        is_new &= ~cp.isnan(values[:-1])
    places = cp.flatnonzero(is_new)
    ends = cp.empty(places.size + 2, places.dtype)
    ends[0], ends[-1] = -1, image.size - 1
    ends[1:-1] = places
    counts, often = (found.get() for found in cp.unique(cp.diff(ends), return_counts=True))
    total = (often * entr(counts / image.size)).sum()
    return total if base is None else total / np.log(base)
