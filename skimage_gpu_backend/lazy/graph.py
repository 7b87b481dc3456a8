"""The graph of a call by chunks: halos, the chunks' own calls, and what is kept of each."""

from typing import NamedTuple

import numpy as np

from ..trouble import Declined
from . import cuts, sums
from .chunk import core, of_several, on_chunk, with_ends


class Made(NamedTuple):
    """An array among the results of a call."""

    shape: tuple
    dtype: np.dtype


def alike(images):
    """Dask arrays of images of one shape, in the same chunks."""
    import dask.array as da

    if len({image.shape for image in images}) > 1:
        raise Declined("images differ in shape; give arrays of one shape")
    images = [_lazy(da, image) for image in images]
    chunks = max(images, key=lambda image: image.npartitions).chunks
    chunks = tuple(tuple(filter(None, lengths)) or lengths for lengths in chunks)
    return [image.rechunk(chunks) for image in images]


def as_lazy(image):
    """A Dask array of an image."""
    import dask.array as da

    return _lazy(da, image)


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
    ends : list of tuple of dask.array.Array, optional
        For each image, least and largest element of the whole, which each chunk is to have.
    """

    def __init__(self, images, reach, task, ends=None):
        import dask.array as da
        from dask.base import tokenize

        self._da, self._task, self._tokenize = da, task, tokenize
        lazy = [image for image in images if isinstance(image, da.Array)]
        self._like = lazy[0]._meta  # an array without elements of the chunks' kind
        largest = max(lazy, key=lambda image: image.ndim)
        chunks = largest.chunks + tuple((n,) for n in max(i.shape for i in images)[largest.ndim :])
        self._along = cuts.axes(chunks, reach)
        self._of_ends = None  # the axis along which chunks are longer for them
        if ends and any(len(axis.chunks) > 1 for axis in self._along):
            lengths = [len(axis.chunks) for axis in self._along]
            self._of_ends = lengths.index(max(lengths))
            self._along[self._of_ends] = self._along[self._of_ends]._replace(ends=2)
        self._axes = tuple(range(len(self._along)))
        self._cut = tuple(a for a, halo in enumerate(reach.halo) if halo is not None)
        self._places = reach.places or self._axes
        ends = ends or [()] * len(images)
        self._images = [self._with_halos(*each) for each in zip(images, ends, strict=True)]
        self._name = task.name.rpartition(":")[2]
        self._token = tokenize(task, *self._images)

    def by_blocks(self, function, *found, dtype):
        """Dask array of what `function` makes of blocks with halos of the only image.

        It takes arrays without axes after the block, the task, and what `chunk.core` takes, as it
        is to leave the halos away.
        """
        (image,) = self._images
        meta = self._da.utils.meta_from_array(self._like, image.ndim, dtype)
        options = {"axes": tuple(self._along), "task": self._task, "dtype": dtype, "meta": meta}
        chunks = tuple(axis.chunks for axis in self._along)
        name = f"{self._name}-{self._tokenize(self._token, *found)}"
        return self._da.map_blocks(function, image, *found, name=name, chunks=chunks, **options)

    def added_up(self, function, add, *found, **options):
        """Dask array of no axes: what `add` makes of what `function` gives for blocks with halos.

        It takes a block of each image, arrays without axes, the task, what `chunk.core` takes, and
        options.
        """
        parts = self._da.map_blocks(
            function,
            *self._images,
            *found,
            chunks=tuple((1,) * len(axis.chunks) for axis in self._along),
            dtype=object,
            meta=np.empty((0,) * len(self._along), object),
            token=f"{self._name}-part",
            axes=tuple(self._along),
            task=self._task,
            **options,
        )
        return sums.totalled(parts, add)

    def results(self, made, function=on_chunk, *found, **options):
        """Dask arrays, as `Made` or a tuple or list of them says.

        `function` takes a chunk of each image, then arrays without axes, and the task.
        """
        pairs = [x for i in self._images for x in (i, self._axes[: i.ndim])]
        if isinstance(made, Made):
            if found or options:  # other arrays of the same images and task
                self._token = self._tokenize(self._token, function, found, options)
            pairs += [x for each in found for x in (each, ())]
            options |= {"task": self._task}
            return self._result(made, self._name, function, *pairs, **options)
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

    def _with_halos(self, image, ends):
        da = self._da
        along = self._along[: image.ndim]
        image = _lazy(da, image).rechunk(tuple(axis.chunks for axis in along))
        depth = {a: (axis.before, axis.after) for a, axis in enumerate(along)}
        if any(map(any, depth.values())):
            nothing = dict.fromkeys(depth, "none")
            image = da.overlap.overlap(image, depth, nothing, allow_rechunk=False)
        if self._of_ends is None or not ends:
            return image
        axis = self._of_ends
        lengths = tuple(n + along[axis].ends for n in image.chunks[axis])
        chunks = (*image.chunks[:axis], lengths, *image.chunks[axis + 1 :])
        options = {"chunks": chunks, "dtype": image.dtype, "meta": image._meta}
        return da.map_blocks(with_ends, image, *ends, axis=axis, along=along[axis], **options)

    def _result(self, made, name, function, *pairs, **options):
        """Dask array of what `function` gives for each chunk, without its halo."""
        labels = self._labels(len(made.shape))
        sizes = dict(zip(labels, made.shape, strict=True))
        given = {label for labels in pairs[1::2] for label in labels}
        meta = self._da.utils.meta_from_array(self._like, len(labels), made.dtype)
        axes = tuple(
            self._along[a] if a in self._cut else cuts.Axis((n,)) for a, n in sizes.items()
        )
        is_wide = any(axis.is_wide for axis in axes)
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
