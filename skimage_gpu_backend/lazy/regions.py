"""Connected regions of a whole image, from those of its chunks.

Each chunk is labelled by an ordinary call. Of its labels only the outermost layers and a table of
its regions go to other workers, in a tree (`faces`); one task finds what regions of chunks are one
region, and each chunk gets a table with a number or an answer for each of its own regions.
"""

from functools import partial
from typing import NamedTuple

import numpy as np

from ..primitives.slabs import joined
from . import faces
from .chunk import on_chunk


class Found(NamedTuple):
    """What is known of the whole image when its chunks have been joined.

    Attributes
    ----------
    count : int
        Of regions.
    tables : dict
        For each chunk's number what `regions` was asked for: of its background and its regions.
    """

    count: int
    tables: dict


class Regions:
    """Dask arrays of the regions of an image.

    Parameters
    ----------
    images : tuple of dask.array.Array
        Arguments of `label`: the image first.
    label : callable
        Takes chunks of the images and `options`, gives labels of the chunk, in C order.
    steps : int
        Neighbours differ along at most so many axes.
    answer : callable
        Takes the number of regions and a list of columns, each of which has an element for the
        background and each region, and gives an array with such elements.
    columns : dict, optional
        ``ufunc: function``: what is known of the regions of a chunk and by which ufunc (its name)
        those of a region's parts become one. The functions take labels, their number and chunks
        of the images.
    equal : bool
        Whether the pixels of the first image must be equal in a region.
    name : str
        Of the function, for the dashboard.
    """

    def __init__(self, images, label, options, *, steps, answer, columns=None, equal=False, name):
        columns = columns or {}
        self._like, self._name = images[0]._meta, name
        nothing = np.empty((0,) * images[0].ndim, object)
        first, *others = images
        self._labels = first.map_blocks(
            label,
            *others,
            dtype=np.uint32,
            meta=np.empty_like(self._like, dtype=np.uint32),
            name=_named(f"{name}-chunk", images, label, options),
            **options,
        )
        boxes = self._labels.map_blocks(
            _box,
            *(images if equal or columns else ()),
            chunks=tuple((1,) * n for n in first.numblocks),
            dtype=object,
            meta=nothing,
            token=f"{name}-faces",
            columns=tuple(columns.values()),
            equal=equal,
        )
        import dask.array as da

        self.found = da.reduction(
            boxes,
            chunk=_alone,
            combine=partial(faces.boxed, steps=steps),
            aggregate=partial(_found, steps=steps, answer=answer, ufuncs=tuple(columns)),
            concatenate=False,
            dtype=object,
            meta=np.empty((), object),
            name=f"{name}-joined",
        )

    def looked_up(self, function=None, *images, dtype, **options):
        """Dask array of what a function makes of the answers for each pixel.

        Parameters
        ----------
        function : callable, optional
            Takes the answers of a chunk's pixels, chunks of the images, and options.
        """
        return self._labels.map_blocks(
            _looked_up,
            self._tables(),
            *images,
            dtype=dtype,
            meta=np.empty_like(self._like, dtype=dtype),
            token=self._name,
            function=function,
            into=np.dtype(dtype),
            **options,
        )

    def _tables(self):
        """The chunks' tables, each in a task where all of them are, so that only it is sent."""
        import dask.array as da
        from dask.highlevelgraph import HighLevelGraph

        grid, source = self._labels.numblocks, (self.found.name,)
        name = _named(f"{self._name}-table", self.found)
        tasks = {
            (name, *place): (_table, source, number)
            for number, place in enumerate(np.ndindex(*grid))
        }
        graph = HighLevelGraph.from_collections(name, tasks, dependencies=[self.found])
        nothing = np.empty((0,) * len(grid), object)
        return da.Array(graph, name, tuple((1,) * n for n in grid), meta=nothing)


def _named(name, *values):
    from dask.base import tokenize

    return f"{name}-{tokenize(name, *values)}"


def labels_of(chunk, task):
    """Labels of a chunk in C order, in the least type that holds them.

    Parameters
    ----------
    chunk : array
    task : Task
        `skimage.measure.label`, with a connectivity.
    """
    flat = chunk.dtype.kind != "b" and chunk.ndim == 3 and chunk.shape[2] == 1
    if flat:  # whose labels would be numbered by columns
        connectivity = min(task.kwargs["connectivity"], 2)
        task = task._replace(kwargs={**task.kwargs, "connectivity": connectivity})
        chunk = chunk[..., 0]
    labels = on_chunk(chunk, task=task)
    labels = labels.astype(np.min_scalar_type(int(labels.max())), copy=False)
    return labels[..., None] if flat else labels


def _alone(part, axis, keepdims):
    return part


def on_the_host(chunk):
    """A chunk as a NumPy array."""
    return chunk.get() if hasattr(chunk, "get") else np.asarray(chunk)


def _box(labels, *images, columns, equal, block_info):
    """`faces.Box` of a chunk."""
    here = block_info[0]
    labels = on_the_host(labels)
    places = first_places(labels)
    starts = [start for start, _ in here["array-location"]]
    at = [
        i + start for i, start in zip(np.unravel_index(places, labels.shape), starts, strict=True)
    ]
    names = np.concatenate([[0], np.ravel_multi_index(at, here["shape"]) + 1]).astype(np.int64)
    grid, place = here["num-chunks"], here["chunk-location"]
    inner = [(n > 0, n < last - 1) for n, last in zip(place, grid, strict=True)]
    pixels = (labels, images[0]) if equal else (labels,)
    low, high = (
        tuple(face and (names[on_the_host(face[0])], *map(_whole, face[1:])) for face in side)
        for side in faces.layers(pixels, inner)
    )
    made = tuple(column(labels, len(names), *images) for column in columns)
    chunk = faces.Chunk(int(np.ravel_multi_index(place, grid)), names, made)
    return faces.Box(low, high, [], [chunk])


def first_places(labels):
    """Flat index of the first pixel of each label; labels rise in C order."""
    highest = np.maximum.accumulate(labels.reshape(-1))
    places = np.flatnonzero(highest[1:] != highest[:-1]) + 1
    return np.concatenate([[0], places]) if highest[0] else places


def _whole(pixels):
    """As `label` compares pixels: floats without their fractions."""
    pixels = on_the_host(pixels)
    with np.errstate(invalid="ignore"):
        return pixels.astype(np.int64) if pixels.dtype.kind == "f" else pixels


def _found(parts, axis, keepdims, steps, answer, ufuncs):
    box = faces.boxed(parts, axis, keepdims, steps)
    names = np.unique(np.concatenate([chunk.names for chunk in box.chunks]))
    pairs = np.concatenate([np.empty((0, 2), np.int64), *box.pairs])
    regions, count = joined(np.searchsorted(names, pairs), len(names) - 1)
    numbers = [regions[np.searchsorted(names, chunk.names)] for chunk in box.chunks]
    columns = []
    for place, ufunc in enumerate(ufuncs):
        parts = [chunk.columns[place] for chunk in box.chunks]
        total = np.zeros(count + 1, parts[0].dtype)
        for each, part in zip(numbers, parts, strict=True):
            getattr(np, ufunc).at(total, each, part)
        columns.append(total)
    table = answer(count, *columns)
    return Found(count, {c.number: table[n] for c, n in zip(box.chunks, numbers, strict=True)})


def _table(found, number):
    return found.tables[number]


def _looked_up(labels, table, *images, function, into, **options):
    table = _like(labels, table)
    if function is None:
        return table.astype(into, copy=False)[labels]
    return function(table[labels], *images, **options)


def _like(chunk, array):
    """A NumPy array as one of the chunk's kind."""
    if isinstance(chunk, np.ndarray):
        return array
    made = np.empty_like(chunk, shape=array.shape, dtype=array.dtype)
    made.set(array)
    return made
