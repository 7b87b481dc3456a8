"""`metrics.hausdorff_distance` of Dask arrays, by the border pixels of both images.

A pixel of one image that is in the other has a distance of 0. Of any other the nearest pixel in the
other image has a neighbour along an axis that is not: one that is nearer would be. So chunks tell
their border pixels, and each asks for its own pixels how far those of the whole image are.
"""

from itertools import accumulate

import numpy as np
from scipy.spatial import cKDTree

from ..plan import Reach
from . import sums
from .graph import Graph
from .join import on_the_host


def hausdorff_distance(call):
    """Largest distance of a pixel of one image to the other; modified, of the means of these."""
    task = call.task(call.name, ("image0", "image1"))
    borders = Graph(call.images, Reach((1,) * call.images[0].ndim), task).added_up(
        _borders, _joined
    )
    trees = call.made(_trees, borders, dtype=object)
    starts = tuple(tuple(accumulate((0, *lengths[:-1]))) for lengths in call.images[0].chunks)
    image, other = call.images
    parts = image.map_blocks(
        _distances,
        other,
        trees,
        chunks=tuple((1,) * n for n in image.numblocks),
        dtype=object,
        meta=np.empty((0,) * image.ndim, object),
        token="hausdorff_distance-part",
        starts=starts,
    )
    total = sums.totalled(parts, _largest)
    return call.made(_distance, total, dtype=float, method=call.options["method"])


def _borders(block, other, task, axes, block_id):
    """Places of border pixels of both images, and whether there is any pixel."""
    found = []
    pairs = list(zip(axes, block_id, strict=True))
    own = tuple(axis.core(number) for axis, number in pairs)
    starts = [(0, *accumulate(axis.chunks))[number] for axis, number in pairs]
    for image in (block, other):
        is_set = on_the_host(image) != 0
        inside = np.ones_like(is_set)
        for axis in range(is_set.ndim):
            here, set_here = np.moveaxis(inside, axis, 0), np.moveaxis(is_set, axis, 0)
            here[1:] &= set_here[:-1]
            here[:-1] &= set_here[1:]
        places = np.argwhere((is_set & ~inside)[own]) + starts
        found.append((places, bool(is_set[own].any())))
    return tuple(found)


def _joined(parts):
    found = []
    for both in zip(*parts, strict=True):
        places, any_pixel = zip(*both, strict=True)
        found.append((np.concatenate(places), any(any_pixel)))
    return tuple(found)


def _trees(borders):
    """Of each image its border pixels, None where there are none; and whether it has any pixel."""
    return [(cKDTree(places) if len(places) else None, any_here) for places, any_here in borders]


def _distances(chunk, other, trees, starts, block_id):
    """For each image pixels, the sum of their distances to the other image, and the largest."""
    images = [on_the_host(image) != 0 for image in (chunk, other)]
    place = [begins[number] for begins, number in zip(starts, block_id, strict=True)]
    found = []
    for here, there, (tree, any_there) in zip(images, images[::-1], trees[::-1], strict=True):
        points = np.argwhere(here & ~there)
        count = np.count_nonzero(here)
        if len(points) and not any_there:
            found.append((count, np.inf, np.inf))
        elif len(points):
            far = tree.query(points + place)[0]
            found.append((count, far.sum(), far.max()))
        else:
            found.append((count, 0.0, 0.0))
    return tuple(found)


def _largest(parts):
    found = []
    for both in zip(*parts, strict=True):
        counts, totals, largest = zip(*both, strict=True)
        found.append((sum(counts), sum(totals), max(largest)))
    return tuple(found)


def _distance(total, method):
    counts = [count for count, *_ in total]
    if not all(counts):
        return np.inf if any(counts) else 0
    if method == "modified":
        return max(np.float64(whole) / count for count, whole, _ in total)
    return max(np.float64(far) for *_, far in total)
