"""`morphology.reconstruction` of Dask arrays, and `h_maxima` and `h_minima`, which are made of it.

A reconstruction by dilation is, at each pixel p, the largest of min(seed(q), w(q, p)) of all pixels
q, where w is the width of the widest path from q to p, a path being as wide as its least pixel of
the mask (Vincent, "Morphological grayscale reconstruction in image analysis", IEEE Transactions on
Image Processing 2, 1993). By erosion it is that of the negatives.

So chunks need no rounds. What comes into a chunk comes through its shell, the pixels that have
neighbours in other chunks: where each pixel t of it has its value of the whole image for seed, the
chunk's own reconstruction is the whole image's, since a path from q outside to p inside has a last
pixel t before which it was outside, and min(seed(q), w(q, p)) is min(value(t), w(t, p)) there.

These values are those of a graph of the shells: a path leads from shell to shell, in a chunk along
its pixels and then to a neighbour. Of the paths within a chunk none is needed but a widest one
between any two pixels of its shell, and a spanning tree has these. Seeds within a chunk reach its
shell as the chunk's own reconstruction says. The tree comes of a flood: let each pixel u go to that
pixel t(u) of the shell to which its path is the widest, of width b(u), and let each two neighbours
u, v be an edge from t(u) to t(v) of width min(b(u), b(v)). There is such a path, over u and v. And
where a path of width w leads from shell to shell, all b on it are at least w, so that the edges of
its steps are so, too. `spanning.contracted` is this.

Boxes of chunks are joined in a tree, as a chunk's pixels are: a box has for shell what has
neighbours outside of it, and keeps a tree of that. From the box of all, whose shell is empty, the
values come back to the boxes that it is made of, and so on to the chunks.
"""

import itertools
from functools import partial
from math import prod
from typing import NamedTuple

import numpy as np

from ..device.dtypes import float_type
from ..functions.morphology.reconstruction import footprint_and_centre
from ..trouble import Declined
from . import shells
from .chunk import on_chunk
from .join import like, on_the_host
from .spanning import Edges, contracted, forest, spread, together


class Box(NamedTuple):
    """A box of an image: what is known of its shell.

    Attributes
    ----------
    start, stop : tuple of int
        Its corners.
    heights : numpy.ndarray
        Of the mask at the pixels of the shell.
    levels : numpy.ndarray
        How high the box's own seeds get there.
    edges : spanning.Edges
        Between these pixels.
    """

    start: tuple
    stop: tuple
    heights: np.ndarray
    levels: np.ndarray
    edges: Edges


class Calls(NamedTuple):
    """What each chunk's tasks are told.

    Attributes
    ----------
    reconstruct, flood : Task
        Of `morphology.reconstruction` and `segmentation.watershed`.
    frame : shells.Frame
    sign : int
        -1 where values are lowered, by erosion.
    """

    reconstruct: tuple
    flood: tuple
    frame: shells.Frame
    sign: int


def reconstruction(call):
    """`morphology.reconstruction`."""
    seed, mask = call.images
    options = (call.options[name] for name in ("footprint", "offset"))
    return reconstructed(call, seed, mask, call.options["method"], *options)


def reconstructed(call, seed, mask, method, footprint, offset=None):
    """Dask array of the reconstruction of two others, which have the same chunks."""
    around, offsets = _neighbours(*footprint_and_centre(footprint, offset, mask.ndim))
    frame = shells.Frame(mask.shape, offsets)
    images = {"footprint": around, "method": method}
    calls = Calls(
        call.task("skimage.morphology:reconstruction", ("seed", "mask"), **images),
        call.task("skimage.segmentation:watershed", ("image", "markers"), connectivity=around),
        frame,
        -1 if method == "erosion" else 1,
    )
    dtype = np.dtype(float_type(mask.dtype))
    meta = np.empty_like(mask._meta, dtype=dtype)
    options = {"dtype": dtype, "meta": meta, "token": "reconstruction", "calls": calls}
    if not any(n > 1 and reach for n, reach in zip(mask.numblocks, frame.reach, strict=True)):
        return mask.map_blocks(_alone, seed, **options)
    boxes = mask.map_blocks(
        _boxed,
        seed,
        chunks=tuple((1,) * n for n in mask.numblocks),
        dtype=object,
        meta=np.empty((0,) * mask.ndim, object),
        token="reconstruction-chunk",
        calls=calls,
    )
    return mask.map_blocks(_raised, seed, _solved_for_chunks(boxes, frame), **options)


def _neighbours(footprint, centre):
    """A footprint around its middle, and the offsets that it has, of each two opposite ones one."""
    offsets = {tuple(map(int, at)) for at in np.argwhere(footprint) - centre}
    opposite = {tuple(-step for step in offset) for offset in offsets}
    if offsets != opposite:
        raise Declined("footprint is not symmetric; give one that is, or mask.compute()")
    nothing = (0,) * footprint.ndim
    half = tuple(sorted(offset for offset in offsets if offset > nothing)) or (nothing,)
    reach = shells.Frame((), half).reach
    around = np.zeros([2 * n + 1 for n in reach], bool)
    for offset in offsets | {nothing}:  # floods take the middle for given
        around[tuple(n + step for n, step in zip(reach, offset, strict=True))] = True
    return around, half


def _solved_for_chunks(boxes, frame):
    """Dask array of what is found for the shell of each chunk.

    Parameters
    ----------
    boxes : dask.array.Array
        Of `Box`, one for each chunk.
    frame : shells.Frame
    """
    import dask.array as da
    from dask.base import tokenize
    from dask.highlevelgraph import HighLevelGraph

    token = tokenize(boxes, frame)
    up, down, part = (f"reconstruction-{n}-{token}" for n in ("joined", "solved", "part"))
    join, solve = partial(_joined, frame=frame), partial(_solved, frame=frame)
    grids = [boxes.numblocks]
    while prod(grids[-1]) > 1:
        grids.append(tuple(-(-n // 2) for n in grids[-1]))
    tasks, last = {}, len(grids) - 1
    for level, grid in enumerate(grids[1:], start=1):
        below = boxes.name if level == 1 else (up, level - 1)
        for place in np.ndindex(*grid):
            ends = zip(place, grids[level - 1], strict=True)
            places = list(itertools.product(*(range(2 * n, min(2 * n + 2, m)) for n, m in ends)))
            parts = [(below, *p) if level == 1 else (*below, *p) for p in places]
            if level < last:
                tasks[up, level, *place] = (join, parts)
            given = None if level == last else (part, level, *place)
            tasks[down, level, *place] = (solve, parts, given)
            for number, p in enumerate(places):
                key = (part, *p) if level == 1 else (part, level - 1, *p)
                tasks[key] = (_part, (down, level, *place), number)
    graph = HighLevelGraph.from_collections(part, tasks, dependencies=[boxes])
    return da.Array(graph, part, boxes.chunks, meta=np.empty((0,) * boxes.ndim, object))


def _alone(mask, seed, calls):
    """The reconstruction of a chunk by itself."""
    _refuse_nan(seed, mask)
    return on_chunk(seed, mask, task=calls.reconstruct)


def _refuse_nan(*images):
    if any(i.dtype.kind == "f" and bool(np.isnan(i).any()) for i in images):
        raise ValueError(
            "seed or mask has NaN; give finite numbers, as numpy.nan_to_num(mask), which changes "
            "the result"
        )


def _boxed(mask, seed, calls, block_info):
    """`Box` of a chunk."""
    start, stop = zip(*block_info[0]["array-location"], strict=True)
    places = shells.shell(start, stop, calls.frame)
    levels = on_the_host(_alone(mask, seed, calls)).reshape(-1)[places]
    heights = on_the_host(mask).astype(levels.dtype, order="C") * levels.dtype.type(calls.sign)
    edges = _edges_of_shell(heights, places, calls)
    return Box(start, stop, heights.reshape(-1)[places], levels * calls.sign, edges)


def _edges_of_shell(heights, places, calls):
    """A tree of the pixels of a chunk's shell, as wide as the paths between them."""
    order = heights.reshape(-1).argsort()
    ranks = np.empty(heights.size, np.int32 if heights.size < 2**31 - 1 else np.int64)
    ranks[order] = np.arange(1, heights.size + 1)  # no two are equal, so a flood has no ties
    markers = np.zeros(heights.size, np.int32)
    markers[places] = np.arange(1, len(places) + 1)
    nearest = on_chunk(
        (-ranks).reshape(heights.shape), markers.reshape(heights.shape), task=calls.flood
    )
    ranks[:], reached = 0, ranks.reshape(heights.shape).copy()
    ranks[places] = reached.reshape(-1)[places]
    task = calls.reconstruct._replace(kwargs=calls.reconstruct.kwargs | {"method": "dilation"})
    reached = on_chunk(ranks.reshape(heights.shape), reached, task=task)
    tree = Edges(np.empty((2, 0), np.int32), np.empty(0))
    numbers = np.arange(heights.size, dtype=np.int32).reshape(heights.shape)
    nearest, reached = on_the_host(nearest), on_the_host(reached)
    flat = nearest.reshape(-1) - 1, reached.reshape(-1)
    for here, there in shells.neighbours(calls.frame.offsets):
        crossing = nearest[here] != nearest[there]
        ends = np.stack([numbers[here][crossing], numbers[there][crossing]])
        more = Edges(ends, np.full(ends.shape[1], np.inf))
        tree = forest(together(tree, contracted(more, *flat)), len(places))
    at = order[tree.widths.astype(np.int64) - 1]
    return Edges(tree.ends, heights.reshape(-1)[at])


def _merged(boxes, frame):
    """Nodes and edges of neighbouring boxes: names, heights, levels, how many each has, edges."""
    placed = [
        shells.in_image(shells.shell(b.start, b.stop, frame), b.start, b.stop, frame) for b in boxes
    ]
    names = np.concatenate([each for each, _ in placed])
    at = tuple(np.concatenate(each) for each in zip(*(at for _, at in placed), strict=True))
    counts = [len(each) for each, _ in placed]
    starts = np.cumsum([0, *counts])
    heights = np.concatenate([b.heights for b in boxes])
    levels = np.concatenate([b.levels for b in boxes])
    edges = [
        Edges(b.edges.ends + start, b.edges.widths)
        for b, start in zip(boxes, starts[:-1], strict=True)
    ]
    owner = np.repeat(np.arange(len(boxes)), counts)
    for ends in shells.pairs(names, at, frame):
        ends = ends[:, owner[ends[0]] != owner[ends[1]]]
        edges.append(Edges(ends, heights[ends].min(axis=0)))
    return names, heights, levels, counts, together(*edges)


def _joined(boxes, frame):
    """The box that neighbouring boxes make."""
    names, heights, levels, _, edges = _merged(boxes, frame)
    start, stop = _corners(boxes)
    kept = _kept(names, start, stop, frame)
    levels, _ = spread(edges, levels)
    numbers = np.full(len(names), -1)
    numbers[kept] = np.arange(len(kept))
    outer = np.where(numbers >= 0, np.inf, -np.inf).astype(heights.dtype)
    widths, nearest = spread(edges, outer)
    edges = forest(contracted(edges, numbers[nearest], widths), len(kept))
    edges = Edges(edges.ends.astype(np.int32), edges.widths)
    return Box(start, stop, heights[kept], levels[kept], edges)


def _corners(boxes):
    """Those of the box that boxes make."""
    start = tuple(map(min, zip(*(b.start for b in boxes), strict=True)))
    stop = tuple(map(max, zip(*(b.stop for b in boxes), strict=True)))
    return start, stop


def _kept(names, start, stop, frame):
    """Numbers of the pixels of a box's shell among those of the boxes that it is made of."""
    outer, _ = shells.in_image(shells.shell(start, stop, frame), start, stop, frame)
    order = np.argsort(names)
    return order[np.searchsorted(names[order], outer)]


def _solved(boxes, given, frame):
    """For each of some boxes the values of its shell in the whole image.

    Parameters
    ----------
    boxes : list of Box
    given : numpy.ndarray or None
        Values of the shell of the box that they make.
    frame : shells.Frame
    """
    names, _, levels, counts, edges = _merged(boxes, frame)
    if given is not None:
        levels[_kept(names, *_corners(boxes), frame)] = given
    levels, _ = spread(edges, levels)
    return np.split(levels, np.cumsum(counts)[:-1])


def _part(parts, number):
    return parts[number]


def _raised(mask, seed, values, calls, block_info):
    """The reconstruction of a chunk, with seeds of its shell raised to their values."""
    start, stop = zip(*block_info[0]["array-location"], strict=True)
    places = shells.shell(start, stop, calls.frame)
    dtype = np.dtype(float_type(mask.dtype))
    seed, mask = seed.astype(dtype, order="C"), mask.astype(dtype, copy=False)
    seed.reshape(-1)[like(seed, places)] = like(seed, values * dtype.type(calls.sign))
    return on_chunk(seed, mask, task=calls.reconstruct)
