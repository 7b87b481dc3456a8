"""skimage.filters: sobel and its kin, roberts, laplace; one launch each, masks included.

Cost of every function here: 1 launch in any number of axes; the image (and the mask)
read once, the result written once. One more launch makes a strided image or mask
contiguous, and one turns a mask of another dtype than bool or 8-bit integers into bool.
"""

import functools
import itertools
import math

import numpy as np

from ...device.dtypes import C_NAMES, c_name
from ...device.launches import Array, Launch, Launches, grid_of_tiles
from ...plan import Declined, Invalid, Plan, Reach
from ...primitives.arguments import integer
from ...primitives.gaussian import working
from ...primitives.stencils import BOUNDARY, MOST_AXES, along, number

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
    return _along_axis("sobel", image, mask, 0)


def sobel_v(image, mask=None):
    """Sobel gradient across columns: `skimage.filters.sobel_v`. 1 launch."""
    return _along_axis("sobel", image, mask, 1)


def scharr(image, mask=None, *, axis=None, mode="reflect", cval=0.0):
    """Scharr gradient or its magnitude: `skimage.filters.scharr`. 1 launch."""
    return _gradient("scharr", image, mask, axis, mode, cval)


def scharr_h(image, mask=None):
    """Scharr gradient across rows: `skimage.filters.scharr_h`. 1 launch."""
    return _along_axis("scharr", image, mask, 0)


def scharr_v(image, mask=None):
    """Scharr gradient across columns: `skimage.filters.scharr_v`. 1 launch."""
    return _along_axis("scharr", image, mask, 1)


def prewitt(image, mask=None, *, axis=None, mode="reflect", cval=0.0):
    """Prewitt gradient or its magnitude: `skimage.filters.prewitt`. 1 launch."""
    return _gradient("prewitt", image, mask, axis, mode, cval)


def prewitt_h(image, mask=None):
    """Prewitt gradient across rows: `skimage.filters.prewitt_h`. 1 launch."""
    return _along_axis("prewitt", image, mask, 0)


def prewitt_v(image, mask=None):
    """Prewitt gradient across columns: `skimage.filters.prewitt_v`. 1 launch."""
    return _along_axis("prewitt", image, mask, 1)


def farid(image, mask=None, *, axis=None, mode="reflect", cval=0.0):
    """Farid gradient or its magnitude: `skimage.filters.farid`. 1 launch.

    H. Farid and E. Simoncelli, "Differentiation of discrete multidimensional signals",
    IEEE Transactions on Image Processing 13, 2004.
    """
    return _gradient("farid", image, mask, axis, mode, cval)


def farid_h(image, *, mask=None):
    """Farid gradient across rows: `skimage.filters.farid_h`. 1 launch."""
    return _along_axis("farid", image, mask, 0)


def farid_v(image, *, mask=None):
    """Farid gradient across columns: `skimage.filters.farid_v`. 1 launch."""
    return _along_axis("farid", image, mask, 1)


def roberts(image, mask=None):
    """Magnitude of Roberts' cross: `skimage.filters.roberts`. 1 launch."""
    return _cross(ROBERTS, image, mask)


def roberts_pos_diag(image, mask=None):
    """Roberts' positive diagonal: `skimage.filters.roberts_pos_diag`. 1 launch."""
    return _cross(ROBERTS_POSITIVE, image, mask)


def roberts_neg_diag(image, mask=None):
    """Roberts' negative diagonal: `skimage.filters.roberts_neg_diag`. 1 launch."""
    return _cross(ROBERTS_NEGATIVE, image, mask)


def laplace(image, ksize=3, mask=None):
    """Discrete Laplacian: `skimage.filters.laplace`. 1 launch.

    `ksize` has no influence, as in scikit-image: the operator that it makes with
    `restoration.uft.laplacian` always spans three elements.
    """
    if image.ndim == 0 or integer("ksize", ksize) < 3:
        raise Invalid("image has no axes, or ksize is less than 3")
    return _differences(image.shape, image.dtype, _dtype_of(mask, image), LAPLACE)


def _gradient(name, image, mask, axis, mode="reflect", cval=0.0):
    if image.ndim == 0:
        raise Declined("image has no axes; nothing to change")
    axes = _axes(axis, image.ndim)
    if not isinstance(mode, str) or mode not in BOUNDARY:
        raise Invalid("mode is unknown")
    masked = _dtype_of(mask, image)
    return _gradients(image.shape, image.dtype, masked, mode, number(cval), name, axes)


def _along_axis(name, image, mask, axis):
    _refuse_but_planes(image)
    return _gradient(name, image, mask, axis)


def _cross(kind, image, mask):
    _refuse_but_planes(image)
    return _differences(image.shape, image.dtype, _dtype_of(mask, image), kind)


def _refuse_but_planes(image):
    if image.size == 0 or image.ndim != 2:
        raise Invalid("image is empty or not 2-D; give a plane, as image[0]")


def _axes(axis, ndim):
    """Axes along which differences are taken; all, where `axis` is None."""
    if axis is None:
        return tuple(range(ndim))
    if isinstance(axis, list | tuple | range | np.ndarray):
        if isinstance(axis, np.ndarray) and axis.ndim == 0:
            raise Invalid("axis is an array without axes")
        axes = tuple(integer("axis", a) for a in axis)
        if not axes:
            raise Declined("axis is empty; leave axis out")
    elif np.isscalar(axis):
        axes = (integer("axis", axis),)
    else:
        raise Declined(
            "axis is neither an integer nor a sequence of integers; give one, as 0 or (0, 1)"
        )
    if any(not -ndim <= a < ndim for a in axes):
        raise Invalid("axis is out of range")
    if len({a % ndim for a in axes}) != len(set(axes)):
        raise Declined("axis names an axis twice, from both ends (as 0 and -2); give it once")
    return axes


def _dtype_of(mask, image):
    """dtype of the mask; None without one."""
    if mask is None:
        return None
    if isinstance(mask, np.ndarray) and type(mask) is not np.ndarray:
        raise Declined("mask is of a subclass of NumPy's arrays; give numpy.asarray(mask)")
    if not hasattr(mask, "nbytes"):
        raise Invalid("mask is not an array; give numpy.asarray(mask)")
    if mask.shape != image.shape:
        raise Declined(
            "mask has another shape than the image; give numpy.broadcast_to(mask, image.shape)"
        )
    kind, size = mask.dtype.kind, mask.dtype.itemsize
    if kind == "c" or (kind == "f" and size == 2):
        if image.size == 0:  # SciPy does not look at it
            raise Declined(f"mask has dtype {mask.dtype}; give mask.astype(bool)")
        raise Invalid("SciPy does not erode a mask of this dtype")
    if kind not in "biuf" or size > 8:
        raise Declined(f"mask has dtype {mask.dtype}; give mask.astype(bool)")
    return mask.dtype


@functools.lru_cache(maxsize=256)
def _gradients(shape, dtype, masked, mode, cval, name, axes):
    radius = len(WEIGHTS[name][1])
    if len(shape) not in (2, 3):
        return _in_any_axes(shape, dtype, masked, radius, mode, cval, name, axes)
    struct = gradient_struct(name, axes, len(shape), dtype)
    return _in_tiles(shape, dtype, masked, "Gradient", radius, mode, cval, struct)


@functools.lru_cache(maxsize=256)
def _differences(shape, dtype, masked, kind):
    if len(shape) not in (2, 3):
        return _in_any_axes(shape, dtype, masked, 1, "reflect", 0.0)
    struct = np.array((kind,), [("kind", np.int32)])[()]  # Difference of edge_stencils.cuh
    return _in_tiles(shape, dtype, masked, "Difference", 1, "reflect", 0.0, struct)


def _in_bytes(shape, dtype):
    """The mask as the kernel reads it."""
    converted = dtype.itemsize > 1
    return Array(shape, np.dtype(bool) if converted else dtype, "mask", converted=converted)


def _in_tiles(shape, dtype, masked, stencil, radius, mode, cval, struct):
    """A stencil on a 2-D or 3-D image."""
    expression, size = _tiles(shape, dtype, stencil, radius, masked is not None)
    numbers = (*(1, *shape)[-3:], np.int32(BOUNDARY[mode]), cval, struct)
    source = "filters/edges.cu"
    return _planned(source, expression, shape, dtype, masked, numbers, size, radius, mode)


def _in_any_axes(shape, dtype, masked, radius, mode, cval, name=None, axes=()):
    """A gradient, or the Laplacian where `name` is None, in any number of axes."""
    if len(shape) > MOST_AXES:
        raise Declined(f"image has {len(shape)} axes; give one of at most {MOST_AXES}")
    struct = _nd_struct(shape, BOUNDARY[mode], cval, name, axes)
    expression = f"edges_nd{'' if masked is None else '_masked'}<{c_name(dtype)}>"
    size, source = {"work": math.prod(shape)}, "filters/edges_nd.cu"
    return _planned(source, expression, shape, dtype, masked, (struct,), size, radius, mode)


def _planned(source, expression, shape, dtype, masked, numbers, size, radius, mode):
    image, result = Array(shape, dtype, "image"), Array(shape, working(dtype))
    masks = () if masked is None else (_in_bytes(shape, masked),)
    step = Launch(source, expression, (image, *masks, result, *numbers), **size)
    return Plan(Launches([step], result), Reach(along([radius] * len(shape), mode), arrays=1))


def _tiles(shape, dtype, stencil, radius, masked):
    """Specialization of the kernel in edges.cu, and the launch's size."""
    sums = working(dtype)
    nz, ny, nx = (1, *shape)[-3:]
    weights = f", {radius}" if stencil == "Gradient" else ""
    expression = (
        f"edges{'_masked' if masked else ''}"
        f"<{c_name(dtype)}, {len(shape)}, {stencil}<{c_name(sums)}{weights}>>"
    )
    height, depth, planes = (16, 1, 1) if len(shape) == 2 else (8, 16, 2 * radius + 1)
    across, down = -(-nx // 64), -(-ny // height)
    elements = planes * (height + 2 * radius) * (64 + 2 * radius)
    size = {"work": across * down * -(-nz // depth) * 256, "shared": elements * sums.itemsize}
    if len(shape) == 2:
        grid = grid_of_tiles(down, across)
        return expression, size | {"block": (64, 4), "grid": grid}
    return expression, size | {"block": (32, 8)}


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


def gradient_struct(name, axes, ndim, dtype):
    """The struct Gradient of edge_stencils.cuh, for an image of a dtype."""
    of, (smooth, edge) = working(dtype), WEIGHTS[name]
    along, times = _directions(name, axes, ndim)
    struct = np.zeros((), _gradient_dtype(of, len(edge)))
    struct["weights"][3 - ndim :] = _products(np.array(along, of), np.array(smooth, of), ndim)
    struct["norm"] = _divisor(math.sqrt(ndim))
    struct["times"][3 - ndim :] = times
    struct["is_magnitude"] = len(axes) > 1
    halves = np.frexp(struct["weights"])[0] * 2  # 1 or 0: a power of two, or no weight
    struct["is_exact"] = dtype.kind in "biu" and np.isin(halves, (0, 1)).all()
    return struct[()]


@functools.cache
def _gradient_dtype(of, radius):
    fields = [
        ("weights", of, (3, radius, radius + 1, radius + 1)),
        ("norm", of, 2),
        ("times", np.int32, 3),
        ("is_magnitude", np.int32),
        ("is_exact", np.int32),
    ]
    return np.dtype(fields, align=True)


def _products(along, smooth, ndim):
    """Weights of the differences along each axis times those of smoothing along the two others,
    the first of them first."""
    first = np.ones_like(smooth) if ndim == 2 else smooth
    return along[:, :, None, None] * first[:, None] * smooth


def _divisor(value):
    """The struct Divisor of double_bits.cuh."""
    return value, 1 / value


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


def samples():
    """Plans that together ask for every kernel of this room."""
    for dtype, ndim in itertools.product(C_NAMES, (2, 3, 4)):
        image = Array((4,) * ndim, np.dtype(dtype))
        for mask in (None, Array(image.shape, np.dtype(bool))):
            yield from (sobel(image, mask), farid(image, mask), laplace(image, mask=mask))
