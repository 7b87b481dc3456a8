"""skimage.transform.warp and its relatives on the device: pixels at mapped coordinates."""

import math

import cupy as cp
import numpy as np
from skimage.transform import (
    AffineTransform,
    EuclideanTransform,
    ProjectiveTransform,
    SimilarityTransform,
    warp_coords,
)
from skimage.transform._warps import HOMOGRAPHY_TRANSFORMS, _swirl_mapping

from .._warn import warn_caller
from ..accept._interpolation import whole_shape
from ..device import c_name, launch
from ..device.dtypes import C_NAMES
from ..functions.transform._interpolation import TIE, Clipping, Sampling
from ..primitives.gaussian import working

_WARP, _MAP = "transform/warp.cu", "transform/map.cu"
_PLACES = np.dtype([("of", "f8", 9), ("way", "i4")], align=True)
_SHAPE = np.dtype([("size", "i8", 3), ("channels", "i8"), ("pad", "i8")])
_MATRIX, _POLAR, _SWIRL = 0, 1, 2  # Way in map.cu
# Transforms whose call is the product with their matrix.
_PLANE_TRANSFORMS = (
    ProjectiveTransform,
    AffineTransform,
    EuclideanTransform,
    SimilarityTransform,
)
_BIQUADRATIC = (
    "Bi-quadratic interpolation behavior has changed due "
    "to a bug in the implementation of scikit-image. "
    "The new version now serves as a wrapper "
    "around SciPy's interpolation functions, which itself "
    "is not verified to be a correct implementation. Until "
    "skimage's implementation is fixed, we recommend "
    "to use bi-linear or bi-cubic interpolation instead."
)


def warp(
    image,
    inverse_map,
    map_args=None,
    output_shape=None,
    order=None,
    mode="constant",
    cval=0.0,
    clip=True,
    preserve_range=False,
):
    """Warp an image by a coordinate map: `skimage.transform.warp`.

    1 launch; image (and coordinates, where they are an array) read once, result written once.
    Orders 2, 4 and 5, and 3 for other maps than a matrix, take 1 launch for each mapped axis
    more, which write spline coefficients. What clipping takes: see `Clipping`.

    A Python function is called once, with NumPy's coordinates of all pixels, and what it returns
    goes to the device (16 bytes a pixel). So do the coordinates of order 0 where roundings
    decide which of two pixels is the nearest. A 3 x 3 array comes to the host (72 bytes).
    """
    sampling = Sampling(image, order, mode, cval, clip, preserve_range)
    if sampling.order == 2:
        warn_caller(_BIQUADRATIC, UserWarning)
    shape = whole_shape(output_shape) or image.shape
    is_array = isinstance(inverse_map, cp.ndarray | np.ndarray)
    if is_array and inverse_map.shape != (3, 3):
        return _by_coordinates(image, cp.asarray(inverse_map), sampling)
    if is_array:
        matrix = cp.asnumpy(inverse_map)
        inverse_map = ProjectiveTransform(matrix=matrix.astype(float))
    elif isinstance(inverse_map, HOMOGRAPHY_TRANSFORMS):
        matrix = inverse_map.params
    if isinstance(inverse_map, HOMOGRAPHY_TRANSFORMS) and not map_args:
        if sampling.order in (1, 3):
            return _by_matrix(image, matrix, shape[:2], sampling)
        if type(inverse_map) in _PLANE_TRANSFORMS:
            places = _places(_MATRIX, *inverse_map.params.ravel())
            ties = not _is_exact(inverse_map.params)
            return _by_places(image, places, shape[:2], sampling, inverse_map, ties=ties)
    return _by_function(image, inverse_map, map_args or {}, shape[:2], sampling)


def _by_matrix(image, matrix, shape, sampling):
    """Bilinear or bicubic interpolation, as scikit-image has it for matrices."""
    image = cp.ascontiguousarray(image)
    dtype = sampling.dtype
    struct = np.zeros((), np.dtype([("at", dtype, 9), ("projective", "i4")], align=True))
    matrix = matrix.astype(dtype)
    struct["at"] = matrix.ravel()
    struct["projective"] = tuple(matrix[2]) != (0, 0, 1)
    rows, columns, *rest = image.shape
    settled = (
        sampling.order == 1
        and sampling.cval == 0
        and not struct["projective"]
        and _is_settled(matrix, shape, (rows, columns))
    )
    clipping = Clipping(image, sampling, settled=settled)
    result = cp.empty((*shape, *rest), dtype)
    args = (image, result, rows, columns, *(rest or (1,)), *shape, struct[()])
    args += (np.int32(sampling.mode), sampling.cval, *sampling.scaling)
    expression = f"warp_matrix<{sampling.order}, {c_name(image.dtype)}>"
    launch(_WARP, expression, (*args, clipping.range, clipping.seen), work=math.prod(shape))
    clipping.settle(result)
    return result


def _is_settled(matrix, shape, size):
    """Whether pixels lie wholly beyond the image, or none even in part.

    The corners tell: coordinates, also rounded ones, grow or fall along rows and columns.
    """
    ends = [matrix.dtype.type([0, length - 1]) for length in shape]
    with np.errstate(all="ignore"):
        places = [row[0] * ends[1] + (row[1] * ends[0])[:, None] + row[2] for row in matrix[1::-1]]
    pairs = list(zip(places, size, strict=True))
    beyond = any(place.min() <= -1 or place.max() >= length for place, length in pairs)
    return beyond or all(place.min() >= 0 and place.max() <= length - 1 for place, length in pairs)


def _is_exact(matrix):
    """Whether no product with a pixel's coordinates is rounded."""
    scaled = matrix * 2.0**20
    whole = np.array_equal(scaled, np.floor(scaled)) and np.abs(scaled).max() < 2.0**40
    return whole and tuple(matrix[2]) == (0, 0, 1)


def _places(way, *numbers):
    """The struct Places of map.cu."""
    places = np.zeros((), _PLACES)
    places["of"][: len(numbers)] = numbers
    places["way"] = way
    return places[()]


def _by_coordinates(image, coordinates, sampling):
    """Coordinates in an array, for each axis of the image."""
    coordinates = cp.ascontiguousarray(coordinates.astype("float64", copy=False))
    image = cp.ascontiguousarray(image)
    shape = coordinates.shape[1:]
    return _mapped(image, f"Grid<{image.ndim}>", coordinates, shape, (), sampling)


def _by_function(image, function, arguments, shape, sampling):
    """Coordinates that a Python function makes, for rows and columns."""

    def coord_map(*args):
        return function(*args, **arguments)

    coordinates = cp.asarray(warp_coords(coord_map, shape))
    image = cp.ascontiguousarray(image)
    return _mapped(image, "Grid<2>", coordinates, shape, image.shape[2:], sampling)


def _by_places(image, places, shape, sampling, function, arguments=None, *, table=None, ties=False):
    """Coordinates that the kernel computes; `function` is what it computes."""
    image = cp.ascontiguousarray(image)
    ties = ties and sampling.order == 0
    result = _mapped(
        image, "Plane", table, shape, image.shape[2:], sampling, places=places, ties=ties
    )
    if result is None:
        return _by_function(image, function, arguments or {}, shape, sampling)
    return result


def _mapped(image, source, table, shape, channels, sampling, *, places=None, ties=False):
    """The kernel of map.cu; None where roundings decide which pixel is the nearest."""
    axes = image.ndim - len(channels)
    clipping = Clipping(image, sampling, watched=ties)
    coefficients, scaling, pad = sampling.prefiltered(image, range(axes))
    struct = np.zeros((), _SHAPE)
    struct["size"][:axes] = coefficients.shape[:axes]
    struct["channels"] = math.prod(channels)
    struct["pad"] = pad
    result = cp.empty((*shape, *channels), sampling.dtype)
    count = math.prod(shape)
    args = (coefficients, table, result, count, shape[-1], struct[()])
    args += (_places(_MATRIX) if places is None else places, np.int32(sampling.mode))
    args += (sampling.cval, *scaling, ties, clipping.range, clipping.seen)
    types = f"{c_name(coefficients.dtype)}, {c_name(result.dtype)}"
    launch(_MAP, f"map_image<{sampling.order}, {source}, {types}>", args, work=count)
    clipping.settle(result)
    return None if ties and clipping.bits & TIE else result


def rotate(
    image,
    angle,
    resize=False,
    center=None,
    order=None,
    mode="constant",
    cval=0,
    clip=True,
    preserve_range=False,
):
    """Rotate an image about a point: `skimage.transform.rotate`.

    Launches and bytes are those of `warp` by a matrix.
    """
    rows, columns = image.shape[:2]
    if image.dtype.char == "e":
        image = image.astype("float32")
    center = np.array((columns, rows)) / 2.0 - 0.5 if center is None else np.asarray(center)
    turn = SimilarityTransform(rotation=np.deg2rad(angle))
    there = SimilarityTransform(translation=center)
    transform = SimilarityTransform(translation=-center) + turn + there
    shape = None
    if resize:
        corners = np.array([[0, 0], [0, rows - 1], [columns - 1, rows - 1], [columns - 1, 0]])
        corners = transform.inverse(corners)
        least, most = corners.min(axis=0), corners.max(axis=0)
        shape = np.around((most - least + 1)[::-1])
        transform = SimilarityTransform(translation=least) + transform
    transform.params[2] = (0, 0, 1)
    return warp(
        image,
        transform,
        output_shape=shape,
        order=order,
        mode=mode,
        cval=cval,
        clip=clip,
        preserve_range=preserve_range,
    )


def swirl(
    image,
    center=None,
    strength=1,
    radius=100,
    rotation=0,
    output_shape=None,
    order=None,
    mode="reflect",
    cval=0,
    clip=True,
    preserve_range=False,
):
    """Swirl an image: `skimage.transform.swirl`.

    1 launch; image read once, result written once. Higher orders and clipping as in `warp`.
    """
    sampling = Sampling(image, order, mode, cval, clip, preserve_range)
    if sampling.order == 2:
        warn_caller(_BIQUADRATIC, UserWarning)
    if center is None:
        center = np.array(image.shape)[:2][::-1] / 2
    decay = radius / 5 * np.log(2)
    places = _places(_SWIRL, *center, rotation, strength, decay)
    arguments = {"center": center, "rotation": rotation, "strength": strength, "radius": radius}
    shape = (whole_shape(output_shape) or image.shape)[:2]
    return _by_places(image, places, shape, sampling, _swirl_mapping, arguments, ties=True)


def warp_polar(
    image,
    center=None,
    *,
    radius=None,
    output_shape=None,
    scaling="linear",
    channel_axis=None,
    order=None,
    mode="constant",
    cval=0.0,
    clip=True,
    preserve_range=False,
):
    """Remap an image to polar or log-polar coordinates: `skimage.transform.warp_polar`.

    1 launch; image read once, result written once. Each row's angle and each column's radius
    are computed on the host and go to the device, so that coordinates are scikit-image's to the
    last bit. Higher orders and clipping as in `warp`. Channels that are not last: 1 launch more
    makes the image contiguous.
    """
    if channel_axis is not None:
        image = cp.moveaxis(image, channel_axis, -1)
    sampling = Sampling(image, order, mode, cval, clip, preserve_range)
    if sampling.order == 2:
        warn_caller(_BIQUADRATIC, UserWarning)
    if center is None:
        center = np.array(image.shape)[:2] / 2 - 0.5
    if radius is None:
        width, height = np.array(image.shape)[:2] / 2
        radius = np.sqrt(width**2 + height**2)
    shape = whole_shape(output_shape) or (360, int(np.ceil(radius)))
    rows, columns = shape[:2]
    angles = np.arange(rows, dtype=float) / (rows / (2 * np.pi))
    if scaling == "linear":
        radii = np.arange(columns, dtype=float) / (columns / radius)
    else:
        radii = np.exp(np.arange(columns, dtype=float) / (columns / np.log(radius)))
    table = cp.asarray(np.concatenate([np.sin(angles), np.cos(angles), radii]))
    result = _by_places(
        image, _places(_POLAR, *center), (rows, columns), sampling, None, table=table
    )
    return result if channel_axis is None else cp.moveaxis(result, -1, channel_axis)


def specializations():
    """Every specialization that these ops can ask for, as (source, expression)."""
    for dtype, image in C_NAMES.items():
        working_type = c_name(working(np.dtype(dtype)))
        if dtype != "bool":
            yield _WARP, f"warp_matrix<1, {image}>"
            yield _WARP, f"warp_matrix<3, {image}>"
        for source in ("Plane", "Grid<1>", "Grid<2>", "Grid<3>"):
            if dtype != "float16":
                yield _MAP, f"map_image<0, {source}, {image}, {image}>"
            if dtype != "bool":
                yield _MAP, f"map_image<1, {source}, {image}, {working_type}>"
    for order in (2, 3, 4, 5):
        for source in ("Plane", "Grid<1>", "Grid<2>", "Grid<3>"):
            yield _MAP, f"map_image<{order}, {source}, double, double>"
            yield _MAP, f"map_image<{order}, {source}, double, float>"
