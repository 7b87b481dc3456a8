"""`exposure.match_histograms` of Dask arrays of integers: both are counted; levels from a table."""

from functools import partial

import numpy as np

from ..functions.exposure import match_histograms as room
from ..plan import Plan
from ..trouble import Declined
from . import sums
from .chunk import histogram_of
from .graph import as_lazy
from .measured import measured


def match_histograms(call):
    """An image with the histogram of another, which may have another shape."""
    image, reference = map(as_lazy, call.images)
    for each in (image, reference):
        if each.dtype.kind == "f" or each.dtype.itemsize > 2:
            raise Declined(
                f"image or reference is a Dask array of {each.dtype}, which has too many values "
                "to be counted by chunks; give image.compute(), or 16 bits, as "
                "img_as_uint(image), which changes the result"
            )
    axis = call.options["channel_axis"]
    axis = None if axis is None else int(axis) % image.ndim
    if axis is not None:
        image, reference = (each.rechunk({axis: -1}) for each in (image, reference))
    task = call.task("skimage.exposure:histogram", ("image",))
    counts = (
        sums.summed(_counted, (each,), _added, task=task, axis=axis) for each in (image, reference)
    )
    dtype = np.dtype(float) if axis is None else image.dtype
    tables = call.made(_tables, *counts, dtype=object, into=dtype)
    return image.map_blocks(
        _looked_up,
        tables,
        dtype=dtype,
        meta=np.empty_like(image._meta, dtype=dtype),
        token="match_histograms",
        task=call.task(call.name, ("image", "reference"), channel_axis=axis),
    )


def _counted(chunk, task, axis):
    """Counts and centers of each channel."""
    if chunk.dtype.kind == "b":
        chunk = chunk.view("uint8")
    channels = chunk[np.newaxis] if axis is None else np.moveaxis(chunk, axis, 0)
    return tuple(histogram_of(channel, task=task) for channel in channels)


def _added(parts):
    return tuple(sums.add_counts(channel) for channel in zip(*parts, strict=True))


def _tables(own, other, into):
    """Levels of each channel's elements, and the element that the first is of."""
    first = min(int(centers[0]) for _, centers in own)
    last = max(int(centers[-1]) for _, centers in own)
    tables = np.zeros((len(own), last - first + 1), into)
    for table, (counts, centers), levels in zip(tables, own, other, strict=True):
        start = int(centers[0]) - first
        table[start : start + len(counts)] = room._matched((counts, centers), levels)[0]
    return tables, first


def _looked_up(chunk, found, task):
    tables, first = found
    axis = task.kwargs["channel_axis"]

    def plan_of(plan):
        return Plan(partial(room.looked_up, axis, first, tables), reads=("image",))

    host = partial(_on_host, axis, first, tables)
    return measured((chunk, chunk), task, plan_of, host)  # a reference, which is not read


def _on_host(axis, first, tables, image, _):
    if axis is None:
        return tables[0][image.astype(np.intp) - first]
    places = np.moveaxis(image, axis, 0).astype(np.intp) - first
    found = (table[each] for table, each in zip(tables, places, strict=True))
    return np.stack(list(found), axis)
