"""`feature.local_binary_pattern` of Dask arrays, by chunks that know their place in the image.

A neighbour's place is a sum of floats, rounded otherwise far from the first row than near it. So a
chunk's call is no ordinary one: the kernel, and the host, are told where the chunk begins.
"""

import math
from functools import partial
from itertools import accumulate

import numpy as np

from .._warn import warn_caller
from ..functions.feature.local_binary_pattern import UNSTABLE, circle_of, plan_at
from ..plan import Reach
from .graph import Graph
from .measured import measured


def local_binary_pattern(call):
    """An image of the neighbours on a circle compared with each pixel."""
    (image,) = call.images
    if image.dtype.kind == "f":
        warn_caller(UNSTABLE, UserWarning)
    reach = Reach((math.ceil(abs(float(call.options["R"]))) + 1,) * 2)
    graph = Graph([image], reach, call.task(call.name, ("image",), **call.options))
    return graph.by_blocks(_patterns, dtype=np.dtype(np.float64))


def _patterns(block, task, axes, block_id):
    own, place = [], []
    for axis, number in zip(axes, block_id, strict=True):
        own.append(axis.core(number))
        place.append((0, *accumulate(axis.chunks))[number] - own[-1].start)
    options = task.kwargs

    def plan_of(plan):
        return plan_at(block, place, **options)

    found = measured((block,), task, plan_of, partial(_on_host, place=place, **options))
    return found[tuple(own)]


def _on_host(image, place, P, R, method):
    """As scikit-image has them, of an image that begins at `place`."""
    values = image.astype(np.float64)
    found = _Found(values.shape, int(P), method.lower())
    for number, steps in enumerate(zip(*circle_of(int(P), float(R)), strict=True)):
        found.add(number, _at_neighbours(values, place, steps), values)
    return found.numbers()


def _at_neighbours(image, place, steps):
    """Each pixel's neighbour some steps away, between pixels; 0 beyond the borders."""
    before, behind, share = zip(*map(_between, image.shape, place, steps), strict=True)
    padded = np.pad(image, 1)

    def corner(rows, columns):
        return padded[np.ix_(rows, columns)]

    down, across = share[0][:, np.newaxis], share[1]
    top = (1 - across) * corner(before[0], before[1]) + across * corner(before[0], behind[1])
    bottom = (1 - across) * corner(behind[0], before[1]) + across * corner(behind[0], behind[1])
    return (1 - down) * top + down * bottom


def _between(length, start, step):
    """Indices into the padded image along an axis, before and behind, and how far between."""
    places = (start + np.arange(length)).astype(np.float64) + step
    before = np.floor(places)
    both = (np.clip(ends - start, -1, length) + 1 for ends in (before, np.ceil(places)))
    return *(ends.astype(np.intp) for ends in both), places - before


class _Found:
    """What is seen of the neighbours of all pixels while going around the circle."""

    def __init__(self, shape, points, method):
        self._points, self._method = points, method
        self._sum, self._squares = np.zeros(shape), np.zeros(shape)
        self._bits = np.zeros(shape, np.int32)
        self._ones, self._changes = np.zeros(shape, np.int32), np.zeros(shape, np.int32)
        self._first = {kind: np.full(shape, -1, np.int32) for kind in (False, True)}
        self._before = None

    def add(self, number, values, image):
        """A neighbour of each pixel."""
        if self._method == "var":
            self._sum += values
            self._squares += values * values
            return
        with np.errstate(invalid="ignore"):
            is_one = values - image >= 0
        if number < 32:
            self._sum += is_one * float(np.uint32(1 << number).view(np.int32))
            self._bits |= np.where(is_one, np.uint32(1 << number).view(np.int32), np.int32(0))
        if number:
            self._changes += is_one != self._before
        for kind, first in self._first.items():
            first[(is_one == kind) & (first < 0)] = number
        self._ones += is_one
        self._before = is_one

    def numbers(self):
        """The result's for each pixel."""
        points = self._points
        if self._method == "var":
            with np.errstate(invalid="ignore", over="ignore"):
                found = (self._squares - self._sum * self._sum / points) / points
            return np.where(found != 0, found, np.nan)
        if self._method == "default":
            return self._sum
        if self._method == "ror":
            return self._least_rotation().astype(np.float64)
        if self._method == "uniform":
            return np.where(self._changes <= 2, self._ones, points + 1).astype(np.float64)
        first = self._first
        rotations = np.where(first[True] == 0, self._ones - first[False], points - first[True])
        found = 1 + (self._ones - 1) * points + rotations
        found[self._ones == 0] = 0
        found[self._ones == points] = points * (points - 1) + 1
        found[self._changes > 2] = points * (points - 1) + 2
        return found.astype(np.float64)

    def _least_rotation(self):
        least = pattern = self._bits
        for _ in range(1, self._points):
            pattern = pattern >> 1 | (pattern & 1) << (self._points - 1)
            least = np.minimum(least, pattern)
        return least
