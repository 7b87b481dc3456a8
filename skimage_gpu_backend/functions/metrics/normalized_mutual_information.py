"""skimage.metrics.normalized_mutual_information: the joint histogram of two images."""

import functools
import math

import numpy as np
from scipy.stats import entropy

from ...device import launch, resident_blocks
from ...device.dtypes import code
from ...device.launches import Cost
from ...devices import to_host, xp
from ...plan import Declined, Invalid, Plan
from ...primitives.lookup import levels
from ...primitives.reduce import in_memory_order
from ...primitives.value_range import host_ranges
from ._pairs import refuse_but_arrays

# Bins whose counts the host makes entropies of.
MOST_BINS = 1 << 22
_SOURCE = "metrics/joint_histogram.cu"
_BLOCK, _PACK = 1024, 4  # THREADS and N in the kernels
# bytes of shared memory that a block has on every device without asking for more
_SHARED = 48 * 1024


def normalized_mutual_information(image0, image1, *, bins=100):
    """`skimage.metrics.normalized_mutual_information`; edges of bins are NumPy's.

    3 launches: the range of each image, then the joint histogram; each image is read twice.
    One more launch pads the smaller of two images of different shapes. The counts come to
    the host, which makes entropies of them as scikit-image does.
    """
    refuse_but_arrays(image0, image1)
    if image0.ndim != image1.ndim:
        raise Invalid("images differ in their number of dimensions")
    if image0.size == 0 or image1.size == 0:
        raise Declined("images are empty; nothing to change")
    if image0.ndim == 0:
        raise Declined("images have no axes; nothing to change")
    bins = _pair(bins)
    shape = tuple(map(max, image0.shape, image1.shape))
    run = functools.partial(_mutual_information, shape, bins)
    return Plan(run, cost=_cost(image0, image1, shape, bins))


def _pair(bins):
    """Bins of each image."""
    if isinstance(bins, int | np.integer):
        bins = bins, bins
    if not isinstance(bins, list | tuple):
        raise Declined("bins is neither an integer nor a pair of them; give an integer, as 100")
    if len(bins) != 2:
        raise Invalid("bins are not given for two images")
    if not all(isinstance(count, int | np.integer) for count in bins):
        raise Declined("bins is not of integers; give an integer, as 100")
    if min(bins) < 1:
        raise Invalid("bins are not positive")
    if int(bins[0]) * int(bins[1]) > MOST_BINS:
        raise Declined(f"bins makes more than {MOST_BINS} bins; give fewer, as 100")
    return tuple(bins)


def _cost(image0, image1, shape, bins):
    padded = [image for image in (image0, image1) if image.shape != shape]
    pixels = math.prod(shape)
    whole = pixels * (image0.dtype.itemsize + image1.dtype.itemsize)
    between = sum(pixels * image.dtype.itemsize for image in padded)
    counts, edges = 8 * int(bins[0]) * int(bins[1]), 8 * (int(bins[0]) + int(bins[1]) + 2)
    read = 2 * whole + edges + sum(image.nbytes for image in padded)
    return Cost(3 + len(padded), read, counts + between, between + counts)


def _mutual_information(shape, bins, image0, image1):
    image0, image1 = in_memory_order(*(_padded(image, shape) for image in (image0, image1)))
    dtype = np.result_type(image0.dtype, image1.dtype)
    edges = edges_between([told[:2] for told in host_ranges(image0, image1)], dtype, bins)
    return information(to_host(counts_between(edges, image0, image1)), edges)


def edges_between(ranges, dtype, bins):
    """NumPy's edges of the bins of each image, whose dtypes promote to `dtype`.

    Parameters
    ----------
    ranges : list of array
        Least and largest element of each image.
    dtype : numpy.dtype
    bins : int or sequence of int
    """
    # it looks at no more of the images than their ranges, and refuses some
    return np.histogramdd(np.stack(ranges, axis=1).astype(dtype), bins)[1]


def information(counts, edges):
    """Normalized mutual information, by the arithmetic of numpy.histogramdd and scikit-image."""
    density = counts.astype(float).reshape([borders.size - 1 for borders in edges])
    total = density.sum()
    for axis, borders in enumerate(edges):
        density = density / np.diff(borders).reshape((-1, 1) if axis == 0 else (1, -1))
    density /= total
    both = entropy(density.reshape(-1))
    return (entropy(density.sum(axis=0)) + entropy(density.sum(axis=1))) / both


def _padded(image, shape):
    if image.shape == shape:
        return image
    padded = xp.zeros(shape, image.dtype)
    padded[tuple(map(slice, image.shape))] = image
    return padded


def counts_between(edges, image0, image1):
    """How often the bins of two images of one shape meet, on the device.

    1 launch; each image is read once.
    """
    image0, image1 = in_memory_order(image0, image1)
    edges = [borders.astype(float) for borders in edges]
    bins = [borders.size - 1 for borders in edges]
    counts = xp.zeros(bins[0] * bins[1], "uint64")
    shared = 0
    if image0.dtype.itemsize == image1.dtype.itemsize == 1:
        expression = "joint_histogram_bytes"
        rows, columns = (
            _bins_of(levels(image.dtype), borders)
            for image, borders in zip((image0, image1), edges, strict=True)
        )
        places = np.concatenate([rows * bins[1], columns]).astype(np.int32)
        shared = places.nbytes
        args = (image0, image1, image0.size, xp.asarray(places), np.int32(counts.size))
    else:
        expression = f"joint_histogram<{_held_in(image0.dtype, image1.dtype)}>"
        args = (
            *(image0, code(image0.dtype), image1, code(image1.dtype), image0.size),
            xp.asarray(np.concatenate(edges)),
            *map(np.int32, bins),
            *(_scale(borders) for borders in edges),
        )
    in_shared = shared + 4 * counts.size <= _SHARED
    blocks = min(-(-image0.size // (_BLOCK * _PACK)), resident_blocks(_BLOCK))
    launch(
        _SOURCE,
        expression,
        (*args, in_shared, counts),
        work=image0.size,
        block=_BLOCK,
        shared=shared + 4 * counts.size * in_shared,
        grid=(blocks,),
    )
    return counts


def _bins_of(values, borders):
    """The bin of each value, as numpy.histogramdd finds it; any bin for what is outside."""
    bins = np.searchsorted(borders, values, side="right") - 1
    return bins.clip(0, borders.size - 2)


def _held_in(*dtypes):
    """Type that holds their numbers, and tells where edges in their precision are."""
    dtype = np.result_type(*dtypes, np.float32)
    return "float" if dtype == np.float32 and np.result_type(*dtypes) != np.float16 else "double"


def _scale(borders):
    """Bins in a unit of the range; 0, so that bins are searched from the first, without one."""
    with np.errstate(all="ignore"):
        scale = (borders.size - 1) / (borders[-1] - borders[0])
    return float(scale) if np.isfinite(scale) else 0.0


def specializations():
    """Every (source, expression) that this function launches, besides those of primitives."""
    yield _SOURCE, "joint_histogram_bytes"
    for name in ("float", "double"):
        yield _SOURCE, f"joint_histogram<{name}>"
