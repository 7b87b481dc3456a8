"""The max-tree of an image on the device, and images that are filtered by it."""

import functools
import math

import numpy as np

from ..device import c_name, launch, resident_blocks
from ..device.dtypes import C_NAMES
from ..device.rounds import rounds
from ..devices import argsort, xp
from ..trouble import Declined
from .components import INT, MOST_AXES, volumes_of

MOST_PIXELS = 2**31 - 1
__all__ = ["MOST_AXES", "MOST_PIXELS", "GivenTree", "MaxTree", "specializations"]
_TREE, _ATTRIBUTES = "morphology/max_tree.cu", "morphology/tree_attributes.cu"
_GIVEN = "morphology/given_tree.cu"
_BLOCK = 256
_MOST_ROUNDS = 32  # each at least halves the components
_TOGETHER = 4  # rounds until the host looks whether there is more to do
_HOPS = 32  # in max_tree.cu
_RUN_BYTES = {"Area": 8, "Extent": 12}
_SUMS = ("sum_chains", "scan_chains", "climb")


class MaxTree:
    """The tree, by the ranks of pixels.

    4 launches, 3 a round, for four rounds at least, and a few that follow pointers; CuPy sorts
    twice, values and then keys of 8 bytes. Every four rounds 4 bytes come to the host.

    Parameters
    ----------
    image : cupy.ndarray
        Not empty, of a dtype of `C_NAMES` but float16.
    around : numpy.void
        Neighbours of a pixel, the struct of common/neighbours.cuh.

    Attributes
    ----------
    order : cupy.ndarray
        Pixels by rank, in int64.
    rounds : int
        That it took until all components were one, or none had a neighbour.
    """

    def __init__(self, image, around):
        self.image = image = xp.ascontiguousarray(image)
        self.n = n = image.size
        if image.dtype.kind == "b":
            image = image.view("u1")
        self.order = order = argsort(sortable(image).ravel())
        ranks, components = xp.empty(n, "int32"), xp.empty(n, "int32")
        _tree("begin", (order, n, ranks, components), n)
        chains, below = xp.zeros(n, "uint64"), xp.empty(n, "int32")
        self.rounds = self._join(ranks, components, around, chains, below)
        last = self.rounds + 1
        _tree("close", (ranks, components, n, np.int32(last), chains, below), n)
        del ranks, components
        self._places = argsort(chains)
        self._parents, plateaus = xp.empty(n, "int32"), xp.empty(n, "int32")
        self._heads, self._starts = xp.empty(n, "bool"), xp.empty(last + 2, "int32")
        kernel = f"connect<{c_name(_compared(image.dtype))}>"
        sources = (image.view(_compared(image.dtype)), order, self._places, chains, below, n)
        results = (self._parents, plateaus, self._heads, self._starts)
        _tree(kernel, (*sources, np.int32(last), *results), n)
        self._plateaus = to_roots(plateaus)

    def _join(self, ranks, components, around, chains, below):
        """Unite components until none has a neighbour; the number of rounds."""
        n = self.n
        more, passes = xp.zeros(_MOST_ROUNDS + _TOGETHER + 1, "int32"), xp.zeros(n, "uint64")
        for number, _ in zip(range(1, _MOST_ROUNDS + _TOGETHER + 1), rounds(), strict=False):
            turn = np.int32(number)
            joined = (self.order, ranks, passes, n, turn, more, components, chains, below)
            self._propose(ranks, components, around, turn, more, passes)
            _tree("join", joined, n)
            _tree("flatten", (n, turn, more, components, passes), n)
            if number % _TOGETHER == 0 and not int(more[number]):
                break
        return int(more.sum())

    def _propose(self, ranks, components, around, turn, more, passes):
        volumes, _ = volumes_of(self.image.shape, 1, INT)
        _tree("propose", (ranks, components, self.n, volumes, around, turn, more, passes), self.n)

    def parents(self):
        """Of each pixel its parent, the lowest pixel of a plateau, in int64."""
        result = xp.empty(self.image.shape, "int64")
        _tree("show", (self.order, self._parents, self._plateaus, self.n, result), self.n)
        return result

    def areas(self):
        """Of each rank the number of pixels at and above it, 2 launches a round."""
        return self._added_up("Area", xp.ones(self.n, "int32"))

    def extents(self):
        """Of each rank the largest side of the box around the pixels at and above it.

        2 launches a round and axis, and 2 an axis.
        """
        n, shape = self.n, self.image.shape
        result = xp.ones(n, "int32")
        for axis, length in enumerate(shape):
            spans = xp.empty((n, 2), "int32")
            _attributes("span", (self.order, math.prod(shape[axis + 1 :]), length, n, spans), n)
            _attributes("widen", (self._added_up("Extent", spans), n, result), n)
        return result

    def _added_up(self, kind, values):
        """What `values` come to from the top of the tree down, in their place."""
        n, blocks = self.n, min(-(-self.n // _BLOCK), resident_blocks(_BLOCK))
        sums = xp.empty(blocks * _RUN_BYTES[kind], "uint8")
        places = (self._places, self._heads, self._starts)
        for number in rounds(self.rounds + 1):
            turn = np.int32(number + 1)
            summed = (*places, n, turn, values, sums)
            scanned = (*places, self._parents, n, turn, sums, values)
            _attributes(f"sum_chains<{kind}>", summed, n, grid=(blocks,))
            _attributes(f"scan_chains<{kind}>", scanned, n, grid=(blocks,))
        return values

    def filtered(self, attributes, threshold):
        """The image without what has an attribute below a threshold.

        Parameters
        ----------
        attributes : cupy.ndarray
            Of ranks, in int32.
        threshold : float
        """
        n, links = self.n, xp.empty(self.n, "int32")
        lifted = (self._parents, self._plateaus, attributes, float(threshold), n, links)
        _tree("lift", lifted, n)
        links = to_roots(links)
        bits = np.dtype(f"u{self.image.dtype.itemsize}")
        result = xp.empty_like(self.image)
        sources = (self.image.view(bits), self.order, links, attributes, float(threshold), n)
        _tree(f"paint<{c_name(bits)}>", (*sources, result.view(bits)), n)
        return result

    def maxima(self):
        """Numbers of plateaus that nothing is above, from the highest one on, in uint64; else 0."""
        n, crowned, found = self.n, xp.zeros(self.n, "bool"), xp.empty(self.n, "int32")
        compared = _compared(self.image.dtype)
        tree = (self._parents, self._plateaus)
        crowning = (self.image.view(compared), self.order, *tree, n, crowned)
        _tree(f"crown<{c_name(compared)}>", crowning, n)
        _tree("tops", (*tree, crowned, n, found), n)
        result = xp.empty(self.image.shape, "uint64")
        numbers = xp.cumsum(found, dtype="int32")
        _tree("number", (self.order, *tree, crowned, numbers, n, result), n)
        return result


class GivenTree(MaxTree):
    """A tree that is given, whatever image it is of.

    2 launches; areas take 1 more, extents 3 an axis. 8 bytes come to the host.

    Parameters
    ----------
    image : cupy.ndarray
        As of `MaxTree`, of any shape.
    parent, tree_traverser : cupy.ndarray
        In int64, of as many elements as the image; as scikit-image has them.

    Raises
    ------
    Declined
        They are no tree.
    """

    def __init__(self, image, parent, tree_traverser):
        self.image = image = xp.ascontiguousarray(image)
        self.n = n = image.size
        self.order = order = xp.ascontiguousarray(tree_traverser)
        ranks, told = xp.full(n, -1, "int32"), xp.zeros(2, "int32")
        _given("rank_pixels", (order, n, ranks), n)
        self._parents, self._plateaus = xp.empty(n, "int32"), xp.empty(n, "int32")
        self._children = xp.zeros(n, "int32")
        compared = _compared(image.dtype)
        sources = (image.view(compared), order, xp.ascontiguousarray(parent), ranks, n)
        results = (self._parents, self._plateaus, self._children, told)
        _given(f"link_ranks<{c_name(compared)}>", (*sources, *results), n)
        is_wrong, self._is_loose = map(bool, xp.asnumpy(told))
        if is_wrong:
            raise Declined("parent and tree_traverser are no tree; give those of max_tree")

    def _added_up(self, kind, values):
        n, arrived = self.n, xp.zeros(self.n, "int32")
        _attributes(f"climb<{kind}>", (self._parents, self._children, n, arrived, values), n)
        return values

    def maxima(self):
        """As of `MaxTree`.

        Raises
        ------
        Declined
            Pixels of a plateau are not all children of its lowest one.
        """
        if self._is_loose:
            raise Declined("parent is not that of max_tree(image); give that, or none")
        return super().maxima()


def sortable(image):
    """Integers that are sorted as NumPy sorts the image's values."""
    if image.dtype.kind != "f":
        return image
    keys = xp.empty(image.shape, f"u{image.dtype.itemsize}")
    _tree(f"sort_keys<{c_name(image.dtype)}>", (image, image.size, keys), image.size)
    return keys


def to_roots(links):
    """Pointers, each to the root that it leads to, in their place."""
    passes = 1
    while (_HOPS + 1) ** passes < links.size:
        passes += 1
    moved = xp.zeros(passes, "int32")
    for number in range(passes):
        _tree("jump", (links.size, np.int32(number), moved, links), links.size)
    return links


def _compared(dtype):
    """The dtype that tells equal values as `dtype` does."""
    return dtype if dtype.kind == "f" else np.dtype(f"u{dtype.itemsize}")


def _tree(kernel, args, work):
    launch(_TREE, kernel, args, work=work, block=_BLOCK)


def _given(kernel, args, work):
    launch(_GIVEN, kernel, args, work=work, block=_BLOCK)


def _attributes(kernel, args, work, grid=None):
    launch(_ATTRIBUTES, kernel, args, work=work, block=_BLOCK, grid=grid)


@functools.cache
def specializations():
    """Every (source, expression) that this module launches."""
    tree = ["begin", "propose", "join", "flatten", "close", "jump", "show", "lift"]
    tree += ["tops", "number"]
    dtypes = [np.dtype(name) for name in C_NAMES if name != "float16"]
    tree += [f"sort_keys<{c_name(dtype)}>" for dtype in dtypes if dtype.kind == "f"]
    given = ["rank_pixels"]
    for dtype in dict.fromkeys(map(_compared, dtypes)):
        tree += [f"connect<{c_name(dtype)}>", f"crown<{c_name(dtype)}>"]
        given += [f"link_ranks<{c_name(dtype)}>"]
    tree += [f"paint<{C_NAMES[f'uint{bits}']}>" for bits in (8, 16, 32, 64)]
    scans = [f"{name}<{kind}>" for name in _SUMS for kind in _RUN_BYTES]
    scans += ["span", "widen"]
    files = {_TREE: tree, _GIVEN: given, _ATTRIBUTES: scans}
    return [(source, each) for source, kernels in files.items() for each in kernels]
