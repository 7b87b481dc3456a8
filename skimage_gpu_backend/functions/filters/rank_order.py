"""skimage.filters.rank_order."""

import numpy as np

from ...device.lazy import cp
from ...plan import Declined, Plan


def rank_order(image):
    """Each element's place among the values of an image: `skimage.filters.rank_order`.

    The image is sorted by CuPy; their number of values comes to the host.
    """
    if image.ndim == 0 or image.size == 0:
        raise Declined("image has no axes, or is empty; nothing to change")
    return Plan(_ranked)


def _ranked(image):
    flat = image.ravel()
    order = flat.argsort()
    values = flat[order]
    if values.dtype.kind == "f" and bool(cp.isnan(values[-1])):  # NaN comes last
        raise Declined(
            "image has NaN, whose order is chance; give numbers, as numpy.nan_to_num(image)"
        )
    is_new = cp.ones(flat.shape, bool)
    cp.not_equal(values[1:], values[:-1], out=is_new[1:])
    place = cp.cumsum(is_new) - 1
    ranks = cp.empty(flat.shape, np.min_scalar_type(flat.size))
    ranks[order] = place
    return ranks.reshape(image.shape), values[is_new]
