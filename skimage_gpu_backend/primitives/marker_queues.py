"""The order in which scikit-image's queue gives out equal markers, where few steps tell.

Its queue is a binary heap that compares values, then ages, which are 0 for all markers. What it
does with equal ones depends on where they are in the heap, so on how many elements are in it at
each moment; elements that come after them may be anywhere below. While the lowest markers are given
out, all other elements come after them. So only these markers' places have to be known, and how
many pixels each of them puts into the queue: those around it that none has put there.

Source: scikit-image `_shared/heap_general.pxi`.
"""

import numpy as np

from ..devices import to_host, xp

_NEVER = np.uint64(2**64 - 1)  # NEVER of segmentation/watershed.cu
_MOST = 1 << 12  # markers, whose turns take the host some 60 ms


def turns_of(times, first, steps):
    """Twice the turn of each of the lowest markers, 0 of others, 1 of what is none; or None.

    Parameters
    ----------
    times : cupy.ndarray
        Of a frame, as in segmentation/watershed.cu.
    first : cupy.ndarray
        The time of the lowest markers.
    steps : numpy.ndarray
        To the pixels around one.
    """
    flat = times.ravel()
    markers = xp.flatnonzero(flat & 1 == 0)
    places = xp.flatnonzero(flat[markers] == first)
    if not 1 < places.size <= _MOST:
        return None
    lowest = markers[places]
    around = lowest[:, None] + xp.asarray(steps)
    is_free = (flat[around] & 1 == 1) & (flat[around] != _NEVER)
    around = xp.where(is_free, around, -1)
    turns = _turns(to_host(places).tolist(), markers.size, to_host(around).tolist())
    result = (flat & 1).astype("uint32")
    result[lowest] = xp.asarray(np.array(turns, "uint32") * 2)
    return result.reshape(times.shape)


def _turns(places, count, around):
    """Which turn each of the lowest markers has.

    Parameters
    ----------
    places : list of int
        Of the lowest ones among all markers, as they are put into the queue.
    count : int
        Of all markers.
    around : list of list of int
        For each of the lowest ones the pixels around it that are no markers; -1 is none.
    """
    heap = _filled(places)
    result, seen, items = [0] * len(places), {-1}, count
    for turn in range(len(places)):
        items -= 1
        marker = _first(heap, items)
        result[marker] = turn
        fresh = set(around[marker]) - seen
        seen |= fresh
        items += len(fresh)
    return result


def _filled(places):
    """The lowest markers by their places in the heap, when all markers are in it."""
    heap = {}
    for marker, place in enumerate(places):
        while place and (place - 1) // 2 not in heap:
            place = (place - 1) // 2
        heap[place] = marker
    return heap


def _first(heap, items):
    """Take out the first one; so many elements are left."""
    first = heap.pop(0)
    if items in heap:
        heap[0] = heap.pop(items)
        return first
    place, child = 0, 1
    while child < items:
        # of two equal ones that on the left comes up
        child += child not in heap
        if child >= items or child not in heap:
            break
        heap[place] = heap.pop(child)
        place, child = child, 2 * child + 1
    return first
