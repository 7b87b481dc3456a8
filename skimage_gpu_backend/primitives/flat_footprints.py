"""Flat footprints, and how the least of each pixel's footprint is found in few steps."""

import functools
from typing import NamedTuple

import numpy as np


class Flat(NamedTuple):
    """Where a footprint's elements lie beside the pixel; nothing of its frame is empty.

    Attributes
    ----------
    low : tuple of int
        Place of the first along each axis.
    shape : tuple of int
    elements : bytes
        Of a boolean array of this shape.
    """

    low: tuple
    shape: tuple
    elements: bytes

    @classmethod
    def of(cls, footprint, *, padded_behind=False):
        """The footprint as scikit-image places it: even sides are padded in front, or behind."""
        places = np.nonzero(footprint)
        first = [int(p.min()) for p in places]
        shape = tuple(int(p.max()) - f + 1 for p, f in zip(places, first, strict=True))
        frame = tuple(slice(f, f + n) for f, n in zip(first, shape, strict=True))
        middles = [(n if padded_behind else n - 1) // 2 for n in footprint.shape]
        low = tuple(f - m for f, m in zip(first, middles, strict=True))
        return cls(low, shape, (footprint[frame] != 0).tobytes())

    @property
    def mirrored(self):
        """The footprint with each axis turned round."""
        low = tuple(1 - n - at for n, at in zip(self.shape, self.low, strict=True))
        return Flat(low, self.shape, self.elements[::-1])

    @property
    def transposed(self):
        """The footprint with its axes in reverse order."""
        return Flat(self.low[::-1], self.shape[::-1], self.array.T.tobytes())

    @property
    def array(self):
        return np.frombuffer(self.elements, bool).reshape(self.shape)

    @property
    def is_box(self):
        return 0 not in self.elements

    @property
    def reach(self):
        """Elements on the side where it looks farther, along each axis."""
        return tuple(max(-at, n + at - 1, 0) for n, at in zip(self.shape, self.low, strict=True))

    def merged(self, groups):
        """The same where axes along which it is one pixel wide become one, as `groups` tell."""
        shape = tuple(int(np.prod([self.shape[a] for a in axes])) for axes in groups)
        low = tuple(sum(self.low[a] for a in axes) for axes in groups)
        return Flat(low, shape, self.elements)


class Search(NamedTuple):
    """Each cell becomes the least of others, which lie at `offsets`.

    Attributes
    ----------
    offsets : tuple of tuple
        Number of a copy, and a place along each axis: 0 is the image, k what the k-th search
        of the footprint made.
    low, high : tuple of int
        How far cells around the results' are needed, along each axis.
    """

    offsets: tuple
    low: tuple
    high: tuple


@functools.lru_cache(maxsize=256)
def searches(flat):
    """The searches of a footprint of three axes; the last one makes its result."""
    if flat.is_box:
        return _of_box(flat)
    places = [tuple(int(i) for i in place) for place in np.argwhere(flat.array) + flat.low]
    at_once = (Search(tuple((0, place) for place in places), (0, 0, 0), (0, 0, 0)),)
    by_runs = _by_runs(flat)
    return by_runs if loads(by_runs) < loads(at_once) else at_once


def loads(searches):
    """Cells that a pixel's searches look at, and as many again for each of them."""
    return sum(len(search.offsets) + 3 for search in searches)


def _of_box(flat):
    made = []
    low = list(flat.low)
    high = [n + at - 1 for n, at in zip(flat.shape, flat.low, strict=True)]
    for axis in reversed(range(3)):
        lengths = _lengths(flat.shape[axis])
        if not lengths and (flat.low[axis] or (axis == 0 and not made)):
            lengths = [(1, (0,))]  # moves the image, or is all there is
        for place, (length, steps) in enumerate(lengths):
            if place + 1 < len(lengths):
                low[axis], first = flat.low[axis], 0
                high[axis] = flat.low[axis] + flat.shape[axis] - length
            else:
                low[axis] = high[axis] = 0
                first = flat.low[axis]
            offsets = tuple(
                (len(made), tuple(first + step if a == axis else 0 for a in range(3)))
                for step in steps
            )
            made.append(Search(offsets, tuple(low), tuple(high)))
    return tuple(made)


def _lengths(length):
    """Lengths that grow threefold, each with the steps from one to the next before it."""
    lengths, reached = [], 1
    while reached < length:
        if 3 * reached <= length:
            steps = 0, reached, 2 * reached
        elif length <= 2 * reached:
            steps = 0, length - reached
        else:
            steps = 0, reached, length - reached
        reached += steps[-1]
        lengths.append((reached, steps))
    return lengths


def _by_runs(flat):
    made, offsets = [], []
    *before, (left, width) = zip(flat.low, flat.shape, strict=True)
    places, powers, a, b = runs(flat.array)
    first, last = [at for at, _ in before], [at + n - 1 for at, n in before]
    places = (places + first).tolist()
    for place, power, *starts in zip(places, powers.tolist(), a.tolist(), b.tolist(), strict=True):
        offsets += [(power, (*place, left + x)) for x in sorted(set(starts))]
    for power in range(1, int(powers.max()) + 1):
        steps = ((power - 1, (0, 0, x)) for x in (0, 1 << (power - 1)))
        low, high = (*first, left), (*last, left + width - 2**power)
        made.append(Search(tuple(steps), low, high))
    return (*made, Search(tuple(offsets), (0, 0, 0), (0, 0, 0)))


def runs(elements):
    """Runs along the last axis, each as two of a power of 2 that overlap.

    Returns
    -------
    places : array of int, shape (runs, axes - 1)
        Along the other axes.
    powers, a, b : array of int, shape (runs,)
        Both are ``2 ** power`` long and begin at ``a`` and ``b``.
    """
    beside = [(0, 0)] * (elements.ndim - 1) + [(1, 1)]
    changes = np.diff(np.pad(elements, beside).view(np.int8), axis=-1)
    *places, starts = np.nonzero(changes > 0)
    stops = np.nonzero(changes < 0)[-1]
    powers = np.frexp(stops - starts)[1] - 1
    return np.stack(places, -1), powers, starts, stops - (1 << powers)
