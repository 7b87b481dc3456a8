"""skimage.measure.shannon_entropy."""

import functools
import math

import numpy as np
from scipy.special import entr
from scipy.stats import entropy

from ...device import c_name, launch
from ...devices import to_host, xp
from ...plan import Declined, Invalid, Plan
from ...primitives.arguments import is_real
from ...primitives.histogram import bins_of, cost
from ...primitives.reduce import in_memory_order

_SOURCE = "measure/lengths.cu"
_LEAST = 256  # entries of the table of counts
_MOST_IN_TABLE = 1 << 20  # pixels: the table of their values stays in the second cache


def shannon_entropy(image, base=2):
    """Entropy of the values of an image: `skimage.measure.shannon_entropy`.

    8 bits and booleans: 1 launch, which reads the image once. 16-bit integers: 2 launches, read
    twice. Their counts come to the host. Other images of up to 32 bits and 2**20 pixels: 2
    launches, of which one reads the image once and counts its values, in a table of 16 to 32 bytes
    a pixel, and the other one how many values there are with each count. Others are sorted by CuPy,
    and 1 launch reads them once to count the same: 16 bytes for the root of the number of pixels
    come to the host.
    """
    if image.ndim == 0 or image.size == 0:
        raise Declined("image has no axes, or is empty; nothing to change")
    if base is not None:
        if not is_real(base) or getattr(base, "itemsize", 8) > 8:
            raise Declined("base is not a number; give one, as 2")
        if base <= 0:
            raise Invalid("base is not above 0; give a number that is, as 2")
    if image.dtype.kind == "f" or image.dtype.itemsize > 2:
        has_room = image.dtype.itemsize <= 4 and image.size <= _MOST_IN_TABLE
        count = _lengths_in_table if has_room else _lengths_of_sorted
        return Plan(functools.partial(_of_many, base, count))
    return Plan(functools.partial(_of_few, base), cost=cost(image, None))


def _of_few(base, image):
    if image.dtype.kind == "b":
        image = image.view("uint8")
    counts = bins_of(image).host_counts
    return entropy(counts[counts > 0], base=base)


def _of_many(base, count, image):
    most = max(_LEAST, math.isqrt(image.size))  # so many values at most are there more often
    table = xp.zeros(most + image.size // most, "uint64")
    count(image, np.int32(most), table[:most], table[most:])
    often, longer = np.split(to_host(table), [most])
    longer, of_longer = np.unique(longer[: int(often[0])], return_counts=True)
    often[0] = 0
    counts = np.concatenate((np.flatnonzero(often), longer))
    often = np.concatenate((often[often > 0], of_longer))
    total = (often * entr(counts / image.size)).sum()
    return total if base is None else total / np.log(base)


def _lengths_of_sorted(image, *args):
    values = _as_compared(xp.sort(image.ravel()))
    expression = _expression("count_lengths", values.dtype)
    launch(_SOURCE, expression, (values, values.size, *args), work=values.size)


def _lengths_in_table(image, *args):
    (values,) = map(_as_compared, in_memory_order(image))
    bits = (2 * values.size - 1).bit_length()
    slots = xp.zeros(1 << bits, "uint64")
    expression = _expression("count_values", values.dtype)
    launch(_SOURCE, expression, (values, values.size, slots, np.int32(bits)), work=values.size)
    launch(_SOURCE, "count_slots", (slots, slots.size, *args), work=slots.size)


def _as_compared(values):
    """Integers as such without a sign, since they are only compared."""
    kind = "f" if values.dtype.kind == "f" else "u"
    return values.view(f"{kind}{values.dtype.itemsize}")


def _expression(kernel, dtype):
    return f"{kernel}<{c_name(dtype)}>"


def specializations():
    """Every (source, expression) that this function launches, besides those of primitives."""
    for name in ("uint32", "uint64", "float16", "float32", "float64"):
        yield _SOURCE, _expression("count_lengths", np.dtype(name))
    for name in ("uint32", "float16", "float32"):
        yield _SOURCE, _expression("count_values", np.dtype(name))
    yield _SOURCE, "count_slots"
