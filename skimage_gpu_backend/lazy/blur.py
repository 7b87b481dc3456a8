"""`measure.blur_effect` of Dask arrays: sums of edges of chunks with halos."""

import math
from functools import partial
from itertools import accumulate

import numpy as np
from scipy import ndimage as ndi
from skimage.filters import sobel
from skimage.util import img_as_float

from ..device.dtypes import float_type
from ..functions.measure.blur_effect import edges_inside, inside
from ..plan import Reach
from ..trouble import Declined
from . import sums
from .chunk import on_chunk
from .graph import Graph
from .measured import measured, plan_to

_LEAST = np.spacing(np.float64(1))  # of edges that count
_NUMBERS = (np.max, np.min, np.mean, np.median, np.sum, max, min, sum)


def blur_effect(call):
    """How blurred an image is: a Dask array without axes, or one for each axis."""
    (image,) = call.images
    reduce_func = call.options["reduce_func"]
    if reduce_func is not None and not any(reduce_func is each for each in _NUMBERS):
        raise Declined(
            "reduce_func is none of numpy's max, min, mean, median and sum; give reduce_func=None, "
            "and call it with the list, once computed"
        )
    axis, size = call.options["channel_axis"], int(call.options["h_size"])
    if axis is not None:
        image = _gray(call, image, int(axis) % image.ndim)
    task = call.task(call.name, ("image",), h_size=size)
    # one more for the edges of what has been blurred
    graph = Graph([image], Reach((size // 2 + 1,) * image.ndim), task)
    total = graph.added_up(_edges, sums.add_arrays)
    if reduce_func is None:
        places = range(image.ndim)
        return [call.made(_effect, total, dtype=float, place=place) for place in places]
    return call.made(_reduced, total, dtype=float, reduce_func=reduce_func)


def _gray(call, image, axis):
    dtype = np.dtype(float_type(image.dtype))
    return image.rechunk({axis: -1}).map_blocks(
        on_chunk,
        task=call.task("skimage.color:rgb2gray", ("rgb",), channel_axis=axis),
        drop_axis=axis,
        dtype=dtype,
        meta=np.empty_like(image._meta, shape=(0,) * (image.ndim - 1), dtype=dtype),
    )


def _edges(block, task, axes, block_id):
    """Sums of edges in a chunk, and of what blurring takes of them, for each axis."""
    within = []
    whole = inside([sum(axis.chunks) for axis in axes])
    for axis, number, (first, behind) in zip(axes, block_id, whole, strict=True):
        own, start = axis.core(number), (0, *accumulate(axis.chunks))[number]
        shift = own.start - start
        within.append((max(own.start, first + shift), min(own.stop, behind + shift)))
    if math.prod(max(behind - first, 0) for first, behind in within) == 0:
        return np.zeros((block.ndim, 2))
    size = task.kwargs["h_size"]
    make = partial(edges_inside, size, tuple(within))
    found = measured((block,), task, plan_to(make), partial(_edges_on_host, size, within))
    return found.get() if hasattr(found, "get") else found


def _edges_on_host(size, within, image):
    """As scikit-image has them of a whole image."""
    image = img_as_float(image)
    within = tuple(slice(*ends) for ends in within)
    found = np.empty((image.ndim, 2))
    for axis, both in enumerate(found):
        blurred = ndi.uniform_filter1d(image, size, axis=axis)
        sharp, left = (
            np.maximum(_LEAST, np.abs(sobel(each, axis=axis))[within]) for each in (image, blurred)
        )
        both[:] = np.sum(sharp), np.sum(np.maximum(0, sharp - left))
    return found


def _effect(total, place):
    return _effects(total)[place]


def _effects(total):
    return [np.abs(sharp - lost) / sharp for sharp, lost in total]


def _reduced(total, reduce_func):
    return reduce_func(_effects(total))
