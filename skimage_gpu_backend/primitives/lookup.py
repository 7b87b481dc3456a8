"""Values by a table: launches of util/lookup.cu.

For images of 8 and 16 bits a table of all values, which scikit-image's own function makes
on the host, gives its very numbers.
"""

import numpy as np

from ..device import c_name
from ..device.lazy import cp
from .points import flags, launch_points

_SOURCE = "util/lookup.cu"
_UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
# bytes of a table that a block has room for on every device without asking for more
_SHARED_BYTES = 32 * 1024


def specializations():
    """Every (source, expression) that the functions of this module launch."""
    for image in _UNSIGNED:
        for result in _UNSIGNED:
            types = f"{c_name(np.dtype(image))}, {c_name(np.dtype(result))}"
            yield _SOURCE, f"lookup<{types}>"
            if image != "uint8":
                yield _SOURCE, f"search<{types}>"


def bits(array):
    """The elements as unsigned integers of their size; a view."""
    return array.view(f"u{array.dtype.itemsize}")


def by_table(image, first, table, *, out=None, refused=None):
    """Look each element up in a table.

    1 launch; the image is read once, the result written once.

    Parameters
    ----------
    image : cupy.ndarray
        C-contiguous.
    first : int
        Value, or bits as an unsigned integer, of which the table's first entry tells.
    table : numpy.ndarray
        Other values than those of which it tells become 0.
    out : cupy.ndarray, optional
        C-contiguous, of the table's dtype.
    refused : tuple of int, optional
        First and last (as bits) of the values that are told of.

    Returns
    -------
    result : cupy.ndarray
        Of the table's dtype.
    seen : cupy.ndarray
        One ``uint32``, not 0 where a value was among the refused ones.
    """
    keys = bits(image)
    key = keys.dtype.type
    if out is None:
        out = cp.empty(image.shape, table.dtype)
    seen = flags()
    in_shared = table.nbytes <= _SHARED_BYTES
    refused_first, refused_last = refused or (1, 0)
    args = (keys, keys.size, key(first), bits(cp.asarray(table)), table.size, in_shared)
    args += (key(refused_first), key(refused_last), seen, bits(out))
    expression = f"lookup<{c_name(keys.dtype)}, {c_name(bits(out).dtype)}>"
    launch_points(_SOURCE, expression, args, keys, out, shared=table.nbytes * in_shared)
    return out, seen


def levels(dtype):
    """Every value of a dtype of 8 or 16 bits, in the order of their bits."""
    count = 1 << 8 * dtype.itemsize
    if dtype.kind == "b":
        return np.arange(count) > 0
    return np.arange(count, dtype=f"u{dtype.itemsize}").view(dtype)
