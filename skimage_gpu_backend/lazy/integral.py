"""`transform.integral_image` of Dask arrays: the last layer of a chunk is carried to the next one.

Along each axis in turn, as scikit-image adds: so sums of floats are equal, too.
"""

import numpy as np


def integral_image(call):
    """Running sums along each axis."""
    (image,) = call.images
    dtype = call.options["dtype"]
    if dtype is None and image.dtype.kind == "f":
        dtype = np.promote_types(image.dtype, np.float64)
    dtype = np.zeros(1, image.dtype).cumsum(dtype=dtype).dtype
    for axis in range(image.ndim):
        image = _summed(image, axis, dtype)
    return image


def _summed(image, axis, dtype):
    """Running sums along one axis, two tasks a chunk."""
    import dask.array as da
    from dask.base import tokenize
    from dask.highlevelgraph import HighLevelGraph

    token = tokenize(image, axis, dtype)
    name, layer = f"integral_image-{token}", f"integral_image-layer-{token}"
    tasks = {}
    for place in np.ndindex(*image.numblocks):
        before = (*place[:axis], place[axis] - 1, *place[axis + 1 :])
        carried = (layer, *before) if place[axis] else None
        tasks[name, *place] = (_running, (image.name, *place), carried, axis, dtype)
        if place[axis] + 1 < image.numblocks[axis]:
            tasks[layer, *place] = (_last, (name, *place), axis)
    graph = HighLevelGraph.from_collections(name, tasks, dependencies=[image])
    return da.Array(graph, name, image.chunks, meta=np.empty_like(image._meta, dtype=dtype))


def _running(chunk, carried, axis, dtype):
    sums = chunk.astype(dtype)
    if carried is not None:
        sums[(slice(None),) * axis + (slice(1),)] += carried
    return sums.cumsum(axis=axis, dtype=dtype)


def _last(chunk, axis):
    return chunk[(slice(None),) * axis + (slice(-1, None),)].copy()
