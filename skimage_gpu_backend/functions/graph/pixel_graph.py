"""skimage.graph.pixel_graph, equal to the last bit."""

import functools
import math

import numpy as np
from scipy import ndimage as ndi
from scipy import sparse

from ...device import c_name, launch
from ...device.dtypes import C_NAMES, code
from ...devices import to_host, xp
from ...plan import Declined, Invalid, Plan
from ...primitives.arguments import is_finite, is_real
from ...primitives.boundaries import MOST_AXES, lattice

_SOURCE = "graph/pixels.cu"
_BLOCK = 256  # THREADS in the kernels
_INNER = 3  # axes whose steps a way always has a digit for
_INT, _LONG = np.dtype(np.int32), np.dtype(np.int64)


def pixel_graph(
    image, *, mask=None, edge_function=None, connectivity=1, spacing=None, sparse_type="matrix"
):
    """Graph of neighbouring pixels, a sparse matrix: `skimage.graph.pixel_graph`.

    2 launches and a few of CuPy's, which add up how many pixels and edges there are before each
    pixel. The mask is read twice, 8 bytes a pixel are written twice and read, then the edges, which
    come to the host, 16 bytes each. The matrix is SciPy's.
    """
    if edge_function is not None:
        raise Declined(
            "edge_function is a Python function, which no kernel calls; leave it out, which "
            "changes the result"
        )
    if image.ndim == 0 or image.size == 0:
        raise Declined("image has no axes, or no elements; nothing to change")
    if image.ndim > MOST_AXES:
        raise Declined(f"image has {image.ndim} axes; give one of up to {MOST_AXES}")
    if image.dtype.name not in C_NAMES or image.dtype.char == "e":
        raise Declined(f"image is {image.dtype}; give image.astype(numpy.float32)")
    if mask is not None:
        if not isinstance(getattr(mask, "dtype", None), np.dtype) or mask.dtype.kind != "b":
            raise Declined("mask is not an array of booleans; give mask.astype(bool)")
        if mask.shape != image.shape:
            raise Declined("mask has another shape than image; give one of its shape")
    if not isinstance(sparse_type, str) or sparse_type not in ("matrix", "array"):
        raise Invalid("sparse_type is unknown; give 'matrix' or 'array'")
    if not is_real(connectivity) or math.isnan(connectivity):
        raise Declined("connectivity is not a number; give an integer, as 1")
    steps = int(min(max(connectivity, 1), image.ndim))
    distances = _distances(image.ndim, steps, _spacing(spacing, image.ndim))
    return Plan(functools.partial(_run, steps, distances, sparse_type))


def _spacing(spacing, axes):
    """Distances of pixels along each axis."""
    if spacing is None:
        return np.ones(axes)
    is_row = isinstance(spacing, list | tuple) or (
        isinstance(spacing, np.ndarray) and spacing.ndim == 1
    )
    if not is_row or len(spacing) != axes:
        raise Declined("spacing has no number for each axis; give so many, as a tuple")
    if not all(map(is_finite, spacing)) or np.asarray(spacing).dtype.kind not in "biuf":
        raise Declined("spacing is not of finite numbers; give such numbers, as 0.5")
    return np.asarray(spacing)


def _distances(axes, steps, spacing):
    """The distance that each way of graph/ways.cuh leads; NaN where none is."""
    footprint = ndi.generate_binary_structure(axes, steps)
    offsets = np.argwhere(footprint) - 1
    with np.errstate(all="ignore"):
        found = np.sqrt(np.sum((offsets * spacing) ** 2, axis=1))
    is_way = offsets.any(axis=1)
    if not (np.isfinite(found[is_way]).all() and (found[is_way] > 0).all()):
        raise Declined("spacing makes distances that are 0 or not finite; give other numbers")
    ways = np.full((3,) * axes, np.nan)
    ways[footprint] = found
    table = ways.reshape((1,) * max(_INNER - axes, 0) + ways.shape)
    # of axes that the image lacks only the step in the middle is taken
    widths = [(int(length == 1),) * 2 for length in table.shape]
    return np.pad(table, widths, constant_values=np.nan)


def _run(steps, distances, sparse_type, image, mask=None):
    image = xp.ascontiguousarray(image)
    if mask is None:
        mask = image if image.dtype.kind == "b" else xp.ones(image.shape, bool)
    mask = xp.ascontiguousarray(mask)
    index = _INT if image.size < 2**31 else _LONG
    where = (mask, index.type(image.size), lattice(image.shape, index), np.int32(steps))
    degrees = xp.empty(image.size, _LONG)
    size = {"work": image.size, "block": _BLOCK}
    launch(_SOURCE, f"degrees<{c_name(index)}>", (*where, degrees), **size)
    numbers, ends = xp.cumsum(mask.ravel(), dtype=_LONG), xp.cumsum(degrees)
    nodes = xp.flatnonzero(mask.ravel())
    count, edges = len(nodes), int(to_host(ends[-1]))
    if not count:
        raise Declined("mask has no pixel; give one that has some")
    column = _columns() if max(count, edges) < 2**31 else _LONG
    columns, weights = xp.empty(edges, column), xp.empty(edges)
    told = xp.zeros(1, "uint32")
    args = (image, code(image.dtype), *where, numbers, ends, xp.asarray(distances.ravel()))
    kernel = f"edges<{c_name(index)}, {c_name(column)}>"
    launch(_SOURCE, kernel, (*args, columns, weights, told), **size)
    if to_host(told)[0]:
        raise Declined(
            "image has differences that are not finite, which NumPy may warn of; give an image of "
            "smaller values"
        )
    starts = np.concatenate([np.zeros(1, column), to_host(ends[nodes].astype(column))])
    graph = sparse.csr_array((to_host(weights), to_host(columns), starts), shape=(count, count))
    return sparse.csr_matrix(graph) if sparse_type == "matrix" else graph, nodes


@functools.cache
def _columns():
    """The dtype in which SciPy has the columns of a matrix that is made of few rows and columns."""
    places = np.zeros(1, np.intp)
    return sparse.csr_array((np.ones(1), (places, places)), shape=(1, 1)).indices.dtype


def specializations():
    """Every (source, expression) that these functions launch."""
    for index in ("int", "long long"):
        yield _SOURCE, f"degrees<{index}>"
        for column in ("int", "long long"):
            yield _SOURCE, f"edges<{index}, {column}>"
