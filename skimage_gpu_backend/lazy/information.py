"""`metrics.normalized_mutual_information` of Dask arrays: both ranges, then a joint histogram."""

from functools import partial

import numpy as np

from ..functions.metrics import normalized_mutual_information as room
from . import sums
from .measured import measured, plan_to


def normalized_mutual_information(call):
    """Mutual information of two images: two passes, then NumPy's and scikit-image's arithmetic."""
    one, other = call.images
    ends = [x for image in (one, other) for x in (image.min(), image.max())]
    dtype, bins = np.result_type(one.dtype, other.dtype), call.options["bins"]
    edges = call.made(_edges, *ends, dtype=object, into=dtype, bins=bins)
    task = call.task(call.name, ("image0", "image1"), bins=bins)
    counts = sums.summed(_counts, (one, other, edges), sums.add_arrays, task=task)
    return call.made(_information, counts, edges, dtype=float)


def _edges(*ends, into, bins):
    ends = [np.asarray(end.get() if hasattr(end, "get") else end) for end in ends]
    return room.edges_between([np.stack(ends[:2]), np.stack(ends[2:])], into, bins)


def _counts(one, other, edges, task):
    make = partial(room.counts_between, edges)
    found = measured((one, other), task, plan_to(make), partial(_counts_on_host, edges))
    return found.get() if hasattr(found, "get") else found


def _counts_on_host(edges, one, other):
    found, _ = np.histogramdd([one.ravel(), other.ravel()], edges)
    return found.reshape(-1).astype(np.uint64)


def _information(counts, edges):
    return room.information(counts, edges)
