"""skimage.graph: graphs of the regions that touch each other, equal to scikit-image's.

The graph is NetworkX's, and on the host: nodes, edges and what they have come in scikit-image's
order, with its types. The regions are numbered in 3 launches and a few of CuPy's, which read the
labels three times (`primitives/unique.py`).
"""

import functools
import math

import numpy as np
from scipy import sparse

from ...device.dtypes import C_NAMES
from ...devices import to_host, xp
from ...plan import Declined, Invalid, Plan
from ...primitives.adjacency import Adjacency
from ...primitives.arguments import is_real, refuse_but_arrays
from ...primitives.boundaries import MOST_AXES
from ...primitives.unique import Values

_COLORS = 3
_EXACT = 2**53  # up to which SciPy's filters keep integers apart


def rag_mean_color(image, labels, connectivity=2, mode="distance", sigma=255.0):
    """Graph of regions by their mean colors: `skimage.graph.rag_mean_color`.

    Two launches find the pairs of regions that touch, 4 and a sort list their runs, a launch
    adds up their colors in scikit-image's order. Regions are read by the first two, and image and
    order once; the pairs, and a sum for each region, come to the host, which makes the graph.

    Notes
    -----
    The result is a NetworkX graph on the host. Its attributes are NumPy arrays and scalars, also
    for CuPy images.
    """
    refuse_but_arrays(labels=labels)
    steps = _steps(labels, connectivity)
    refuse_but_arrays(image=image)
    channels = image.shape[labels.ndim :]
    if image.shape[: labels.ndim] != labels.shape:
        raise Declined("image has another shape than labels; give one of its shape, and channels")
    if channels not in ((), (1,), (_COLORS,)):
        raise Invalid("image has other than 1 or 3 channels; give so many")
    if image.dtype.name not in C_NAMES:
        raise Declined("image has a dtype that kernels do not take; give image.astype(float)")
    if not isinstance(mode, str) or mode not in ("distance", "similarity"):
        raise Invalid("mode is neither 'distance' nor 'similarity'; give one of them")
    if mode == "similarity" and not is_real(sigma):
        raise Declined("sigma is not a number; give one, as 255.0")
    return Plan(functools.partial(_colored, steps, mode, sigma))


def rag_boundary(labels, edge_map, connectivity=2):
    """Graph of regions by what lies along their boundaries: `skimage.graph.rag_boundary`.

    A launch finds the least and the largest region around each pixel; regions are read once, 8
    bytes a pixel are written. CuPy picks the pixels at boundaries and their values, which come to
    the host: there they are added up, and make the graph.

    Notes
    -----
    The result is a NetworkX graph on the host. Its attributes are NumPy arrays and scalars, also
    for CuPy images.
    """
    refuse_but_arrays(labels=labels, edge_map=edge_map)
    steps = _steps(labels, connectivity)
    if labels.dtype.kind == "b":
        raise Declined("labels are booleans; give labels.astype(int)")
    if edge_map.shape != labels.shape:
        raise Invalid("edge_map has another shape than labels; give one of its shape")
    if edge_map.dtype.kind != "f":
        raise Invalid("edge_map is not of floats; give edge_map.astype(float)")
    return Plan(functools.partial(_bounded, steps))


def _steps(labels, connectivity):
    """How many steps along axes lead to a neighbour at most."""
    if labels.ndim == 0 or labels.size == 0:
        raise Declined("labels have no axes, or no elements; nothing to change")
    if labels.ndim > MOST_AXES:
        raise Declined(f"labels have {labels.ndim} axes; give an image of up to {MOST_AXES}")
    if labels.dtype.kind not in "biu":
        raise Declined(f"labels are {labels.dtype}; give integers, as of labels.astype(int)")
    if not is_real(connectivity) or math.isnan(connectivity):
        raise Declined("connectivity is not a number; give an integer, as 2")
    return int(min(max(connectivity, 1), labels.ndim))


def _adjacency(labels, steps):
    """What touches what, and the label of each region, on the host."""
    found = Values(labels)
    if found.low < -_EXACT or found.high > _EXACT:
        raise Declined(
            "labels are beyond 2**53, where scikit-image mixes them up; give smaller ones, as by "
            "skimage.segmentation.relabel_sequential, which changes the result"
        )
    if len(found.values) < 2:
        raise Declined("labels are all the same, so that nothing touches; nothing to change")
    return Adjacency(found, steps), to_host(found.values)


def _colored(steps, mode, sigma, image, labels):
    from skimage.graph import RAG

    adjacency, names = _adjacency(labels, steps)
    names = names.astype(np.int64)
    channels = image.shape[labels.ndim :]
    totals = adjacency.totals(image if channels else image[..., xp.newaxis])
    if not np.isfinite(totals).all():
        raise Declined(
            "image has sums of regions that are not finite, which NumPy may warn of; give an image "
            "of finite values"
        )
    graph = RAG()
    for edge in names[adjacency.pairs()]:
        graph.add_edge(*edge)
    rows = dict(zip(names.tolist(), range(len(names)), strict=True))
    for name, node in graph.nodes(data=True):
        row = rows[int(name)]
        total = np.broadcast_to(totals[row], _COLORS).copy()
        count = int(adjacency.sizes[row])
        node |= {"labels": [name], "pixel count": count, "total color": total}
        node["mean color"] = total / count
    for first, second, edge in graph.edges(data=True):
        difference = graph.nodes[first]["mean color"] - graph.nodes[second]["mean color"]
        distance = np.linalg.norm(difference)
        is_distance = mode == "distance"
        edge["weight"] = distance if is_distance else math.e ** (-(distance**2) / sigma)
    return graph


def _bounded(steps, labels, edge_map):
    from skimage.graph import RAG

    adjacency, names = _adjacency(labels, steps)
    if names[0] < 0:
        raise Declined("labels have some below 0; give labels from 0 on")
    regions = adjacency.regions.ravel()
    least, largest = (each.ravel() for each in adjacency.ends())
    above, below = (xp.flatnonzero(each != regions) for each in (least, largest))
    places = xp.concatenate([above, below])
    lesser = to_host(xp.concatenate([least[above], regions[below]]))
    larger = to_host(xp.concatenate([regions[above], largest[below]]))
    values = to_host(xp.ascontiguousarray(edge_map).ravel()[places])
    weights, counts = _means(names[lesser], names[larger], values)
    graph = RAG()
    graph.add_weighted_edges_from(_triples(weights), weight="weight")
    graph.add_weighted_edges_from(_triples(counts), weight="count")
    for name, node in graph.nodes(data=True):
        node["labels"] = [name]
    return graph


def _means(lesser, larger, values):
    """Means and numbers of the values of each pair of labels, added in scikit-image's order."""
    length = np.max(larger) + 1
    ones = np.broadcast_to(1.0, lesser.shape)
    counts = sparse.csr_array((ones, (lesser, larger)), dtype=int, shape=(length, length))
    means = sparse.csr_array((values, (lesser, larger)))
    means.data /= counts.data
    return means, counts


def _triples(matrix):
    """Rows, columns and values of a sparse matrix, one after the other, of scikit-image's types."""
    starts, columns, values = matrix.indptr, matrix.indices, matrix.data
    for row in range(matrix.shape[0]):
        for place in range(starts[row], starts[row + 1]):
            yield row, columns[place], values[place]
