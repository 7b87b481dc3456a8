"""metrics.normalized_mutual_information: the joint histogram of two images."""

import cupy as cp
import numpy as np
from scipy.stats import entropy

from ..device import launch
from ..device.dtypes import code
from ..primitives import value_range as _value_range
from ..primitives.reduce import BLOCK, blocks_for, in_memory_order

_SOURCE = "metrics/joint_histogram.cu"
# 32-bit counters that a block has room for on every device without asking for more
_SHARED_BINS = 12 * 1024


def specializations():
    """Every (source, expression) that this op launches."""
    yield _SOURCE, "joint_histogram"
    yield from _value_range.specializations()


def normalized_mutual_information(image0, image1, *, bins=100):
    """As `skimage.metrics.normalized_mutual_information`; edges of bins are NumPy's.

    3 launches: the range of each image, then the joint histogram; each image is read twice.
    One more launch pads the smaller of two images of different shapes. The counts come to
    the host, which makes entropies of them as scikit-image does.
    """
    if image0.shape != image1.shape:
        shape = tuple(map(max, image0.shape, image1.shape))
        image0, image1 = (_padded(image, shape) for image in (image0, image1))
    image0, image1 = in_memory_order(image0, image1)
    dtype = np.result_type(image0.dtype, image1.dtype)
    ranges = [_value_range.value_range(image).get()[:2] for image in (image0, image1)]
    # it looks at no more of the images than their ranges, and refuses some
    _, edges = np.histogramdd(np.stack(ranges, axis=1).astype(dtype), bins)
    counts = _counts(image0, image1, [borders.astype(float) for borders in edges])

    # from here on numpy.histogramdd's and scikit-image's arithmetic
    density = counts.get().astype(float).reshape([borders.size - 1 for borders in edges])
    total = density.sum()
    for axis, borders in enumerate(edges):
        density = density / np.diff(borders).reshape((-1, 1) if axis == 0 else (1, -1))
    density /= total
    both = entropy(density.reshape(-1))
    return (entropy(density.sum(axis=0)) + entropy(density.sum(axis=1))) / both


def _padded(image, shape):
    if image.shape == shape:
        return image
    padded = cp.zeros(shape, image.dtype)
    padded[tuple(map(slice, image.shape))] = image
    return padded


def _counts(image0, image1, edges):
    bins = [borders.size - 1 for borders in edges]
    counts = cp.zeros(bins[0] * bins[1], "uint64")
    in_shared = counts.size <= _SHARED_BINS
    blocks = blocks_for(max(image0, image1, key=lambda image: image.dtype.itemsize))
    launch(
        _SOURCE,
        "joint_histogram",
        (
            *(image0, code(image0.dtype), image1, code(image1.dtype), image0.size),
            cp.asarray(np.concatenate(edges)),
            *map(np.int32, bins),
            *(_scale(borders) for borders in edges),
            *(in_shared, counts),
        ),
        work=image0.size,
        block=BLOCK,
        shared=4 * counts.size if in_shared else 0,
        grid=(blocks,),
    )
    return counts


def _scale(borders):
    """Bins in a unit of the range; 0, so that bins are searched from the first, without one."""
    with np.errstate(all="ignore"):
        scale = (borders.size - 1) / (borders[-1] - borders[0])
    return float(scale) if np.isfinite(scale) else 0.0
