"""Groups of pixels that are joined along edges, and by how many turns pixels differ in them."""

import numpy as np

from ...device import launch
from ...device.rounds import rounds
from ...devices import xp
from ...primitives.max_trees import MaxTree, to_roots

_SOURCE = "restoration/unwrap_groups.cu"
_BLOCK = 256
_HOPS = 32  # in unwrap_groups.cu
_MOST_ROUNDS = 32  # each at least halves the groups
_TOGETHER = 4  # rounds until the host looks whether there is more to do
KERNELS = "lightest", "hook", "jump", "relabel", "nodes", "propose", "heavier", "head_of"


def joined(image, edges, grid):
    """Offsets of pixels from any one of them, in int32, and which edges joined two groups.

    Parameters
    ----------
    image : cupy.ndarray
        In float64.
    edges : cupy.ndarray
        In int32, the most reliable ones first.
    grid : numpy.void
        The struct of kernels/restoration/phases.cuh.
    """
    n, passes = image.size, 1
    while (_HOPS + 1) ** passes < n:
        passes += 1
    groups, offsets = xp.arange(n, dtype="int32"), xp.zeros(n, "int32")
    best, links = xp.full(n, 2**32 - 1, "uint32"), xp.empty(n, "uint64")
    tree, more = xp.zeros(edges.size, "int32"), xp.zeros(_MOST_ROUNDS + _TOGETHER, "int32")
    for number, _ in zip(range(_MOST_ROUNDS + _TOGETHER), rounds(), strict=False):
        turn, moved = np.int32(number), xp.zeros(passes, "int32")
        _launch("lightest", (edges, grid, groups, turn, more, best), edges.size)
        hooked = image, edges, grid, groups, offsets, best, turn, more, links, tree
        _launch("hook", hooked, n)
        for step in range(passes):
            _launch("jump", (groups, n, turn, np.int32(step), more, moved, links), n)
        _launch("relabel", (links, n, turn, more, groups, offsets, best), n)
        if (number + 1) % _TOGETHER == 0 and not int(more[number]):
            break
    return offsets, tree


def head(edges, tree, grid):
    """The pixel that is never moved, in an array of one int32."""
    pixels = int(grid["pixels"])
    nodes = xp.empty(pixels - 1, "int32")
    sums = xp.cumsum(tree, dtype="int32")
    _launch("nodes", (edges, tree, sums, grid, nodes), edges.size)
    joins = _Joins(nodes, grid)
    sizes = joins.sizes()
    links, result = xp.empty(joins.n, "int32"), xp.empty(1, "int32")
    _launch("heavier", (nodes, grid, joins.above, sizes, links), joins.n)
    _launch("head_of", (to_roots(links), pixels - 1, result), 1)
    return result


class _Joins(MaxTree):
    """The tree of joins: its ranks are nodes, the last join first, and behind them pixels."""

    def __init__(self, nodes, grid):
        self._joins, self._grid = nodes, grid
        super().__init__(xp.arange(2 * nodes.size + 1, dtype="uint32"), None)

    def _propose(self, ranks, components, around, turn, more, passes):
        _launch(
            "propose", (self._joins, self._grid, components, turn, more, passes), self._joins.size
        )

    def sizes(self):
        """Of each node the number of its pixels."""
        values = xp.zeros(self.n, "int32")
        values[self._joins.size :] = 1
        return self._added_up("Area", values)

    @property
    def above(self):
        """Of each node its parent."""
        return self._parents


def _launch(kernel, args, work):
    launch(_SOURCE, kernel, args, work=work, block=_BLOCK)
