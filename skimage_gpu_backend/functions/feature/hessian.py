"""skimage.feature: Hessians of smoothed images, their determinants, and the shape index.

Cost of planes here, but of determinants by boxes, for a Gaussian's radius up to 16
(``int(4 * sigma + 0.5)``): 1 launch; image read once, each result written once. Above, a launch
before smooths along the first axis, since a tile with such halos does not fit on the chip; above
radius 120 along the second axis 2 launches smooth along both. Volumes, for a radius up to 16
along the last two axes: 2 launches. The first smooths along the first axis, the second along the
others, and writes each result once. Up to 120 along the last axis: 3 launches, 1 an axis.
Otherwise, and for more axes: the launches of `gaussian`, and 1, which reads the smoothed image and
writes each result once. One more launch makes a strided image contiguous.
"""

import functools

import numpy as np

from ...device import c_name
from ...device.dtypes import C_NAMES
from ...device.launches import Array, Launch, Launches
from ...devices import to_host
from ...plan import Declined, Invalid, Plan, Reach, warned
from ...primitives.arguments import truth
from ...primitives.gaussian import (
    DOUBLE,
    ROW_RADIUS,
    conversion,
    fits,
    pair_taps,
    steps_in_double,
    weight_of,
    working,
)
from ...primitives.hessian_lines import (
    AXES,
    NOT_FINITE,
    halo_of,
    line_taps,
    refuse_lines,
    steps_of,
    truncation,
)
from ...primitives.smooth_tile import SIZE, smooth_tiles
from ...primitives.stencils import BOUNDARY, LEAST_SIGMA, along, number, radius, sigma_per_axis
from ..filters.gaussian import gaussian
from ._boxes import determinants
from ._derivatives import TRUNCATE, refuse_order, sigma_of_axes, smoothed

MOST_SIZE = 1 << 20  # of boxes
MOST_AXES = 5  # of images whose Hessian is made by differences
_PLANES, _VOLUMES, _ANY = (
    "feature/hessian.cu",
    "feature/hessian_3d.cu",
    "feature/hessian_nd.cu",
)
_MARGIN = 2  # neighbours on each side that a second difference of differences reaches
_RING, _DEPTH = 5, 16  # RING and DEPTH in hessian_3d.cu
_DETERMINANT, _SHAPE_INDEX = np.int32(0), np.int32(1)  # HessianKind in hessian.cu
_DEFAULT_CHANGES = (
    "use_gaussian_derivatives currently defaults to False, but will "
    "change to True in a future version. Please specify this "
    "argument explicitly to maintain the current behavior"
)


def hessian_matrix(
    image, sigma=1, mode="constant", cval=0, order="rc", use_gaussian_derivatives=None
):
    """Hessian of an image of 2 to 5 axes: `skimage.feature.hessian_matrix`.

    By differences: 1 launch, 2 launches in 3-D. By derivatives of Gaussians, of 2 or 3 axes:
    1 launch an axis; the image is read once, three arrays are written, read and written; in 3-D
    three arrays and then six. These are in double, also for float32, but for what SciPy rounds
    first: slopes are small beside what they are slopes of. Of floating images 4 bytes come to
    the host, since the Gaussians of SciPy carry NaN and infinities farther than weights that
    count.
    """
    refuse_order(order, image.ndim)
    told = use_gaussian_derivatives is not None
    if told and truth("use_gaussian_derivatives", use_gaussian_derivatives):
        if image.ndim not in (2, 3) or image.size == 0:
            raise Declined("image is empty or has other than 2 or 3 axes; give one of 2 or 3 axes")
        sigmas = sigma_of_axes(sigma, image.ndim)
        refuse_lines(sigmas, mode, cval)
        return _by_derivatives(image.shape, image.dtype, mode, order, *sigmas)
    args = _by_differences(image, sigma, mode, cval)
    return _matrix(image.shape, image.dtype, order, told, *args)


def hessian_matrix_det(image, sigma=1, approximate=True):
    """Determinant of the Hessian: `skimage.feature.hessian_matrix_det`.

    1 launch where not `approximate`, 2 launches in 3-D, where NumPy's way is taken: by
    elimination, in double. By boxes 3 launches, see `determinants` in _boxes.py: the image is
    read once, its integral image written, read and written, and read again.
    """
    if truth("approximate", approximate) and image.ndim == 2:
        if type(sigma) not in (int, float, np.int64, np.float64):  # others scikit-image refuses
            raise Declined("sigma is no plain number; give one of Python's, as 2.5")
        with np.errstate(over="ignore"):
            fits_in = image.size and 1 <= 3 * sigma < MOST_SIZE
        if not fits_in:
            raise Declined(
                "sigma makes boxes of no pixel or of very many, or image is empty; give "
                "sigma from 1 on"
            )
        return _by_boxes(image.shape, image.dtype, int(3 * sigma))
    args = _by_differences(image, sigma, "constant", 0)
    return _determinant(image.shape, image.dtype, *args)


def shape_index(image, sigma=1, mode="constant", cval=0):
    """Shape index of the surface that an image is: `skimage.feature.shape_index`. 1 launch."""
    if image.ndim != 2:
        raise Declined(f"image has {image.ndim} axes; give a plane, as image[0]")
    return _index(image.shape, image.dtype, *_by_differences(image, sigma, mode, cval))


def _by_differences(image, sigma, mode, cval):
    """Mode, constant beyond the border, and sigma of each axis."""
    if image.ndim == 0:
        raise Declined("image has no axes; nothing to change")
    if image.ndim < 2 or min(image.shape) < 2:
        raise Invalid("image has less than 2 axes, or an axis has less than 2 elements")
    if image.ndim > MOST_AXES:
        raise Declined(f"image has {image.ndim} axes; give one of at most {MOST_AXES}")
    if not np.isscalar(mode):
        raise Declined(
            "mode is a list, one for each axis; give one mode, as 'reflect', which changes the "
            "result"
        )
    gaussian(image, sigma, mode=mode, cval=cval)  # refuses what it does not take
    if not isinstance(mode, str):
        raise Declined("mode is no name; give one, as 'reflect'")
    sigmas = sigma_per_axis(sigma, image.ndim, None)
    filtered = any(s > LEAST_SIGMA for s in sigmas)
    return mode, number(cval) if filtered else 0.0, *sigmas


# Typed here and below: a float32 sigma gives SciPy other weights than a Python float does.
@functools.lru_cache(maxsize=256, typed=True)
def _matrix(shape, dtype, order, told, mode, cval, *sigmas):
    ndim = len(shape)
    count = ndim * (ndim + 1) // 2
    reach = smoothed(shape, sigmas, _MARGIN, mode, 4 + count)
    if ndim == 2:
        elements = tuple(Array(shape, working(dtype)) for _ in range(3))
        launches = _of_plane("hessian_matrix", shape, dtype, elements, mode, cval, sigmas)
    else:
        launches = _of_more_axes("hessian", (count,), shape, dtype, mode, cval, sigmas)
    plan = Plan(functools.partial(_elements, launches, order), reach, launches=launches)
    return warned(plan, "" if told else _DEFAULT_CHANGES, FutureWarning)


def _elements(launches, order, image):
    """The list that scikit-image returns, from a tuple or a stack of arrays."""
    elements = list(launches(image=image))
    return elements if order == "rc" else elements[::-1]


@functools.lru_cache(maxsize=256, typed=True)
def _determinant(shape, dtype, mode, cval, *sigmas):
    if len(shape) == 2:
        result = Array(shape, working(dtype))
        args = "of_hessian", shape, dtype, (result,), mode, cval, sigmas, _DETERMINANT
        launches = _of_plane(*args)
    else:
        launches = _of_more_axes("determinant", (), shape, dtype, mode, cval, sigmas)
    return Plan(launches, smoothed(shape, sigmas, _MARGIN, arrays=6))


@functools.lru_cache(maxsize=256, typed=True)
def _index(shape, dtype, mode, cval, *sigmas):
    result = Array(shape, working(dtype))
    args = "of_hessian", shape, dtype, (result,), mode, cval, sigmas, _SHAPE_INDEX
    return Plan(_of_plane(*args), smoothed(shape, sigmas, _MARGIN, mode, arrays=3))


@functools.lru_cache(maxsize=256)
def _by_boxes(shape, dtype, size):
    cube = determinants(shape, dtype, [size], DOUBLE)
    # by sums, which begin at the first element: it looks at all of the image
    return Plan(lambda image: cube.run(image=image)[0], launches=cube.launches, cost=cube.cost)


@functools.lru_cache(maxsize=256, typed=True)
def _by_derivatives(shape, dtype, mode, order, *sigmas):
    image, odd = Array(shape, dtype, "image"), Array((1,), np.dtype(np.uint32), zero=True)
    axes = AXES[order, len(shape)]
    types = [DOUBLE] * (len(shape) - 1) + [working(dtype)]
    stacks = [Array((int(j["count"]), *shape), t) for j, t in zip(axes, types, strict=True)]
    taps = [line_taps(sigma, truncation(sigmas)) for sigma in sigmas]
    scaling = conversion(dtype, preserve_range=False)
    steps = steps_of(image, scaling, axes, stacks, taps, BOUNDARY[mode], odd)
    launches = Launches(steps, (stacks[-1], odd))
    arrays = 3 * (4 + len(shape) * (len(shape) + 1) // 2)
    reach = Reach(along(halo_of(sigmas), mode), arrays=arrays)
    return Plan(functools.partial(_finite, launches), reach, launches=launches)


def _finite(launches, image):
    elements, odd = launches(image=image)
    if image.dtype.kind == "f" and to_host(odd)[0]:
        raise Declined(NOT_FINITE)
    return list(elements)


def _of_plane(kernel, shape, dtype, results, mode, cval, sigmas, *after):
    """Launches that make the arrays `results`."""
    image, steps = Array(shape, dtype, "image"), []
    first, last = sigmas
    if not fits(sigmas):
        wide = radius(last, TRUNCATE) <= ROW_RADIUS
        steps, image = steps_in_double(image, (first, 0 if wide else last), mode, cval)
        sigmas = (0, last if wide else 0)
    types = c_name(image.dtype) if fits(sigmas) else f"{c_name(image.dtype)}, RowTaps<double>"
    number_of_mode = np.int32(BOUNDARY.get(mode, 0))  # any, where nothing is smoothed
    size, taps, grid = smooth_tiles(shape, working(image.dtype), _MARGIN, 0, *sigmas)
    arguments = (image, *results, *shape, number_of_mode, cval, size, taps, *after)
    steps = [*steps, Launch(_PLANES, f"{kernel}<{types}>", arguments, **grid)]
    return Launches(steps, results if len(results) > 1 else results[0])


def _of_more_axes(kernel, stack, shape, dtype, mode, cval, sigmas):
    """Launches that make an array, or with `stack` one for each element of the Hessian."""
    image = Array(shape, dtype, "image")
    if image.ndim == 3 and radius(sigmas[2], TRUNCATE) <= ROW_RADIUS:
        first, second, third = sigmas
        both = fits((second, third))
        steps, image = steps_in_double(image, (first, 0 if both else second, 0), mode, cval)
        results = Array((*stack, *shape), image.dtype)
        left = (second if both else 0, third)
        size, taps, grid = _tiles(shape, image.dtype, left)
        rows = "" if fits(left) else ", RowTaps<double>"
        number_of_mode = np.int32(BOUNDARY.get(mode, 0))  # any, where nothing is smoothed
        arguments = (image, results, *shape, number_of_mode, cval, size, taps)
        expression = f"{kernel}_3d<{c_name(image.dtype)}{rows}>"
        return Launches([*steps, Launch(_VOLUMES, expression, arguments, **grid)], results)
    steps, image = steps_in_double(image, sigmas, mode, cval)
    results = Array((*stack, *shape), image.dtype)
    lengths = np.array((shape,), [("along", "i8", image.ndim)])[()]
    expression = f"{kernel}_nd<{c_name(image.dtype)}, {image.ndim}>"
    arguments = (image, results, image.size, lengths)
    return Launches([*steps, Launch(_ANY, expression, arguments, image.size)], results)


def _tiles(shape, dtype, sigmas):
    """The structs SmoothSize and PairTaps, or RowTaps, and the launch's size."""
    room = (weight_of(dtype),) if fits(sigmas) else (DOUBLE, (0, ROW_RADIUS))
    taps = pair_taps(*(s if s > LEAST_SIGMA else None for s in sigmas), TRUNCATE, *room)
    radius_a, radius_b = int(taps["radius_a"]), int(taps["radius_b"])
    for height, width in ((16, 60), (16, 28), (8, 28), (8, 12), (4, 28)):
        rows, columns = height + 2 * _MARGIN, width + 2 * _MARGIN
        pitch = (columns + 2 * radius_b + 15) // 16 * 16  # smooth_pitch
        elements = (2 * rows + 2 * radius_a) * pitch + _RING * rows * columns
        if elements * dtype.itemsize <= 48 * 1024:
            break
    tiles = -(-shape[0] // _DEPTH) * -(-shape[1] // height) * -(-shape[2] // width)
    size = np.array((height, width, _MARGIN), SIZE)[()]
    shared = elements * dtype.itemsize
    return size, taps, {"work": tiles * 256, "block": (32, 8), "shared": shared}


def samples():
    """Plans that together ask for every kernel of this room."""
    for dtype in map(np.dtype, C_NAMES):
        for ndim in range(2, MOST_AXES + 1):
            image = Array((4,) * ndim, dtype)
            for sigma in (1, 6, 31):
                yield hessian_matrix(image, sigma)
                yield hessian_matrix_det(image, sigma, approximate=False)
            if ndim < 4:
                yield hessian_matrix(image, use_gaussian_derivatives=True)
        yield hessian_matrix_det(Array((4, 4), dtype))
