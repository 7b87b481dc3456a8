"""Tables of the regions of chunks, joined into tables of the regions of the whole image.

Tables, and where regions are connected the outermost layers of chunks, go to other workers in a
tree (`faces`). One task joins the tables, and each chunk gets a table with an answer for each of
its own regions.
"""

from functools import partial
from typing import NamedTuple

import numpy as np

from ..primitives.slabs import joined
from . import faces


class Found(NamedTuple):
    """What is known of the whole image when its chunks have been joined.

    Attributes
    ----------
    names : numpy.ndarray
        Of regions, as in `faces.Chunk`; those of the first of the parts that make a region.
    answers : numpy.ndarray
        For each region; where no answer is asked for, the columns.
    tables : dict
        For each chunk's number the names and answers of its own regions, where they are asked for.
    """

    names: np.ndarray
    answers: np.ndarray
    tables: dict


def joined_boxes(boxes, answer, *, ufuncs=(), steps=0, name):
    """Dask array without axes, whose value is `Found`.

    Parameters
    ----------
    boxes : dask.array.Array
        Of `faces.Box`, one for each chunk.
    answer : callable or None
        Takes the names of the regions and columns of what is known of them, and gives an array
        with an answer for each.
    ufuncs : tuple of str
        Those by which the columns of parts of a region become one.
    steps : int
        Neighbours differ along at most so many axes; 0: regions are one by their names alone.
    name : str
        Of the function, for the dashboard.
    """
    import dask.array as da

    return da.reduction(
        boxes,
        chunk=_alone,
        combine=partial(faces.boxed, steps=steps),
        aggregate=partial(_found, steps=steps, answer=answer, ufuncs=ufuncs),
        concatenate=False,
        dtype=object,
        meta=np.empty((), object),
        name=f"{name}-joined",
    )


def tables(found, grid, name):
    """Dask array of the chunks' tables, each of a task where all are, so that it alone is sent."""
    import dask.array as da
    from dask.base import tokenize
    from dask.highlevelgraph import HighLevelGraph

    name, source = f"{name}-table-{tokenize(found)}", (found.name,)
    places = enumerate(np.ndindex(*grid))
    tasks = {(name, *place): (_table, source, number) for number, place in places}
    graph = HighLevelGraph.from_collections(name, tasks, dependencies=[found])
    nothing = np.empty((0,) * len(grid), object)
    return da.Array(graph, name, tuple((1,) * n for n in grid), meta=nothing)


def _alone(part, axis, keepdims):
    return part


def _found(parts, axis, keepdims, steps, answer, ufuncs):
    box = faces.boxed(parts, axis, keepdims, steps)
    names = np.unique(np.concatenate([chunk.names for chunk in box.chunks]))
    pairs = np.concatenate([np.empty((0, 2), np.int64), *box.pairs])
    regions, _ = joined(np.searchsorted(names, pairs), len(names) - 1)
    numbers = [regions[np.searchsorted(names, chunk.names)] for chunk in box.chunks]
    parts = np.concatenate(numbers)
    order = parts.argsort(kind="stable")
    starts = np.flatnonzero(np.diff(parts[order], prepend=-1))
    columns = (np.concatenate(c) for c in zip(*(each.columns for each in box.chunks), strict=True))
    columns = [
        getattr(np, ufunc).reduceat(column[order], starts, axis=0)
        for ufunc, column in zip(ufuncs, columns, strict=True)
    ]
    names = names[np.unique(regions, return_index=True)[1]]
    if answer is None:
        return Found(names, columns, {})
    answers = answer(names, *columns)
    chunks = zip(box.chunks, numbers, strict=True)
    return Found(names, answers, {c.number: (c.names, answers[n]) for c, n in chunks})


def _table(found, number):
    return found.tables[number]


def on_the_host(chunk):
    """A chunk as a NumPy array."""
    return chunk.get() if hasattr(chunk, "get") else np.asarray(chunk)


def like(chunk, array):
    """A NumPy array as one of the chunk's kind."""
    if isinstance(chunk, np.ndarray):
        return array
    made = np.empty_like(chunk, shape=array.shape, dtype=array.dtype)
    made.set(array)
    return made
