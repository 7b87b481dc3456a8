"""skimage.filters.rank_order."""

import numpy as np

from ...devices import argsort, xp
from ...plan import Declined, Plan
from ...primitives.unique import Values


def rank_order(image):
    """Each element's place among the values of an image: `skimage.filters.rank_order`.

    Integers are looked up in a table of those between the least and the largest, which takes 3
    launches and a few of CuPy's on the table: the image is read three times, the ranks are
    written once. Floats, and integers that lie further apart than twice the image's elements,
    CuPy sorts. The number of values comes to the host.
    """
    if image.ndim == 0 or image.size == 0:
        raise Declined("image has no axes, or is empty; nothing to change")
    return Plan(_ranked)


def _ranked(image):
    dtype = np.min_scalar_type(image.size)
    if image.dtype.kind in "iub":
        found = Values(image)
        if found.are_close:
            ranks = found.mapped(xp.arange(found.values.size, dtype=dtype))
            return ranks, found.values.view(image.dtype)
    flat = image.ravel()
    order = argsort(flat)
    values = flat[order]
    if values.dtype.kind == "f" and bool(xp.isnan(values[-1])):  # NaN comes last
        raise Declined(
            "image has NaN, whose order is chance; give numbers, as numpy.nan_to_num(image), "
            "which changes the result"
        )
    is_new = xp.zeros(flat.shape, bool)
    xp.not_equal(values[1:], values[:-1], out=is_new[1:])
    ranks = xp.empty(flat.shape, dtype)
    ranks[order] = xp.cumsum(is_new, dtype=dtype)
    is_new[0] = True
    return ranks.reshape(image.shape), values[is_new]
