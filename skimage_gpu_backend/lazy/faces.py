"""Faces of chunks, by which regions that were found chunk by chunk are joined.

Neighbouring chunks become boxes, and boxes larger boxes, in a tree: a box keeps one layer of
pixels of each of its sides, and the pairs of regions that touch within. Edges and corners of chunks
lie inside the sides of boxes, so diagonal neighbours need nothing of their own.
"""

import itertools
from typing import NamedTuple

import numpy as np


class Chunk(NamedTuple):
    """The regions of one chunk, the background first.

    Attributes
    ----------
    number : int
        Of the chunk, in C order.
    names : numpy.ndarray
        Of each region: 1 + index of its first pixel in the whole image, in C order; 0 for the
        background.
    columns : tuple of numpy.ndarray
        What is known of each region.
    """

    number: int
    names: np.ndarray
    columns: tuple


class Box(NamedTuple):
    """Neighbouring chunks that have been joined.

    Attributes
    ----------
    low, high : tuple
        For each axis the box's first and last layer: arrays of the regions' names and, where
        pixels of a region are to be equal, of the pixels. None at the image's border.
    pairs : list of numpy.ndarray
        Names of regions that touch.
    chunks : list of Chunk
    """

    low: tuple
    high: tuple
    pairs: list
    chunks: list


def layers(pixels, inner):
    """First and last layer of `pixels` along each axis, as `Box` has them.

    Parameters
    ----------
    pixels : tuple of numpy.ndarray
    inner : list of tuple of bool
        For each axis: whether there is a neighbour before and one behind.
    """

    def layer(axis, place):
        return tuple(np.take(array, [place], axis) for array in pixels)

    low = tuple(layer(a, 0) if before else None for a, (before, _) in enumerate(inner))
    high = tuple(layer(a, -1) if behind else None for a, (_, behind) in enumerate(inner))
    return low, high


def boxed(parts, axis, keepdims, steps):
    """The box that boxes in nested lists make, as Dask gives them to a reduction.

    Parameters
    ----------
    parts : Box or list
        Nested to the depth of the image's axes.
    steps : int
        Neighbours differ along at most so many axes; 0: there are no layers.
    """
    return _along(parts, 0, steps)


def _along(parts, axis, steps):
    if type(parts) is not list:
        return parts
    return _beside([_along(part, axis + 1, steps) for part in parts], axis, steps)


def _beside(boxes, axis, steps):
    if len(boxes) == 1:
        return boxes[0]
    found = [
        touching(a.high[axis], b.low[axis], axis, steps - 1)
        for a, b in itertools.pairwise(boxes)
        if steps
    ]
    low, high = (
        [_side([getattr(box, side)[a] for box in boxes], axis, a) for a in range(len(boxes[0].low))]
        for side in ("low", "high")
    )
    low[axis], high[axis] = boxes[0].low[axis], boxes[-1].high[axis]
    pairs = found + [pairs for box in boxes for pairs in box.pairs]
    chunks = [chunk for box in boxes for chunk in box.chunks]
    return Box(tuple(low), tuple(high), pairs, chunks)


def _side(faces, axis, across):
    """The layer across an axis of boxes that lie along `axis`."""
    if axis == across or faces[0] is None:
        return None
    return tuple(np.concatenate(arrays, axis) for arrays in zip(*faces, strict=True))


def touching(face, other, axis, steps):
    """Pairs of names of two faces whose pixels are neighbours and equal; each pair once.

    Parameters
    ----------
    face, other : tuple of numpy.ndarray
        Names and, where they count, pixels, one element long along `axis`.
    steps : int
        Neighbours differ along at most so many of the other axes.
    """
    found = [np.empty((0, 2), np.int64)]
    ranges = [(0,) if a == axis else (-1, 0, 1) for a in range(face[0].ndim)]
    for offsets in itertools.product(*ranges):
        if sum(map(abs, offsets)) > steps:
            continue
        here, there = (
            tuple(slice(max(o, 0), min(o, 0) or None) for o in each)
            for each in (offsets, [-o for o in offsets])
        )
        (names, *pixels), (their, *others) = ([v[here] for v in face], [v[there] for v in other])
        same = (names > 0) & (their > 0)
        for one, two in zip(pixels, others, strict=True):
            same &= one == two
        pairs = np.stack([names[same], their[same]], axis=-1)
        # neighbours along a line are mostly of the same pair: the fewer to sort
        changes = np.ones(len(pairs), bool)
        changes[1:] = (pairs[1:] != pairs[:-1]).any(axis=1)
        found.append(pairs[changes])
    return np.unique(np.concatenate(found), axis=0)
