"""Elements of floating images by their rank, as sorting would find them."""

import numpy as np

from ..device import c_name, launch
from ..device.lazy import cp
from .reduce import BLOCK, blocks_for, in_memory_order

_SOURCE = "exposure/select.cu"
_FLOATS = ("float16", "float32", "float64")
_DIGITS = 11  # bits of a key that are counted at a time: four prefixes fit into shared memory
_FEW = 1 << 16  # elements that are sooner sorted on the host than counted on


def specializations():
    """Every (source, expression) that the functions of this module launch."""
    for name in _FLOATS:
        for kernel in ("count_digits", "gather"):
            yield _SOURCE, f"{kernel}<{c_name(np.dtype(name))}>"


def elements_at(image, ranks):
    """Elements that stand at `ranks` when all are sorted; None where one element is NaN.

    2 launches for float16; 3 as a rule for others, of which the last brings few elements
    to the host; 6 for double images with many equal elements. Each reads the image once.

    Parameters
    ----------
    image : cupy.ndarray
        Floating, not empty.
    ranks : numpy.ndarray
        At most four.

    Returns
    -------
    elements : numpy.ndarray or None
    """
    (image,) = in_memory_order(image)
    left = 8 * image.dtype.itemsize  # bits of the keys that are not known yet
    keys = np.zeros(len(ranks), np.uint64)  # their first bits, for each rank
    ranks = np.asarray(ranks, np.int64)
    candidates = image.size
    while left and (candidates > _FEW or not keys.any()):
        digits = min(_DIGITS, left)
        left -= digits
        prefixes, own = np.unique(keys, return_inverse=True)
        counts, nans = _counts(image, prefixes, left, digits)
        if nans:
            return None
        until = counts.cumsum(axis=1)[own]  # elements up to each value of the digits
        found = (until <= ranks[:, None]).sum(axis=1)
        ranks = ranks - np.where(found, until[np.arange(len(ranks)), found - 1], 0)
        keys = keys << np.uint64(digits) | found.astype(np.uint64)
        chosen = np.unique(np.stack([own, found]), axis=1)
        candidates = int(counts[chosen[0], chosen[1]].sum())
    if not left:
        return _of_keys(keys, image.dtype)
    values = _gathered(image, np.unique(keys), left, candidates)
    order = _keys_of(values)
    first = order >> np.uint64(left)
    return np.array([np.sort(values[first == k])[r] for k, r in zip(keys, ranks, strict=True)])


def _counts(image, prefixes, shift, digits):
    """Counts of the digits, a row for each prefix, and the number of NaN."""
    bins = (len(prefixes) << digits) + 1
    counts = cp.zeros(bins, "uint64")
    args = (image, image.size, cp.asarray(prefixes), np.int32(len(prefixes)), np.int32(shift))
    args += (np.int32(digits), counts)
    _launch("count_digits", image, args, shared=4 * bins)
    counts = counts.get().astype(np.int64)
    return counts[:-1].reshape(len(prefixes), -1), counts[-1]


def _gathered(image, prefixes, shift, candidates):
    """The elements whose keys begin with one of the prefixes, on the host."""
    until = cp.zeros(1, "uint64")
    found = cp.empty(candidates, image.dtype)
    args = (image, image.size, cp.asarray(prefixes), np.int32(len(prefixes)), np.int32(shift))
    _launch("gather", image, (*args, until, found))
    return found.get()


def _launch(kernel, image, args, shared=0):
    expression = f"{kernel}<{c_name(image.dtype)}>"
    grid = (blocks_for(image),)
    launch(_SOURCE, expression, args, work=image.size, block=BLOCK, shared=shared, grid=grid)


def _keys_of(values):
    """As `key_of` of the kernel."""
    bits = values.view(f"u{values.dtype.itemsize}")
    sign = bits.dtype.type(1 << 8 * values.dtype.itemsize - 1)
    return np.where(bits & sign, ~bits, bits | sign).astype(np.uint64)


def _of_keys(keys, dtype):
    bits = keys.astype(f"u{dtype.itemsize}")
    sign = bits.dtype.type(1 << 8 * dtype.itemsize - 1)
    return np.where(bits & sign, bits ^ sign, ~bits).view(dtype)
