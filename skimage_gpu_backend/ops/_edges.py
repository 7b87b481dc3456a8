"""filters.sobel and its kin, roberts, laplace: one launch each, masks included.

Budget of every function here: 1 launch in any number of axes; the image (and the mask)
read once, the result written once. One more launch makes a strided image or mask
contiguous, and one turns a mask of another dtype than bool or 8-bit integers into bool.
"""

import functools
import math

import cupy as cp
import numpy as np

from ..accept._stencils import BOUNDARY, MOST_AXES
from ..device import c_name, launch
from ..device.dtypes import C_NAMES
from ._gaussian import working

# Smoothing weights at distance 0, 1, ... and weights of the differences at distance 1, ...
# of each filter; from skimage/filters/edges.py.
WEIGHTS = {
    "sobel": ((2 / 4, 1 / 4), (1.0,)),
    "scharr": ((10 / 16, 3 / 16), (1.0,)),
    "prewitt": ((1 / 3, 1 / 3), (1.0,)),
    "farid": (
        (0.426374573253687, 0.249153396177344, 0.0376593171958126),
        (0.276690988455557, 0.109603762960254),
    ),
}
# DifferenceKind in edge_stencils.cuh
LAPLACE, ROBERTS, ROBERTS_POSITIVE, ROBERTS_NEGATIVE = range(4)


def sobel(image, mask=None, *, axis=None, mode="reflect", cval=0.0):
    """Sobel gradient or its magnitude: `skimage.filters.sobel`. 1 launch."""
    return _gradient("sobel", image, mask, axis, mode, cval)


def sobel_h(image, mask=None):
    """Sobel gradient across rows: `skimage.filters.sobel_h`. 1 launch."""
    return _gradient("sobel", image, mask, 0)


def sobel_v(image, mask=None):
    """Sobel gradient across columns: `skimage.filters.sobel_v`. 1 launch."""
    return _gradient("sobel", image, mask, 1)


def scharr(image, mask=None, *, axis=None, mode="reflect", cval=0.0):
    """Scharr gradient or its magnitude: `skimage.filters.scharr`. 1 launch."""
    return _gradient("scharr", image, mask, axis, mode, cval)


def scharr_h(image, mask=None):
    """Scharr gradient across rows: `skimage.filters.scharr_h`. 1 launch."""
    return _gradient("scharr", image, mask, 0)


def scharr_v(image, mask=None):
    """Scharr gradient across columns: `skimage.filters.scharr_v`. 1 launch."""
    return _gradient("scharr", image, mask, 1)


def prewitt(image, mask=None, *, axis=None, mode="reflect", cval=0.0):
    """Prewitt gradient or its magnitude: `skimage.filters.prewitt`. 1 launch."""
    return _gradient("prewitt", image, mask, axis, mode, cval)


def prewitt_h(image, mask=None):
    """Prewitt gradient across rows: `skimage.filters.prewitt_h`. 1 launch."""
    return _gradient("prewitt", image, mask, 0)


def prewitt_v(image, mask=None):
    """Prewitt gradient across columns: `skimage.filters.prewitt_v`. 1 launch."""
    return _gradient("prewitt", image, mask, 1)


def farid(image, mask=None, *, axis=None, mode="reflect", cval=0.0):
    """Farid gradient or its magnitude: `skimage.filters.farid`. 1 launch.

    H. Farid and E. Simoncelli, "Differentiation of discrete multidimensional signals",
    IEEE Transactions on Image Processing 13, 2004.
    """
    return _gradient("farid", image, mask, axis, mode, cval)


def farid_h(image, *, mask=None):
    """Farid gradient across rows: `skimage.filters.farid_h`. 1 launch."""
    return _gradient("farid", image, mask, 0)


def farid_v(image, *, mask=None):
    """Farid gradient across columns: `skimage.filters.farid_v`. 1 launch."""
    return _gradient("farid", image, mask, 1)


def roberts(image, mask=None):
    """Magnitude of Roberts' cross: `skimage.filters.roberts`. 1 launch."""
    return _difference(ROBERTS, image, mask)


def roberts_pos_diag(image, mask=None):
    """Roberts' positive diagonal: `skimage.filters.roberts_pos_diag`. 1 launch."""
    return _difference(ROBERTS_POSITIVE, image, mask)


def roberts_neg_diag(image, mask=None):
    """Roberts' negative diagonal: `skimage.filters.roberts_neg_diag`. 1 launch."""
    return _difference(ROBERTS_NEGATIVE, image, mask)


def laplace(image, ksize=3, mask=None):
    """Discrete Laplacian: `skimage.filters.laplace`. 1 launch.

    `ksize` has no influence, as in scikit-image: the operator that it makes with
    `restoration.uft.laplacian` always spans three elements.
    """
    return _difference(LAPLACE, image, mask)


def _gradient(name, image, mask, axis, mode="reflect", cval=0.0):
    if axis is None:
        axes = tuple(range(image.ndim))
    elif np.isscalar(axis):
        axes = (int(axis),)
    else:
        axes = tuple(int(a) for a in axis)
    if image.ndim not in (2, 3):
        return _filter_nd(image, mask, mode, cval, name, axes)
    radius = len(WEIGHTS[name][1])
    struct = _gradient_struct(name, axes, image.ndim, working(image.dtype))
    return _filter_tiles(image, mask, mode, cval, "Gradient", radius, struct)


def _difference(kind, image, mask):
    if image.ndim not in (2, 3):
        return _filter_nd(image, mask, "reflect", 0.0)
    return _filter_tiles(image, mask, "reflect", 0.0, "Difference", 1, _difference_struct(kind))


def _filter_tiles(image, mask, mode, cval, stencil, radius, struct):
    """Run a stencil on a 2-D or 3-D image."""
    expression, size = _tiles(image.shape, image.dtype, stencil, radius, mask is not None)
    shape = (1, *image.shape)[-3:]
    arguments = (*shape, np.int32(BOUNDARY[mode]), float(cval), struct)
    return _launch("filters/edges.cu", expression, image, mask, arguments, size)


@functools.lru_cache(maxsize=256)
def _tiles(shape, dtype, stencil, radius, masked):
    """Specialization of the kernel in edges.cu, and the launch's size."""
    sums = working(dtype)
    nz, ny, nx = (1, *shape)[-3:]
    height, depth, planes = (16, 1, 1) if len(shape) == 2 else (8, 16, 2 * radius + 1)
    tiles = -(-nx // 64) * -(-ny // height) * -(-nz // depth)
    elements = planes * (height + 2 * radius) * (64 + 2 * radius)
    weights = f", {radius}" if stencil == "Gradient" else ""
    expression = (
        f"edges{'_masked' if masked else ''}"
        f"<{c_name(dtype)}, {len(shape)}, {stencil}<{c_name(sums)}{weights}>>"
    )
    shared = elements * sums.itemsize
    return expression, {"work": tiles * 256, "block": (32, 8), "shared": shared}


def _filter_nd(image, mask, mode, cval, name=None, axes=()):
    """Run a gradient, or the Laplacian where `name` is None, in any number of axes."""
    struct = _nd_struct(image.shape, BOUNDARY[mode], float(cval), name, axes)
    expression = f"edges_nd{'' if mask is None else '_masked'}<{c_name(image.dtype)}>"
    size = {"work": image.size, "block": 256}
    return _launch("filters/edges_nd.cu", expression, image, mask, (struct,), size)


def _launch(source, expression, image, mask, arguments, size):
    image = cp.ascontiguousarray(image)
    result = cp.empty(image.shape, working(image.dtype))
    arrays = (image, result)
    if mask is not None:
        mask = mask if mask.dtype.itemsize == 1 else mask.astype(bool)
        arrays = (image, cp.ascontiguousarray(mask), result)
    launch(source, expression, (*arrays, *arguments), **size)
    return result


def _directions(name, axes, ndim):
    """Weights of the differences along each axis, and how often each axis counts."""
    smooth, edge = WEIGHTS[name]
    along = [edge] * ndim
    times = [0] * ndim
    for axis in axes:
        if axis < 0:
            # scikit-image smooths along a negative axis as well as along the others
            along[axis] = tuple(e * s for e, s in zip(edge, smooth[1:], strict=True))
        times[axis] += 1
    return along, times


@functools.lru_cache(maxsize=256)
def _gradient_struct(name, axes, ndim, working):
    """The struct Gradient of edge_stencils.cuh."""
    smooth, edge = WEIGHTS[name]
    along, times = _directions(name, axes, ndim)
    struct = np.zeros(
        (),
        np.dtype(
            [
                ("smooth", working, len(smooth)),
                ("edge", working, (3, len(edge))),
                ("times", working, 3),
                ("norm", working),
                ("is_magnitude", np.int32),
            ],
            align=True,
        ),
    )
    struct["smooth"] = smooth
    struct["edge"][3 - ndim :] = along
    struct["times"][3 - ndim :] = times
    struct["norm"] = math.sqrt(ndim)
    struct["is_magnitude"] = len(axes) > 1
    return struct[()]


@functools.cache
def _difference_struct(kind):
    """The struct Difference of edge_stencils.cuh."""
    return np.array((kind,), [("kind", np.int32)])[()]


_ND = np.dtype(
    [
        ("shape", np.int64, MOST_AXES),
        ("edge", np.float64, (MOST_AXES, 2)),
        ("times", np.float64, MOST_AXES),
        ("smooth", np.float64, 3),
        ("norm", np.float64),
        ("cval", np.float64),
        ("ndim", np.int32),
        ("radius", np.int32),
        ("mode", np.int32),
        ("is_magnitude", np.int32),
        ("is_laplace", np.int32),
    ],
    align=True,
)


def _nd_struct(shape, mode, cval, name, axes):
    """The struct EdgesND of edges_nd.cu."""
    struct = np.zeros((), _ND)
    struct["shape"][: len(shape)] = shape
    struct["cval"], struct["ndim"], struct["mode"] = cval, len(shape), mode
    struct["radius"], struct["is_laplace"] = 1, name is None
    if name is not None:
        smooth, edge = WEIGHTS[name]
        along, times = _directions(name, axes, len(shape))
        struct["radius"] = len(edge)
        struct["edge"][: len(shape), : len(edge)] = along
        struct["times"][: len(shape)] = times
        struct["smooth"][: len(smooth)] = smooth
        struct["norm"] = 1 / math.sqrt(len(shape))
        struct["is_magnitude"] = len(axes) > 1
    return struct[()]


def specializations():
    """Every specialization that these ops can ask for, as (source, expression)."""
    for dtype, image in C_NAMES.items():
        working = "float" if dtype in ("float16", "float32") else "double"
        stencils = (f"Gradient<{working}, 1>", f"Gradient<{working}, 2>", f"Difference<{working}>")
        for masked in ("", "_masked"):
            for ndim in (2, 3):
                for stencil in stencils:
                    yield "filters/edges.cu", f"edges{masked}<{image}, {ndim}, {stencil}>"
            yield "filters/edges_nd.cu", f"edges_nd{masked}<{image}>"
