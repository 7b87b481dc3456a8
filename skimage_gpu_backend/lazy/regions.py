"""Connected regions of a whole image, from those of its chunks.

Each chunk is labelled by an ordinary call. Of its labels only the outermost layers and a table of
its regions go to other workers (`join`).
"""

import numpy as np

from . import faces
from .chunk import on_chunk
from .join import joined_boxes, like, on_the_host, tables


class Regions:
    """Dask arrays of the regions of an image.

    Parameters
    ----------
    images : tuple of dask.array.Array
        In the same chunks.
    label : callable
        Takes chunks of the images and `options`, and gives labels that rise in C order.
    options : dict
    steps : int
        Neighbours differ along at most so many axes.
    answer : callable
        As for `joined_boxes`; the background is the first of the regions, named 0.
    columns : tuple of tuple, optional
        ``ufunc, function``: what is known of the regions of a chunk, and the name of the ufunc by
        which those of a region's parts become one. Functions take labels, their number, Dask's
        description of the chunk, and chunks of the images.
    equal : bool
        Whether the pixels of the first image are to be equal in a region.
    name : str
        Of the function, for the dashboard.

    Attributes
    ----------
    found : dask.array.Array
        As `joined_boxes` gives it.
    """

    def __init__(self, images, label, options, *, steps, answer, columns=(), equal=False, name):
        from dask.base import tokenize

        first, *others = images
        self._like, self._name = first._meta, name
        self._labels = first.map_blocks(
            label,
            *others,
            dtype=np.uint32,
            meta=np.empty_like(first._meta, dtype=np.uint32),
            name=f"{name}-chunk-{tokenize(label, options, *images)}",
            **options,
        )
        boxes = self._labels.map_blocks(
            _box,
            *(images if equal or columns else ()),
            chunks=tuple((1,) * n for n in first.numblocks),
            dtype=object,
            meta=np.empty((0,) * first.ndim, object),
            columns=tuple(function for _, function in columns),
            equal=equal,
        )
        ufuncs = tuple(ufunc for ufunc, _ in columns)
        self.found = joined_boxes(boxes, answer, ufuncs=ufuncs, steps=steps, name=name)

    def looked_up(self, function=None, *images, dtype, **options):
        """Dask array of what a function makes of the answers for each pixel, by default these.

        Parameters
        ----------
        function : callable, optional
            Takes the answers of a chunk's pixels, chunks of the images, and options.
        """
        return self._labels.map_blocks(
            _looked_up,
            tables(self.found, self._labels.numblocks, self._name),
            *images,
            dtype=dtype,
            meta=np.empty_like(self._like, dtype=dtype),
            token=self._name,
            function=function,
            **options,
        )


def labels_of(chunk, task):
    """Labels of a chunk that rise in C order, in the least type that holds them.

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


def _box(labels, *images, columns, equal, block_info):
    """`faces.Box` of a chunk."""
    here = block_info[0]
    labels = on_the_host(labels)
    places = first_places(labels)
    starts = [start for start, _ in here["array-location"]]
    places = np.unravel_index(places, labels.shape)
    at = [i + start for i, start in zip(places, starts, strict=True)]
    names = np.concatenate([[0], np.ravel_multi_index(at, here["shape"]) + 1]).astype(np.int64)
    grid, place = here["num-chunks"], here["chunk-location"]
    inner = [(n > 0, n < last - 1) for n, last in zip(place, grid, strict=True)]
    low, high = (
        tuple(face and (names[face[0]], *map(_whole, face[1:])) for face in side)
        for side in faces.layers((labels, *images[:equal]), inner)
    )
    made = tuple(column(labels, len(names), here, *images) for column in columns)
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


def _looked_up(labels, table, *images, function, **options):
    answers = like(labels, table[1])[labels]
    return answers if function is None else function(answers, *images, **options)
