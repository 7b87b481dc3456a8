"""The task of a chunk: an ordinary call of scikit-image's function, as the client selected."""

from typing import NamedTuple

import numpy as np

from ..arguments import replaced
from ..dispatch.block import use_backends
from ..scikit_image import function_called
from ..upstream.layout import past_warnings
from .once import once


class Task(NamedTuple):
    """A call without its images, in values that can be sent to another process.

    Attributes
    ----------
    name : str
        Public module and function.
    parameters : tuple of str
        Those whose images come in chunks.
    args : tuple
    kwargs : dict
        The caller's arguments, without these images.
    backends : tuple of str
        That the client selected.
    options : dict
        Of `use_backends`.
    call : str
        Of the whole image, that `once` tells of.
    told : tuple of str
        Warnings that were told when the graph was built.
    """

    name: str
    parameters: tuple
    args: tuple
    kwargs: dict
    backends: tuple
    options: dict
    call: str
    told: tuple = ()


def on_chunk(*chunks, task):
    """Result of a call for a chunk of its images, which Dask may have put into lists."""
    arrays = {}
    for parameter, chunk in zip(task.parameters, chunks, strict=True):
        while type(chunk) is list:
            (chunk,) = chunk
        arrays[parameter] = chunk
    args, kwargs = replaced(task.name, task.args, task.kwargs, arrays)
    with use_backends(*task.backends, **task.options), once(task.call, task.told):
        return past_warnings(function_called(task.name))(*args, **kwargs)  # the call has warned


def histogram_of(chunk, *ends, task):
    """Counts and centers of a chunk's bins, on the host.

    Parameters
    ----------
    chunk : array
        Of the image, which is the only argument that `task` lacks.
    *ends : array or scalar
        Least and largest element of the whole image, between which its bins lie.
    task : Task
        `skimage.exposure.histogram`.
    """
    values = np.empty_like(chunk, shape=chunk.size + len(ends))
    values[: chunk.size] = chunk.ravel()
    for place, end in enumerate(ends):
        values[chunk.size + place] = end
    counts, centers = (x.get() if hasattr(x, "get") else x for x in on_chunk(values, task=task))
    if ends:  # the bins that they lie in, and all else where they are equal
        first, last = np.flatnonzero(counts)[[0, -1]]
        counts[first] -= 1
        counts[last] -= 1
    return counts, centers


def error_of(one, other, task):
    """Sum of the squared differences of two chunks, and their number of elements."""
    return float(on_chunk(one, other, task=task)) * one.size, one.size


def mean_of(chunk, task):
    """Sum of a chunk's elements, and their number."""
    return float(on_chunk(chunk, task=task)) * chunk.size, chunk.size


def of_several(results, place):
    """One of a chunk's results."""
    return results[place]


def with_ends(block, *ends, axis, along, block_id):
    """A block with a row of each of the ends, beyond its halo.

    Parameters
    ----------
    block : array
    *ends : array or scalar
    axis : int
    along : Axis
        `cuts.Axis` of this axis.
    block_id : tuple of int
    """
    size = block.shape[axis]
    shape = (*block.shape[:axis], size + along.ends, *block.shape[axis + 1 :])
    longer = np.moveaxis(np.empty_like(block, shape=shape), axis, 0)
    first = along.ends if along.is_last(block_id[axis]) else 0
    longer[first : first + size] = np.moveaxis(block, axis, 0)
    for place, end in enumerate(ends, start=0 if first else size):
        longer[place] = end
    return np.moveaxis(longer, 0, axis)


def core(block, axes, block_id):
    """A block without what it took of its neighbours.

    Parameters
    ----------
    block : array
    axes : tuple of Axis
        `cuts.Axis` for each of its axes.
    block_id : tuple of int
        Its place among the blocks, as Dask gives it.
    """
    return block[tuple(a.core(n) for a, n in zip(axes, block_id, strict=True))]
