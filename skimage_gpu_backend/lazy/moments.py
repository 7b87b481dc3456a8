"""Moments of Dask arrays: sums of those of chunks, whose center is where the whole image has it."""

import numpy as np

from ..scikit_image import on_host, private
from ..trouble import Declined
from . import sums
from .chunk import on_chunk

_OF_MU = "mu is given, after which the image is not read; give a small image, as [[0]]"


def moments(call):
    """Raw moments."""
    return _around(call, (0,) * call.images[0].ndim)


def moments_central(call):
    """Moments around a center, by default the centroid."""
    center = call.options["center"]
    return _of_raw(call, _central) if center is None else _around(call, center)


def centroid(call):
    """Weighted mean of the coordinates."""
    return _of_raw(call, _centroid, order=1)


def inertia_tensor(call):
    """Covariance of the intensity along the axes."""
    if call.options["mu"] is not None:
        raise Declined(_OF_MU)
    return _of_raw(call, _inertia, order=2)


def inertia_tensor_eigvals(call):
    """Eigenvalues of the inertia tensor, each a Dask array without axes."""
    if call.options["T"] is not None:
        raise Declined(
            "T is given, after which the image is not read; give a small image, as [[0]]"
        )
    if call.options["mu"] is not None:
        raise Declined(_OF_MU)
    return list(_of_raw(call, _eigenvalues, order=2))


def _around(call, center):
    dtype = _dtype(call, center)
    order = call.options["order"]
    lengths = (order + 1,) * call.images[0].ndim
    total = _summed(call, center, order)
    return call.made(_as_dtype, total, dtype=dtype, lengths=lengths, into=dtype)


def _of_raw(call, make, order=None):
    (image,) = call.images
    order = call.options["order"] if order is None else order
    center = (0,) * image.ndim
    dtype = _dtype(call, center)
    lengths = (order + 1,) * image.ndim if make is _central else (image.ndim,)
    if make is _inertia:
        lengths *= 2
    total = _summed(call, center, order)
    return call.made(
        make, total, dtype=_made_of(make, dtype, order, image.ndim), lengths=lengths, into=dtype
    )


def _made_of(make, dtype, order, ndim):
    one = np.zeros((order + 1,) * ndim)
    one[(0,) * ndim] = 1
    return make(one, into=dtype).dtype


def _dtype(call, center):
    """Of the raw moments."""
    (image,) = call.images
    small = np.zeros((1,) * image.ndim, image.dtype)
    spacing = call.options["spacing"]
    return on_host("skimage.measure:moments_central", small, center, 0, spacing=spacing).dtype


def _summed(call, center, order):
    (image,) = call.images
    spacing = call.options["spacing"]
    task = call.task("skimage.measure:moments_central", ("image",), order=order, spacing=spacing)
    parts = image.map_blocks(
        _part,
        task=task,
        center=tuple(map(float, center)),
        chunks=tuple((1,) * n for n in image.numblocks),
        dtype=object,
        meta=np.empty((0,) * image.ndim, object),
        token="moments-part",
    )
    return sums.totalled(parts, sums.add_arrays)


def _part(chunk, task, center, block_info):
    starts = [start for start, _ in block_info[0]["array-location"]]
    spacing = task.kwargs["spacing"]
    steps = [1.0] * chunk.ndim if spacing is None else [float(s) for s in spacing[: chunk.ndim]]
    center = tuple(c - at * step for c, at, step in zip(center, starts, steps, strict=True))
    found = on_chunk(chunk, task=task._replace(kwargs={**task.kwargs, "center": center}))
    return np.asarray(found.get() if hasattr(found, "get") else found, float)


def _as_dtype(total, into):
    return total.astype(into, copy=False)


def _central(total, into):
    return private("measure._moments_analytical").moments_raw_to_central(
        total.astype(into, copy=False)
    )


def _centroid(total, into):
    total = total.astype(into, copy=False)
    return total[tuple(np.eye(total.ndim, dtype=int))] / total[(0,) * total.ndim]


def _inertia(total, into):
    mu = _central(total, into)
    return on_host("skimage.measure:inertia_tensor", np.empty((1,) * mu.ndim), mu)


def _eigenvalues(total, into):
    tensor = _inertia(total, into)
    none = np.empty((1,) * total.ndim)
    return np.array(on_host("skimage.measure:inertia_tensor_eigvals", none, None, tensor))
