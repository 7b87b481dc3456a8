"""skimage.measure.shannon_entropy."""

import functools
import math

import numpy as np
from scipy.special import entr
from scipy.stats import entropy

from ...device import c_name, launch
from ...device.lazy import cp
from ...plan import Declined, Invalid, Plan
from ...primitives.arguments import is_real
from ...primitives.histogram import bins_of, cost

_SOURCE = "measure/lengths.cu"
_LEAST = 256  # entries of the table of counts


def shannon_entropy(image, base=2):
    """Entropy of the values of an image: `skimage.measure.shannon_entropy`.

    8 bits and booleans: 1 launch, which reads the image once. 16-bit integers: 2 launches, read
    twice. Their counts come to the host. Others are sorted by CuPy, and 1 launch, which reads them
    once, counts how many values there are with each count: 16 bytes for the root of the number of
    pixels come to the host.
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
    kind = "f" if values.dtype.kind == "f" else "u"  # integers are only compared
    values = values.view(f"{kind}{values.dtype.itemsize}")
    most = max(_LEAST, math.isqrt(values.size))  # so many values at most are there more often
    table = cp.zeros(most + values.size // most, "uint64")
    args = (values, values.size, np.int32(most), table[:most], table[most:])
    launch(_SOURCE, _expression(values.dtype), args, work=values.size)
    often, longer = np.split(table.get(), [most])
    longer, of_longer = np.unique(longer[: int(often[0])], return_counts=True)
    often[0] = 0
    counts = np.concatenate((np.flatnonzero(often), longer))
    often = np.concatenate((often[often > 0], of_longer))
    total = (often * entr(counts / image.size)).sum()
    return total if base is None else total / np.log(base)


def _expression(dtype):
    return f"count_lengths<{c_name(dtype)}>"


def specializations():
    """Every (source, expression) that this function launches, besides those of primitives."""
    for name in ("uint32", "uint64", "float16", "float32", "float64"):
        yield _SOURCE, _expression(np.dtype(name))
