"""Isotropic morphology of Dask arrays.

A chunk without a pixel to measure from lies further than the radius from those of other chunks.
Where the whole image has none, SciPy measures from a place just before its first pixel, and so is
it done here.
"""

from itertools import accumulate

import numpy as np

from .. import functions
from ..device.launches import Array
from ..primitives.distances import spacings
from .chunk import on_chunk
from .graph import Graph

_MODULE = "skimage.morphology:isotropic_"
_STEPS = {"opening": ("erosion", "dilation"), "closing": ("dilation", "erosion")}


def isotropic(call, passes, task, images, make):
    """As `passes.lazily`: an erosion, a dilation, or both, one after the other."""
    (image,) = call.images
    operation = call.name.removeprefix(_MODULE)
    options = {name: call.options[name] for name in ("radius", "spacing")}
    for step in _STEPS.get(operation, (operation,)):
        name = _MODULE + step
        planned = functions.plan(name, (Array(image.shape, image.dtype),), options)
        task = call.task(name, ("image",), **options)
        has_points = (image == 0 if step == "erosion" else image != 0).any()
        graph = Graph([image], planned.reach.reach, task)
        image = graph.by_blocks(_stepped, has_points, dtype=np.dtype(bool))
    return image


def _stepped(block, has_points, task, axes, block_id):
    """A step of a block with its halo, without that."""
    is_erosion = task.name.endswith("erosion")
    own = tuple(axis.core(n) for axis, n in zip(axes, block_id, strict=True))
    if (block == 0 if is_erosion else block != 0).any():
        return on_chunk(block, task=task)[own]
    if has_points:
        return np.full_like(block[own], is_erosion, dtype=bool)
    starts = [(0, *accumulate(axis.chunks))[n] for axis, n in zip(axes, block_id, strict=True)]
    far = _far(starts, block[own].shape, **task.kwargs)
    result = np.empty_like(block[own], dtype=bool)
    result[...] = np.asarray(far if is_erosion else ~far, like=result)
    return result


def _far(starts, shape, radius, spacing):
    """Pixels that are further than the radius from the place before the first pixel."""
    steps = np.array(spacings(spacing, len(shape))).reshape(-1, *(1,) * len(shape))
    places = np.indices(shape, float) + np.reshape(starts, steps.shape)
    places[0] += 1
    return np.sqrt(np.add.reduce((places * steps) ** 2, axis=0)) > radius
