"""Elements of a Dask array by their place in its order, found by their bits, some in each pass.

Floats are compared as integers. A pass counts the first bits of all elements; the next one counts
the next bits of those elements that have the wanted ones' first bits. So a table has at most
2**22 rows for each wanted element, however large the image is, and mostly few.
"""

from typing import NamedTuple

import numpy as np

from . import sums
from .join import on_the_host

_PASSES = {2: (16,), 4: (16, 16), 8: (22, 21, 21)}  # bits, by the size of an element


class Sought(NamedTuple):
    """What is known of wanted elements.

    Attributes
    ----------
    heads : numpy.ndarray
        Of each its first bits.
    ranks : numpy.ndarray
        Its place among the elements that begin with these.
    """

    heads: np.ndarray
    ranks: np.ndarray


def elements_at(call, image, ranks):
    """Dask array without axes, whose value is a NumPy array of elements.

    Parameters
    ----------
    call : reduced.Call
        For which they are.
    image : dask.array.Array
        Of floats. NaN is behind all numbers.
    ranks : numpy.ndarray
        Places in the order, from 0 on.
    """
    left = 8 * image.dtype.itemsize
    sought = Sought(np.zeros(len(ranks), np.uint64), np.asarray(ranks))
    for bits in _PASSES[image.dtype.itemsize]:
        is_first = left == 8 * image.dtype.itemsize
        left -= bits
        arrays = (image,) if is_first else (image, sought)
        options = {"left": left, "bits": bits}
        found = sums.summed(_counted, arrays, add_counted, **options)
        if is_first:
            sought = call.made(_narrowed, found, dtype=object, sought=sought, bits=bits)
        else:
            sought = call.made(_narrowed, found, sought, dtype=object, bits=bits)
    return call.made(_elements, sought, dtype=object, into=image.dtype)


def _counted(chunk, sought=None, *, left, bits):
    """For each head the next bits of elements that begin with it, and how often they occur."""
    keys = _keys(on_the_host(chunk).reshape(-1))
    if sought is None:
        return {0: np.unique(keys >> np.uint64(left), return_counts=True)}
    heads, rest = keys >> np.uint64(left + bits), np.uint64((1 << bits) - 1)
    return {
        int(head): np.unique(keys[heads == head] >> np.uint64(left) & rest, return_counts=True)
        for head in np.unique(sought.heads)
    }


def _keys(values):
    """Integers in the order of floats."""
    bits = values.view(f"u{values.itemsize}").astype(np.uint64)
    sign = np.uint64(1 << (8 * values.itemsize - 1))
    every = np.uint64((1 << 8 * values.itemsize) - 1)
    keys = np.where(bits & sign, bits ^ every, bits | sign)
    keys[np.isnan(values)] = every
    return keys


def add_counted(parts):
    """Sum of tables of counts."""
    total = {}
    for head in parts[0]:
        values, counts = (np.concatenate(c) for c in zip(*(p[head] for p in parts), strict=True))
        values, places = np.unique(values, return_inverse=True)
        total[head] = values, np.bincount(places, counts, len(values)).astype(np.int64)
    return total


def _narrowed(found, sought, bits):
    """`Sought` with the bits that have been counted."""
    heads, ranks = sought.heads.copy(), sought.ranks.copy()
    for place, (head, rank) in enumerate(zip(sought.heads, sought.ranks, strict=True)):
        values, counts = found[int(head)]
        until = np.cumsum(counts)
        row = np.searchsorted(until, rank, side="right")
        heads[place] = head << np.uint64(bits) | values[row]
        ranks[place] = rank - (until[row] - counts[row])
    return Sought(heads, ranks)


def _elements(sought, into):
    size = into.itemsize
    sign, every = np.uint64(1 << (8 * size - 1)), np.uint64((1 << 8 * size) - 1)
    keys = sought.heads
    bits = np.where(keys & sign, keys ^ sign, keys ^ every)
    return bits.astype(f"u{size}").view(into)
