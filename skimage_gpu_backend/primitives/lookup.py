"""Values by a table: launches of util/lookup.cu.

For images of 8 and 16 bits a table of all values, which scikit-image's own function makes
on the host, gives its very numbers.
"""

import numpy as np

from ..device import c_name
from ..device.launches import Array, Launch, Launches
from ..devices import xp
from .points import points

_SOURCE = "util/lookup.cu"
_UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
# bytes of a table that a block has room for on every device without asking for more
_SHARED_BYTES = 32 * 1024
# keys of a list of which each block makes a table: half of its slots
MOST_LISTED = _SHARED_BYTES // 4 // 2


def specializations():
    """Every (source, expression) that the functions of this module launch."""
    for image in _UNSIGNED:
        for result in _UNSIGNED:
            types = f"{c_name(np.dtype(image))}, {c_name(np.dtype(result))}"
            yield _SOURCE, f"lookup<{types}>"
            yield _SOURCE, f"listed<{types}>"
            if image != "uint8":
                yield _SOURCE, f"search<{types}>"


def bits(array):
    """The elements as unsigned integers of their size; a view."""
    return array.view(f"u{array.dtype.itemsize}")


def lookup(image, first, table, result, seen, refused=None) -> Launch:
    """Each element's entry in a table, for a plan.

    The image is read once, the result written once.

    Parameters
    ----------
    image : Array
    first : int
        Value, or bits as an unsigned integer, of which the table's first entry tells.
    table : Array
        Other values than those of which it tells become 0.
    result : Array
        Of the table's dtype.
    seen : Array
        One ``uint32``, 0; not 0 afterwards where a value was among the refused ones.
    refused : tuple of int, optional
        First and last (as bits) of the values that are told of.
    """
    key = np.dtype(f"u{image.dtype.itemsize}").type
    refused_first, refused_last = refused or (1, 0)
    in_shared = table.nbytes <= _SHARED_BYTES
    args = (image, image.size, key(first), table, table.size, in_shared)
    args += (key(refused_first), key(refused_last), seen, result)
    shared = table.nbytes * in_shared
    return points(_SOURCE, _expression("lookup", image, result), args, image, result, shared=shared)


def search(image, keys, values, result) -> Launch:
    """Each element's counterpart in a sorted list, for a plan.

    The image is read once, the result written once.

    Parameters
    ----------
    image : Array
    keys : Array
        Each of them once, in ascending order of their bits as unsigned integers.
    values : Array
        Their counterparts; what is no key becomes 0.
    result : Array
        Of the dtype of the values.
    """
    args = (image, image.size, keys, values, keys.size, result)
    return points(_SOURCE, _expression("search", image, result), args, image, result)


def listed(image, keys, values, result) -> Launch:
    """Each element's counterpart in a list that nothing is known of, for a plan.

    The image is read once, the result written once.

    Parameters
    ----------
    image : Array
    keys : Array
        Of the image's dtype, not empty, `MOST_LISTED` at most; of equal ones the last counts.
    values : Array
        Their counterparts; what is no key becomes 0.
    result : Array
        Of the dtype of the values.
    """
    slots = 2 << (keys.size - 1).bit_length()
    args = (image, image.size, keys, values, keys.size, np.uint32(slots), result)
    expression = _expression("listed", image, result)
    return points(_SOURCE, expression, args, image, result, shared=4 * slots)


def _expression(kernel, image, result):
    return f"{kernel}<{_unsigned(image)}, {_unsigned(result)}>"


def _unsigned(array):
    return c_name(np.dtype(f"u{array.dtype.itemsize}"))


def by_table(image, first, table, *, refused=None):
    """`lookup` of a C-contiguous device image in a NumPy table: result and what was seen."""
    result, seen = Array(image.shape, table.dtype), Array((1,), np.dtype(np.uint32), zero=True)
    place, entries = Array.given("image", image), Array.given("table", table)
    step = lookup(place, first, entries, result, seen, refused)
    return Launches([step], (result, seen))(image=image, table=xp.asarray(table))


def levels(dtype):
    """Every value of a dtype of 8 or 16 bits, in the order of their bits."""
    count = 1 << 8 * dtype.itemsize
    if dtype.kind == "b":
        return np.arange(count) > 0
    return np.arange(count, dtype=f"u{dtype.itemsize}").view(dtype)
