"""skimage.metrics: hausdorff_distance and hausdorff_pair, by exact squared distances along axes.

Cost of both functions: 2 launches, 1 more for each axis above two; both images are read once, 8
bytes an element are written and read by each launch but the last. 1 launch more for each image
whose items differ in size from the other's, unless it is boolean, and for each strided one.
"""

import functools
import math
from typing import NamedTuple

import numpy as np
from scipy.spatial import cKDTree

from ..._warn import warn_caller
from ...device import launch, resident_blocks
from ...device.launches import Cost
from ...devices import to_host, xp
from ...plan import Declined, Invalid, Plan
from ...primitives.distances import rows_at_once

MOST_AXES = 8
MOST_SQUARED = 2**31 - 2
_SOURCE = "metrics/hausdorff.cu"
_BLOCK = 128
_UNSIGNED = {
    1: "unsigned char",
    2: "unsigned short",
    4: "unsigned int",
    8: "unsigned long long",
}
_SHAPE = np.dtype([("size", "i8", MOST_AXES)])


def hausdorff_distance(image0, image1, method="standard"):
    """Hausdorff distance of nonzero elements: `skimage.metrics.hausdorff_distance`.

    4 numbers come to the host.
    """
    if not isinstance(method, str) or method not in ("standard", "modified"):
        raise Invalid(f"there is no method {method!r}")
    _refuse(image0, image1)
    return Plan(functools.partial(_distance, method), cost=_cost(image0, image1))


def _distance(method, image0, image1):
    found = _distances(image0, image1, means=method == "modified")
    places = to_host(found.places)
    squared = places[[0, 2]]
    if (squared < 0).any():
        return 0 if (squared < 0).all() else np.inf
    return np.max(np.sqrt(squared) if method == "standard" else to_host(found.means))


def hausdorff_pair(image0, image1):
    """Points as far apart as the Hausdorff distance: `skimage.metrics.hausdorff_pair`.

    1 launch more, which reads 4 bytes an element. Where several points are equally near,
    scikit-image's choice depends on its tree: then the other image's distances come to the
    host, 4 bytes an element, which asks such a tree for one point.
    """
    _refuse(image0, image1)
    cost = _cost(image0, image1)
    return Plan(
        _pair, cost=cost._replace(launches=cost.launches + 1, read=cost.read + 8 * image0.size)
    )


def _pair(image0, image1):
    found = _distances(image0, image1)
    sizes = np.array(((1,) * (MOST_AXES - image0.ndim) + image0.shape,), _SHAPE)[()]
    launch(
        _SOURCE,
        "nearest_points",
        (found.squared, image0.size, sizes, found.places),
        work=image0.size,
        block=_BLOCK,
    )
    far0, point0, far1, point1, count, before_end = map(int, to_host(found.places))
    if min(far0, far1) < 0:
        warn_caller("One or both of the images is empty.", UserWarning)
        return (), ()
    of_first = far0 > far1
    point, nearest = point0 if of_first else point1, image0.size - before_end
    if count > 1:
        others = found.squared[1 if of_first else 0].reshape(image0.shape)
        nearest = _by_tree(to_host(others), point)
    pair = (point, nearest) if of_first else (nearest, point)
    points = xp.asarray(np.transpose(np.unravel_index(pair, image0.shape)))
    return points[0], points[1]


def _refuse(image0, image1):
    if not (hasattr(image0, "nbytes") and hasattr(image1, "nbytes")):
        raise Declined("images are not both arrays; give numpy.asarray(...)")
    if image0.shape != image1.shape:
        raise Declined("images differ in shape; give numpy.broadcast_to(...) for the smaller one")
    if not 0 < image0.ndim <= MOST_AXES:
        raise Declined(f"images have {image0.ndim} axes; give 1 to {MOST_AXES}")
    if not image0.size:
        raise Declined("images are empty; nothing to change")
    if sum((size - 1) ** 2 for size in image0.shape) > MOST_SQUARED:
        raise Declined("images have a diagonal whose square exceeds 2**31; give smaller ones")


def _cost(image0, image1):
    """Of the distances; partial results of blocks are counted, which are many for their size."""
    casts, read = [], image0.nbytes + image1.nbytes
    if image0.dtype.itemsize != image1.dtype.itemsize:
        casts = [image for image in (image0, image1) if image.dtype.kind != "b"]
        read = sum(image.nbytes for image in casts) + 2 * image0.size
    further = max(0, image0.ndim - 2)
    partials = 64 * -(-image0.size // _BLOCK)
    between = (1 + further) * 8 * image0.size + partials
    casted = len(casts) * image0.size
    return Cost(2 + further + len(casts), read + between, casted + between, casted + between)


def _by_tree(squared, point):
    """Index of that of the nearest points which SciPy's tree finds."""
    points = np.transpose(np.nonzero(squared == 0))
    _, found = cKDTree(points).query(np.unravel_index(point, squared.shape))
    return np.ravel_multi_index(points[found], squared.shape)


class _Found(NamedTuple):
    """What the kernels found; see metrics/hausdorff.cu."""

    squared: object
    places: object
    means: object


def _distances(image0, image1, *, means=False):
    if image0.dtype.itemsize != image1.dtype.itemsize:
        image0, image1 = image0.astype(bool, copy=False), image1.astype(bool, copy=False)
    shape = image0.shape if image0.ndim > 1 else (1, *image0.shape)
    size, columns = image0.size, math.prod(shape[1:])
    squared, chunk = xp.empty((2, *shape), "int32"), rows_at_once(shape[0])
    launch(
        _SOURCE,
        f"column_distances<{_UNSIGNED[image0.dtype.itemsize]}>",
        (
            *(xp.ascontiguousarray(image) for image in (image0, image1)),
            *(_mask(image.dtype) for image in (image0, image1)),
            *(np.int32(shape[0]), columns, np.int32(chunk), squared),
        ),
        work=2 * columns * -(-shape[0] // chunk),
        block=_BLOCK,
    )
    for axis in range(1, len(shape) - 1):
        into = xp.empty(squared.shape, "int32")
        view = 2 * math.prod(shape[:axis]), shape[axis], math.prod(shape[axis + 1 :])
        launch(_SOURCE, "axis_distances", (squared, into, *view), work=2 * size, block=_BLOCK)
        squared = into

    blocks = min(-(-size // _BLOCK), resident_blocks(_BLOCK))
    found = _Found(squared, xp.zeros(6, "int64"), xp.empty(2))
    launch(
        _SOURCE,
        "farthest_points",
        (
            *(squared, size // shape[-1], shape[-1], means, xp.zeros(2, "int32")),
            *(xp.empty((blocks, 8)), xp.zeros(1, "uint32"), found.places, found.means),
        ),
        work=size,
        block=_BLOCK,
        grid=(blocks,),
    )
    return found


def _mask(dtype):
    """Bits that make an element nonzero: all but the sign of a floating one."""
    ones = (1 << 8 * dtype.itemsize) - 1
    return np.uint64(ones >> 1 if dtype.kind == "f" else ones)


def specializations():
    """Every (source, expression) that these functions launch."""
    for name in _UNSIGNED.values():
        yield _SOURCE, f"column_distances<{name}>"
    for kernel in ("axis_distances", "farthest_points", "nearest_points"):
        yield _SOURCE, kernel
