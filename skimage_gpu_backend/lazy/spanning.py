"""Widest paths in graphs: how high a level gets to each node, and graphs of fewer nodes.

A path is as wide as the narrowest of its edges. A spanning forest of the widest edges has a widest
path between any two nodes (Hu, "The maximum capacity route problem", Operations Research 9, 1961),
so that no more edges than nodes are kept of any graph.
"""

from typing import NamedTuple

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import breadth_first_order, minimum_spanning_tree


class Edges(NamedTuple):
    """Edges of a graph, both ways.

    Attributes
    ----------
    ends : numpy.ndarray
        Numbers of nodes, in two rows.
    widths : numpy.ndarray
    """

    ends: np.ndarray
    widths: np.ndarray


def together(*several):
    """All edges of several graphs of the same nodes."""
    return Edges(*(np.concatenate(each, axis=-1) for each in zip(*several, strict=True)))


def forest(edges, count):
    """The edges of a widest spanning forest of `count` nodes; between two nodes there may be more.

    No edge leads from a node to itself.
    """
    order = np.argsort(edges.widths)[::-1]
    ends = np.sort(edges.ends[:, order], axis=0).astype(np.int64)
    _, first = np.unique(ends[0] * count + ends[1], return_index=True)
    ranks = coo_array((first + 1.0, ends[:, first]), (count, count))
    kept = order[minimum_spanning_tree(ranks.tocsr()).data.astype(np.int64) - 1]
    return Edges(edges.ends[:, kept], edges.widths[kept])


def spread(edges, levels):
    """How high levels get where each goes along all edges, up to their widths.

    Returns
    -------
    numpy.ndarray
        For each node the largest of ``min(levels[i], width)`` of a path from any node i.
    numpy.ndarray
        Such a node i.
    """
    source = len(levels)  # one node more, with an edge as wide as its level to each
    nodes = np.arange(source, dtype=edges.ends.dtype)
    given = Edges(np.stack([np.full_like(nodes, source), nodes]), levels)
    tree = forest(together(edges, given), source + 1)
    one, other = tree.ends
    graph = coo_array((np.ones(source), tree.ends), (source + 1,) * 2).tocsr()
    _, before = breadth_first_order(graph, source, directed=False)
    before[source] = source
    below = np.where(before[one] == other, one, other)
    found = np.full(source + 1, np.inf, levels.dtype)
    found[below] = tree.widths
    numbers = np.arange(source + 1)
    first = np.where(before == source, numbers, before)
    while (before != source).any():  # twice as far up the tree each time
        np.minimum(found, found[before], out=found)
        before, first = before[before], first[first]
    return found[:source], first[:source]


def contracted(edges, nearest, widths):
    """Edges of a few of the nodes, with a widest path between any two of these among their paths.

    Parameters
    ----------
    edges : Edges
    nearest : numpy.ndarray
        For each node the number of one of the few to which its path is the widest; -1: of none.
    widths : numpy.ndarray
        Of these paths.
    """
    one, other = edges.ends
    ends = nearest[edges.ends]
    crossing = (ends[0] != ends[1]) & (ends.min(axis=0) >= 0)
    width = np.minimum(np.minimum(widths[one], widths[other]), edges.widths)[crossing]
    return Edges(ends[:, crossing], width)
