"""The regions of an image whose labels are small: how many pixels each has, and its box."""

from typing import NamedTuple

import numpy as np

from ..device import c_name, launch
from ..devices import to_host, xp

_SOURCE = "measure/small_labels.cu"
_BLOCK, _PACK, _VALUES = 256, 8, 7  # THREADS, N and VALUES in the kernel
_PIXELS, _LEAST = 128, 8192  # of an image for each label that the table has; and of these, at least


class SmallLabels(NamedTuple):
    """What is known of regions, on the host.

    Attributes
    ----------
    labels : numpy.ndarray
        Those that there are, in ascending order.
    counts : numpy.ndarray
        Pixels of each.
    first, behind : numpy.ndarray
        Corner of each region's box, and the place behind it, along each axis.
    """

    labels: object
    counts: object
    first: object
    behind: object


def small_labels(image):
    """`SmallLabels` of an image, or None where a label is too large.

    1 launch, which reads the image once. The largest label comes to the host, then 28 bytes for
    each up to that.

    Parameters
    ----------
    image : cupy.ndarray
        Of integers, C-contiguous, of 3 axes at most, with at least one element.
    """
    if image.size >= 2**31:
        return None
    most = max(_LEAST, image.size // _PIXELS)
    largest, table = xp.zeros(1, np.uint64), xp.zeros((most, _VALUES), np.uint32)
    shape = (1, 1, *image.shape)[-3:]
    dtype = np.dtype([(name, np.uint32) for name in ("depth", "rows", "columns")])
    unsigned = np.dtype(f"u{image.itemsize}")
    limit = unsigned.type(np.iinfo(image.dtype).max)
    args = (image, image.size, np.array(shape, dtype)[()], limit, np.uint32(most))
    args += (table, largest)
    work = -(-image.size // _PACK)
    launch(_SOURCE, f"small_labels<{c_name(unsigned)}>", args, work=work, block=_BLOCK)
    largest = int(to_host(largest)[0])
    if largest >= most:
        return None
    table = to_host(table[: largest + 1]).astype(np.int64)
    labels = np.flatnonzero(table[:, 0])
    counts, behind, beyond = np.split(table[labels], [1, 4], axis=1)
    axes = slice(3 - image.ndim, 3)
    return SmallLabels(labels, counts[:, 0], (shape - beyond)[:, axes], behind[:, axes])


def specializations():
    """Every (source, expression) that this module launches."""
    for bits in (8, 16, 32, 64):
        yield _SOURCE, f"small_labels<{c_name(np.dtype(f'uint{bits}'))}>"
