"""skimage.exposure.equalize_hist."""

import functools

import numpy as np

from ...device import c_name
from ...device.dtypes import float_type
from ...device.launches import Array, Cost
from ...devices import xp
from ...plan import Declined, Passes, Plan, point
from ...primitives.arguments import is_numeric
from ...primitives.histogram import checked_bins, cost
from ...primitives.lookup import by_table, levels
from ...primitives.points import launch_points
from ._levels import bits_of_integer
from .histogram import distribution, warn_of_color

_INTERPOLATE = "exposure/interpolate.cu"
# nodes of three doubles that a block has room for on every device without asking for more
_SHARED_NODES = 1024


def equalize_hist(image, nbins=256, mask=None):
    """An image of which each grey level is as frequent: `skimage.exposure.equalize_hist`.

    2 launches for 8-bit and bool images, else 3 (range, histogram, result); the image is
    read once in each, the result is written once. A mask takes a few more, which put the
    elements in it together.
    """
    if image.ndim == 0:
        raise Declined("image has no axes; nothing to change")
    if mask is not None:
        _refuse_mask(mask, image)
        return Plan(functools.partial(_inside, checked_bins(image, nbins)))
    nbins = checked_bins(image, nbins)
    if image.dtype.kind in "iu":
        nbins = None  # one bin for each integer
    return _planned(image.shape, image.dtype, nbins)


@functools.lru_cache(maxsize=256)
def _planned(shape, dtype, nbins):
    image = Array(shape, dtype)
    find = functools.partial(_level_shares, nbins)
    run = functools.partial(_equalized, find)
    return Plan(run, Passes(find, _made, point(image)), cost=_cost(image, nbins))


def _refuse_mask(mask, image):
    if isinstance(mask, np.ndarray) and type(mask) is not np.ndarray:
        raise Declined("mask is of a subclass of NumPy's arrays; give numpy.asarray(mask)")
    if not hasattr(mask, "dtype"):
        raise Declined("mask is not an array; give numpy.asarray(mask)")
    if mask.shape != image.shape:
        raise Declined(
            "mask has another shape than the image; give numpy.broadcast_to(mask, image.shape)"
        )
    if not is_numeric(mask.dtype):
        raise Declined(f"mask has dtype {mask.dtype}; give mask.astype(bool)")
    if image.dtype.kind in "iu" and image.dtype.itemsize > 2:
        raise Declined(
            "mask is given for an image of integers of more than 16 bits; give the image as floats"
        )


def _cost(image, nbins):
    counting = cost(image, nbins)
    if counting is None:
        return None
    size = image.dtype.itemsize
    table = 3 * 8 * nbins if image.dtype.kind == "f" else 8 << 8 * size
    read = counting.read + image.nbytes + table
    result = np.dtype(float_type(image.dtype)).itemsize * image.size
    return Cost(counting.launches + 1, read, counting.written + result)


def _level_shares(nbins, image):
    """Cumulative distribution, on the host, and centers of its bins; see `equalize_hist`."""
    warn_of_color(image)
    return distribution(image, nbins)


def _equalized(find, image):
    image = xp.ascontiguousarray(image)
    return _made(find(image=image), image)


def _inside(nbins, image, mask):
    """The image equalized by the elements in the mask."""
    image = xp.ascontiguousarray(image)
    seen = image[mask.astype(bool, copy=False)]
    if seen.size == 0:
        raise Declined("mask is False everywhere; nothing to change")
    shares, centers = distribution(seen, nbins)
    if image.dtype.kind == "f":
        return _interpolated(image, centers, shares)
    return by_table(image, 0, np.interp(levels(image.dtype), centers, shares))[0]


def _made(found, image):
    """(A part of) an image whose cumulative distribution and centers of bins were found."""
    shares, centers = found
    image = xp.ascontiguousarray(image)
    if image.dtype.kind == "f":
        return _interpolated(image, centers, shares)
    if image.dtype.itemsize == 1:
        return by_table(image, 0, np.interp(levels(image.dtype), centers, shares))[0]
    return by_table(image, bits_of_integer(centers[0], image.dtype), shares)[0]


def _interpolated(image, nodes, values):
    """Element by element numpy.interp, in the floating type of scikit-image's results."""
    nodes, values = nodes.astype(float), values.astype(float)
    slopes = np.zeros(nodes.size)
    slopes[:-1] = np.diff(values) / np.diff(nodes)
    result = xp.empty(image.shape, float_type(image.dtype))
    in_shared = nodes.size <= _SHARED_NODES
    table = map(xp.asarray, (nodes, values, slopes))
    args = (image, image.size, *table, np.int32(nodes.size), in_shared, result)
    expression = f"interpolate<{c_name(image.dtype)}, {c_name(result.dtype)}>"
    shared = 3 * nodes.nbytes * in_shared
    launch_points(_INTERPOLATE, expression, args, image, result, shared=shared)
    return result


def specializations():
    """Every (source, expression) that this room launches, but for histograms and tables."""
    for types in ("float16, float", "float, float", "double, double"):
        yield _INTERPOLATE, f"interpolate<{types}>"
