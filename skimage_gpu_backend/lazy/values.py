"""Labels that are given: what is known of each in all chunks, and images of new ones."""

import numpy as np

from .._warn import warn_caller
from ..functions.morphology.remove_small import NEGATIVE, ONE_LABEL
from ..functions.segmentation.relabel import NEGATIVE as NOT_RELABELLED
from ..scikit_image import private
from ..trouble import Declined
from . import faces
from .chunk import on_chunk
from .join import joined_boxes, on_the_host, tables


class Labels:
    """Dask arrays of the labels of an image of integers.

    Parameters
    ----------
    image : dask.array.Array
    others : tuple of dask.array.Array
        In the same chunks.
    answer : callable
        As for `joined_boxes`; labels are their own names.
    columns : tuple of tuple
        As for `regions.Regions`; the labels that their functions take are places among those of
        the chunk.
    name : str
        Of the function, for the dashboard.

    Attributes
    ----------
    found : dask.array.Array
        As `joined_boxes` gives it.
    """

    def __init__(self, image, answer, *, others=(), columns=(), name):
        self._image, self._name = image, name
        boxes = image.map_blocks(
            _box,
            *others,
            chunks=tuple((1,) * n for n in image.numblocks),
            dtype=object,
            meta=np.empty((0,) * image.ndim, object),
            token=f"{name}-chunk",
            columns=tuple(function for _, function in columns),
        )
        ufuncs = tuple(ufunc for ufunc, _ in columns)
        self.found = joined_boxes(boxes, answer, ufuncs=ufuncs, name=name)

    def looked_up(self, call, dtype):
        """Dask array of the answer for each pixel."""
        return self._image.map_blocks(
            _mapped,
            tables(self.found, self._image.numblocks, self._name),
            dtype=dtype,
            meta=np.empty_like(self._image._meta, dtype=dtype),
            token=self._name,
            task=call.task("skimage.util:map_array", ("input_arr",)),
        )


def _box(image, *others, columns, block_info):
    here = block_info[0]
    names, places = _places(on_the_host(image), bool(columns))
    made = tuple(column(places, len(names), here, *others) for column in columns)
    grid, place = here["num-chunks"], here["chunk-location"]
    chunk = faces.Chunk(int(np.ravel_multi_index(place, grid)), names, made)
    nothing = (None,) * len(grid)
    return faces.Box(nothing, nothing, [], [chunk])


def _places(image, wanted):
    """The numbers in an image, which rise, and for each pixel its place among them."""
    low, high = int(image.min()), int(image.max())
    if high - low > 4 * image.size:  # far apart
        names, places = np.unique(image, return_inverse=True)
        return names, places.reshape(image.shape)
    from_low = (image - image.dtype.type(low)).astype(np.intp)
    present = np.zeros(high - low + 1, bool)
    present[from_low] = True
    names = np.flatnonzero(present).astype(image.dtype) + image.dtype.type(low)
    return names, (np.cumsum(present) - 1)[from_low] if wanted else None


def _mapped(image, table, task):
    names, answers = table
    lists = {"input_vals": names, "output_vals": answers}
    return on_chunk(image, task=task._replace(kwargs=lists))


def without_small_labels(call, image, limit):
    """`morphology.remove_small_objects` of labels."""
    labels = Labels(
        image,
        _Kept(limit),
        columns=(("add", _sizes),),
        name="remove_small_objects",
    )
    return labels.looked_up(call, image.dtype)


def _sizes(places, number, here):
    return np.bincount(places.reshape(-1), minlength=number)


class _Kept:
    """Answers: labels of more pixels than a limit, 0 for others."""

    def __init__(self, limit):
        self.limit = limit

    def __call__(self, names, sizes):
        if names[0] < 0:
            raise ValueError(NEGATIVE)
        if names[-1] == 1:
            warn_caller(ONE_LABEL, UserWarning)
        return np.where(sizes <= self.limit, names.dtype.type(0), names)


def relabel_sequential(call):
    """`segmentation.relabel_sequential`: the labels, and the maps as delayed objects."""
    (image,) = call.images
    labels = _relabelled(call, "label_field", image, int(call.options["offset"]))
    maps = (
        call.made(_map, labels.found, dtype=object, back=back).to_delayed().item()
        for back in (False, True)
    )
    return labels.looked_up(call, image.dtype), *maps


def _relabelled(call, parameter, image, offset):
    most = min(image.size, np.iinfo(image.dtype).max)  # labels but 0
    last, largest = offset + most - 1, np.iinfo(image.dtype).max
    if last > largest or (last == largest and image.dtype.kind == "i"):
        raise Declined(
            f"{parameter} is of a small dtype, and labels may become more than it holds, which is "
            f"not known before they are computed; give it as numpy.int64"
        )
    return Labels(image, _Numbers(offset, image.dtype), name=call.name.rpartition(":")[2])


class _Numbers:
    """Answers: new numbers from `offset` on; 0 stays."""

    def __init__(self, offset, dtype):
        self.offset, self.dtype = offset, dtype

    def __call__(self, names):
        if names[0] < 0:
            raise ValueError(NOT_RELABELLED)
        has_zero = names[0] == 0
        numbers = np.arange(self.offset - has_zero, self.offset - has_zero + len(names))
        numbers[0] *= not has_zero
        return numbers.astype(self.dtype)


def _map(found, back):
    maps = found.names, found.answers
    return private("util._map_array").ArrayMap(*maps[:: -1 if back else 1])


def join_segmentations(call):
    """`segmentation.join_segmentations`."""
    if call.options["return_mapping"]:
        raise Declined("return_mapping of Dask arrays is given; leave return_mapping out")
    images = zip(("s1", "s2"), call.images, strict=True)
    one, other = (_relabelled(call, n, i, 1).looked_up(call, i.dtype) for n, i in images)
    both = (call.images[1].max() + np.uint8(1)) * one + other
    if both.dtype.kind not in "iu":
        raise Declined(f"s1 and s2 give numbers of {both.dtype}; give s2.astype(s1.dtype)")
    return _relabelled(call, "s1", both, 1).looked_up(call, both.dtype)
