"""Pixels of a box of an image whose neighbours lie in other boxes."""

from typing import NamedTuple

import numpy as np


class Frame(NamedTuple):
    """How pixels of an image are neighbours.

    Attributes
    ----------
    shape : tuple of int
        Of the image.
    offsets : tuple of tuple of int
        Steps to half of a pixel's neighbours; the others are opposite to them.
    """

    shape: tuple
    offsets: tuple

    @property
    def reach(self):
        """Along each axis the longest step."""
        return tuple(max(map(abs, steps)) for steps in zip(*self.offsets, strict=True))


def shell(start, stop, frame):
    """Flat indices, within a box, of its pixels that may have neighbours outside; they rise.

    Parameters
    ----------
    start, stop : tuple of int
        Corners of the box in the image.
    frame : Frame
    """
    axes = []
    for first, last, whole, reach in zip(start, stop, frame.shape, frame.reach, strict=True):
        here = np.arange(last - first)
        at_side = (here < reach) & (first > 0) | (here >= last - first - reach) & (last < whole)
        axes.append((here[at_side], here[~at_side], here))
    lengths = tuple(len(here) for *_, here in axes)
    found = []
    for axis, (at_side, *_) in enumerate(axes):  # not at a side of axes before this one
        inner, behind = [a[1] for a in axes[:axis]], [a[2] for a in axes[axis + 1 :]]
        found.append(np.ravel_multi_index(np.ix_(*inner, at_side, *behind), lengths).reshape(-1))
    return np.sort(np.concatenate(found))


def in_image(places, start, stop, frame):
    """Flat indices in the image of those within a box, and their coordinates."""
    lengths = tuple(b - a for a, b in zip(start, stop, strict=True))
    at = np.unravel_index(places, lengths)
    at = tuple(i + first for i, first in zip(at, start, strict=True))
    return np.ravel_multi_index(at, frame.shape), at


def pairs(names, at, frame):
    """Numbers of those of some pixels that are neighbours, in two rows for each of the offsets.

    Parameters
    ----------
    names : numpy.ndarray
        Flat indices in the image.
    at : tuple of numpy.ndarray
        Coordinates.
    frame : Frame
    """
    order = np.argsort(names)
    rising = names[order]
    for offset in frame.offsets:
        there = [i + step for i, step in zip(at, offset, strict=True)]
        inside = np.logical_and.reduce(
            [(i >= 0) & (i < n) for i, n in zip(there, frame.shape, strict=True)]
        )
        wanted = np.ravel_multi_index([i[inside] for i in there], frame.shape)
        places = np.minimum(np.searchsorted(rising, wanted), len(rising) - 1)
        is_there = rising[places] == wanted
        yield np.stack([np.flatnonzero(inside)[is_there], order[places[is_there]]])


def neighbours(offsets):
    """For each offset the slices of pixels that have such a neighbour, and of these neighbours."""
    for offset in offsets:
        yield tuple(
            tuple(slice(max(o, 0), min(o, 0) or None) for o in each)
            for each in ([-o for o in offset], offset)
        )
