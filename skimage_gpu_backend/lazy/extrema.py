"""`morphology.local_maxima` and `local_minima` of Dask arrays.

A pixel that nothing beside it is higher than is a candidate; a plateau is a maximum where all of
its pixels are. So regions of candidates are joined across chunks, and those are dropped that have
a pixel beside one of the same value that is no candidate.
"""

import itertools

import numpy as np
from scipy.ndimage import generate_binary_structure

from .._warn import warn_caller
from ..functions.morphology.local_maxima import SMALL
from ..plan import Reach
from ..primitives.neighbours import footprint_of
from ..trouble import Declined
from .components import AtBorder, labelling, sizes
from .graph import Graph, Made
from .join import on_the_host
from .regions import Regions, labels_of
from .shells import neighbours

_CANDIDATE, _BESIDE = 1, 2


def local_maxima(call):
    """`morphology.local_maxima`, and `local_minima`."""
    (image,) = call.images
    options = call.options
    if options["indices"]:
        raise Declined("indices is given; leave it out, and give numpy.nonzero(result) the values")
    footprint = footprint_of(options["footprint"], options["connectivity"], image.ndim)
    steps = steps_of(footprint, image.ndim)
    if not options["allow_borders"] and min(image.shape) < 3:
        warn_caller(SMALL, UserWarning)
        return image.map_blocks(_nothing, dtype=bool, meta=_nothing(image._meta))
    reach = Reach((2,) * image.ndim)
    task = call.task(call.name, ("image",))
    made = Made(image.shape, np.dtype(np.uint8))
    marks = Graph([image], reach, task).results(made, _marks, steps=steps)
    columns = [("add", sizes), ("logical_or", _is_beside)]
    if not options["allow_borders"]:
        columns.append(("logical_or", AtBorder(tuple((1, n - 1) for n in image.shape))))
    regions = Regions(
        (marks,),
        _candidates,
        {"task": labelling(call, steps)},
        steps=steps,
        answer=_Maxima(image.size),
        columns=tuple(columns),
        name=call.name.rpartition(":")[2],
    )
    return regions.looked_up(dtype=bool)


def _nothing(chunk):
    return np.zeros_like(chunk, dtype=bool)


def steps_of(footprint, ndim):
    """The connectivity that a footprint is."""
    for steps in range(1, ndim + 1):
        if np.array_equal(footprint, generate_binary_structure(ndim, steps)):
            return steps
    raise Declined("footprint is no connectivity; give connectivity, or image.compute()")


def _marks(block, task, steps):
    """Whether each pixel is a candidate, and beside an equal one that is none."""
    if block.dtype.kind == "f" and bool(np.isnan(block).any()):
        raise ValueError(
            "image has NaN; give finite numbers, as numpy.nan_to_num(image), which changes the "
            "result"
        )
    maxima = task.name.endswith("maxima")
    higher, beside = (np.zeros_like(block, dtype=bool) for _ in range(2))
    offsets = itertools.product((-1, 0, 1), repeat=block.ndim)
    pairs = list(neighbours(o for o in offsets if 0 < sum(map(abs, o)) <= steps))
    for here, there in pairs:
        higher[here] |= block[there] > block[here] if maxima else block[there] < block[here]
    for here, there in pairs:
        beside[here] |= higher[there] & (block[there] == block[here])
    marks = np.zeros_like(block, dtype=np.uint8)
    marks[~higher] = _CANDIDATE
    marks[~higher & beside] = _CANDIDATE | _BESIDE
    return marks


def _candidates(marks, task):
    return labels_of(marks > 0, task)


def _is_beside(labels, number, here, marks):
    flags = np.zeros(number, bool)
    flags[labels[on_the_host(marks) >= _BESIDE]] = True
    return flags


class _Maxima:
    """Answers: whether a region of candidates is a maximum; an image of one value has none."""

    def __init__(self, size):
        self.size = size

    def __call__(self, names, sizes, *dropped):
        kept = (sizes < self.size) & ~np.logical_or.reduce(dropped)
        kept[0] = False
        return kept
