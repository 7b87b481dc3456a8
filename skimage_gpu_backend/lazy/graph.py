"""The graph of a call by chunks: halos, the chunks' own calls, and what is kept of each."""

from typing import NamedTuple

import numpy as np

from . import cuts
from .chunk import core, of_several, on_chunk


class Made(NamedTuple):
    """An array among the results of a call."""

    shape: tuple
    dtype: np.dtype


def alike(images):
    """Dask arrays of images of one shape, in the same chunks."""
    import dask.array as da

    images = [_lazy(da, image) for image in images]
    chunks = max(images, key=lambda image: image.npartitions).chunks
    chunks = tuple(tuple(filter(None, lengths)) or lengths for lengths in chunks)
    return [image.rechunk(chunks) for image in images]


def _lazy(da, image):
    """A Dask array; of any other one, in one chunk."""
    return image if isinstance(image, da.Array) else da.from_array(image, chunks=-1, asarray=False)


class Graph:
    """A call whose images are cut into chunks.

    Parameters
    ----------
    images : list of array
        In the order of `task.parameters`: Dask arrays, and others beside them.
    reach : Reach
        Of the call.
    task : Task
    """

    def __init__(self, images, reach, task):
        import dask.array as da
        from dask.base import tokenize

        self._da, self._task = da, task
        lazy = [image for image in images if isinstance(image, da.Array)]
        self._like = lazy[0]._meta  # an array without elements of the chunks' kind
        largest = max(lazy, key=lambda image: image.ndim)
        chunks = largest.chunks + tuple((n,) for n in max(i.shape for i in images)[largest.ndim :])
        self._along = cuts.axes(chunks, reach)
        self._axes = tuple(range(len(self._along)))
        self._cut = tuple(a for a, halo in enumerate(reach.halo) if halo is not None)
        self._places = reach.places or self._axes
        self._images = [self._with_halos(image) for image in images]
        self._name = task.name.rpartition(":")[2]
        self._token = tokenize(task, *self._images)

    def results(self, made):
        """Dask arrays, as `Made` or a tuple or list of them says."""
        pairs = [x for i in self._images for x in (i, self._axes[: i.ndim])]
        if isinstance(made, Made):
            return self._result(made, self._name, on_chunk, *pairs, task=self._task)
        several = self._da.blockwise(
            on_chunk,
            self._cut,
            *pairs,
            name=f"{self._name}-{self._token}",
            dtype=object,
            meta=np.empty((0,) * len(self._cut), object),
            align_arrays=False,
            task=self._task,
        )
        return type(made)(
            self._result(each, f"{self._name}-{place}", of_several, several, self._cut, place=place)
            for place, each in enumerate(made)
        )

    def _with_halos(self, image):
        da = self._da
        along = self._along[: image.ndim]
        image = _lazy(da, image).rechunk(tuple(axis.chunks for axis in along))
        depth = {a: (axis.before, axis.after) for a, axis in enumerate(along)}
        if not any(map(any, depth.values())):
            return image
        return da.overlap.overlap(image, depth, dict.fromkeys(depth, "none"), allow_rechunk=False)

    def _result(self, made, name, function, *pairs, **options):
        """Dask array of what `function` gives for each chunk, without its halo."""
        labels = self._labels(len(made.shape))
        sizes = dict(zip(labels, made.shape, strict=True))
        given = {label for labels in pairs[1::2] for label in labels}
        meta = self._da.utils.meta_from_array(self._like, len(labels), made.dtype)
        axes = tuple(
            self._along[a] if a in self._cut else cuts.Axis((n,)) for a, n in sizes.items()
        )
        is_wide = any(axis.before or axis.after for axis in axes)
        whole = self._da.blockwise(
            function,
            labels,
            *pairs,
            name=f"{name}{'-wide' * is_wide}-{self._token}",
            dtype=made.dtype,
            meta=meta,
            new_axes={a: n for a, n in sizes.items() if a not in given},
            adjust_chunks={a: (n,) for a, n in sizes.items() if a not in self._cut},
            align_arrays=False,
            **options,
        )
        if not is_wide:
            return whole
        chunks = tuple(axis.chunks for axis in axes)
        name = f"{name}-{self._token}"
        return whole.map_blocks(core, axes, name=name, chunks=chunks, dtype=made.dtype, meta=meta)

    def _labels(self, ndim):
        """For each axis of a result the axis of the images that it comes from, or a new one."""
        labels = [None] * ndim
        for axis in self._cut:
            labels[self._places[axis]] = axis
        others = [a for a in self._axes if a not in self._cut] if ndim == len(self._axes) else []
        others = iter(others + list(range(len(self._axes), len(self._axes) + ndim)))
        return tuple(next(others) if label is None else label for label in labels)
