"""`metrics.structural_similarity` of Dask arrays: an image of it, of which the mean is taken."""

import math

import numpy as np

from ..device.dtypes import float_type
from ..functions.metrics import structural_similarity as room
from ..plan import Reach
from .chunk import on_chunk
from .graph import Graph, Made

_NAME = "skimage.metrics:structural_similarity"


def structural_similarity(call):
    """Mean, and the gradient and the image of similarities where they are asked for."""
    one, other = call.images
    options = {**call.options, **call.options["kwargs"], "gradient": False, "full": True}
    gradient, full = call.options["gradient"], call.options["full"]
    options.pop("kwargs")
    axis = options["channel_axis"]
    axis = None if axis is None else int(axis) % one.ndim
    found = None
    if options["data_range"] is None:
        options["data_range"] = found = room._range_of(one.dtype, other.dtype)
    ignored = room.ignores(options["win_size"], options["gaussian_weights"])
    options["win_size"] = None if ignored else options["win_size"]
    channels = 1 if axis is None else one.shape[axis]
    room.warn_of_arguments(found, ignored, one.dtype, other.dtype, channels)
    windows = room._filter(
        options["win_size"], options["gaussian_weights"], options.get("sigma", 1.5)
    )
    pad = windows.size // 2
    dtype = np.dtype(float_type(one.dtype))
    index = _image(call, dtype, windows, axis, 1, _index, options)
    results = [_mean(call, index, pad, axis)]
    if gradient:
        options = {**options, "gradient": True}
        pixels = one.size // (1 if axis is None else one.shape[axis])
        results.append(_image(call, dtype, windows, axis, 2, _slope, options, pixels=pixels))
    if full:
        results.append(index)
    return results[0] if len(results) == 1 else tuple(results)


def _image(call, dtype, windows, axis, times, function, options, **numbers):
    one, other = call.images
    # one more, so that no chunk is smaller than a window
    reach = max(windows.reach, windows.size) // 2 * times + 1
    halo = tuple(None if a == axis else reach for a in range(one.ndim))
    task = call.task(_NAME, ("im1", "im2"), **options)
    made = Made(one.shape, dtype)
    return Graph([one, other], Reach(halo), task).results(made, function, axis=axis, **numbers)


def _index(one, other, task, axis):
    return on_chunk(one, other, task=task)[1]


def _slope(one, other, task, axis, pixels):
    slope = on_chunk(one, other, task=task)[1]
    slope *= one.size / (1 if axis is None else one.shape[axis]) / pixels
    return slope


def _mean(call, index, pad, axis):
    inner = tuple(
        slice(None) if a == axis else slice(pad, n - pad) for a, n in enumerate(index.shape)
    )
    inner = index[inner]
    axes = tuple(a for a in range(index.ndim) if a != axis)
    # no Dask's own mean, which is not of CuPy's chunks
    means = inner.sum(axis=axes, dtype=np.float64) / math.prod(inner.shape[a] for a in axes)
    if axis is not None:
        means = means.astype(index.dtype).sum(dtype=index.dtype) / index.shape[axis]
    return call.made(_number, means, dtype=means.dtype, into=means.dtype)


def _number(mean, into):
    return into.type(float(mean))
