"""Connected components of images in slabs, which are joined on the host."""

import itertools

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from ..device.launches import Array
from ..devices import xp
from ..trouble import Declined
from .components import labelled

_INT32, _INT64 = np.dtype(np.int32), np.dtype(np.int64)
_CHUNK = 1 << 20  # labels that the host looks up at a time
NBYTES = 28  # of device memory an element: trees, labels, those of the whole image
ODD = (
    "label_image has values that are NaN, infinite or of 2**63 or more; give "
    "numpy.nan_to_num(label_image, posinf=0, neginf=0), which changes the result"
)


def labelled_in_slabs(slabs, background, connectivity, dtype):
    """Labels of an image that comes in slabs along its first axis, as those of the whole.

    Each slab is labelled by itself (`labelled`), 4 launches; labels of neighbouring slabs whose
    pixels touch are told to the host, which finds what they are one region of. Within a slab
    labels rise in raster order, and from slab to slab; so a region's first pixel is that of its
    least label.

    Parameters
    ----------
    slabs : iterable of cupy.ndarray
        With the `shape` of the whole image. Pixels as in `labelled`.
    background, connectivity
        As in `labelled`.
    dtype : numpy.dtype
        Of the labels.

    Returns
    -------
    labels : numpy.ndarray
    count : int

    Raises
    ------
    Declined
        A pixel is a number that no 64-bit integer holds.
    """
    result = np.empty(slabs.shape, dtype)
    pairs, start, count, last = [np.empty((0, 2), _INT64)], 0, 0, None
    for slab in slabs:
        image = Array(slab.shape, slab.dtype, "image")
        labels, told = labelled(image, background, connectivity, _INT32)(image=slab)
        number, odd = told.tolist()
        if odd:
            raise Declined(ODD)
        if last is not None:
            before, *face = last
            found = _touching(face, (slab[:1], labels[:1]), connectivity - 1, number + 1)
            pairs.append(np.add(found, (before, count)))
        last = count, slab[-1:].copy(), labels[-1:].copy()  # the slab goes with the next one
        part = xp.where(labels > 0, labels.astype(dtype) + count, 0)
        result[start : start + len(slab)] = xp.asnumpy(part)
        start, count = start + len(slab), count + number
    table, count = joined(np.concatenate(pairs), count)
    table, flat = table.astype(dtype), result.reshape(-1)
    for begin in range(0, flat.size, _CHUNK):
        flat[begin : begin + _CHUNK] = table[flat[begin : begin + _CHUNK]]
    return result, count


def _touching(face, other, steps, number):
    """Pairs of labels of two faces whose pixels are neighbours and equal; each pair once.

    Parameters
    ----------
    face, other : tuple of cupy.ndarray
        Pixels and labels; the first axis has one element.
    steps : int
        Along at most so many of the other axes.
    number : int
        More than any label of the other face.
    """
    axes, found = face[0].ndim - 1, [np.empty(0, _INT64)]
    for offsets in itertools.product((-1, 0, 1), repeat=axes):
        if sum(map(abs, offsets)) > steps:
            continue
        here, there = (
            (slice(None), *(slice(max(o, 0), min(o, 0) or None) for o in each))
            for each in (offsets, [-o for o in offsets])
        )
        (pixels, labels), (others, their) = ([v[here] for v in face], [v[there] for v in other])
        same = (labels > 0) & (their > 0) & (_whole(pixels) == _whole(others))
        keys = labels[same].astype(_INT64) * number + their[same]
        found.append(xp.asnumpy(xp.unique(keys)))
    return np.stack(np.divmod(np.unique(np.concatenate(found)), number), axis=-1)


def _whole(pixels):
    """As `labelled` compares pixels: floats without their fractions."""
    return xp.trunc(pixels) if pixels.dtype.kind == "f" else pixels


def joined(pairs, count):
    """The number of the region of each label, background first, and how many regions there are."""
    graph = coo_array((np.ones(len(pairs), bool), pairs.T), shape=(count + 1, count + 1))
    _, regions = connected_components(graph, directed=False)
    _, firsts, numbers = np.unique(regions, return_index=True, return_inverse=True)
    rank = np.empty(firsts.size, _INT64)
    rank[np.argsort(firsts)] = np.arange(firsts.size)
    return rank[numbers], firsts.size - 1
