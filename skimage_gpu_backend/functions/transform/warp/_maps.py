"""Launches of the room: by a matrix, by coordinates in an array or of a place in a plane."""

import functools
import math
from typing import NamedTuple

import numpy as np
from skimage.transform import ProjectiveTransform, warp_coords

from ....device.dtypes import c_name
from ....device.launches import Array, Launch, Launches
from ....devices import xp
from ....plan import Declined, Invalid, warned
from .._interpolation import Clipping, around, clipped, sampling_of

MATRIX, POLAR, SWIRL = 0, 1, 2  # Way in map.cu
_WARP, _MAP = "transform/warp.cu", "transform/map.cu"
_PLACES = np.dtype([("of", "f8", 9), ("way", "i4")], align=True)
_SHAPE = np.dtype([("size", "i8", 3), ("channels", "i8"), ("pad", "i8")])
_BIQUADRATIC = (
    "Bi-quadratic interpolation behavior has changed due "
    "to a bug in the implementation of scikit-image. "
    "The new version now serves as a wrapper "
    "around SciPy's interpolation functions, which itself "
    "is not verified to be a correct implementation. Until "
    "skimage's implementation is fixed, we recommend "
    "to use bi-linear or bi-cubic interpolation instead."
)
_cached = functools.lru_cache(maxsize=256)


class Source(NamedTuple):
    """The image of a call as kernels read it.

    Attributes
    ----------
    shape : tuple of int
    dtype : numpy.dtype
    converted : bool
        Whether the call's own has another dtype.
    """

    shape: tuple
    dtype: np.dtype
    converted: bool = False

    @classmethod
    def of(cls, image):
        return cls(image.shape, image.dtype)

    @property
    def array(self):
        return Array(self.shape, self.dtype, "image", converted=self.converted)


def sampled(image, order, mode, cval, clip, preserve_range):
    """`Sampling` of a call; images of nothing are refused."""
    if image.size == 0:
        raise Invalid("image is empty; nothing to change")
    return sampling_of(image.dtype, order, mode, cval, clip, preserve_range)


def refuse_half_precision(image, sampling):
    if sampling.order == 0 and image.dtype.char == "e":
        raise Invalid("SciPy takes no nearest neighbours of float16 images")


def refuse_but_planes(image):
    if image.ndim not in (2, 3):
        raise Invalid("image is not of two axes, or of two and channels")


def refuse_mixed_channels(image, sampling):
    if image.ndim == 3 and sampling.shows_ends(image.shape[2]):
        raise Declined(
            "mode is 'symmetric' and order above 1, where SciPy's spline mixes a few channels; "
            "give order 0 or 1, which changes the result"
        )


def whole_shape(output_shape):
    """`output_shape` as a tuple of int; None where it is not given."""
    if output_shape is None:
        return None
    try:
        sizes = np.asarray(output_shape)
    except ValueError:
        raise Invalid("output_shape is not a sequence of numbers") from None
    if sizes.ndim != 1 or sizes.dtype.kind not in "iuf":
        raise Declined("output_shape is not a sequence of numbers; give one, or None")
    rounded = np.round(sizes)
    if not np.isfinite(sizes).all() or not np.allclose(sizes, rounded, rtol=0, atol=1e-4):
        raise Invalid("output_shape is not of integers")
    shape = tuple(int(size) for size in rounded)
    if any(size < 1 for size in shape):
        raise Declined("output_shape has a length below 1; give integers from 1 on")
    return shape


def plane_shape(image, shape):
    """Rows and columns of the result, of the shape that is asked for; its channels stay."""
    shape = image.shape if shape is None else shape
    if len(shape) == image.ndim == 3 and shape[2] != image.shape[2]:
        raise Declined(
            "output_shape has another number of channels than the image; give the image's"
        )
    if len(shape) not in (2, image.ndim):
        raise Invalid("output_shape has more or fewer numbers than the image has axes")
    return shape[:2]


def point_of(center):
    """The two numbers of `center`, in their own types; None where it is not given."""
    if center is None:
        return None
    try:
        numbers = np.asarray(center)
    except ValueError:
        raise Declined("center is not of two finite numbers; give two, as (64, 64)") from None
    if numbers.shape != (2,) or numbers.dtype.kind not in "iuf" or not np.isfinite(numbers).all():
        raise Declined("center is not of two finite numbers; give two, as (64, 64)")
    return tuple(numbers)


def told(plan, sampling):
    """`plan`, with scikit-image's warning of order 2."""
    return warned(plan, _BIQUADRATIC) if sampling.order == 2 else plan


@_cached
def by_matrix(source, made, sampling, *at):
    """Bilinear or bicubic interpolation, as scikit-image has it for matrices.

    `at`: the matrix, row by row, in the dtype of the result.
    """
    struct = np.zeros((), np.dtype([("at", sampling.dtype, 9), ("projective", "i4")], align=True))
    struct["at"] = at
    struct["projective"] = at[6:] != (0, 0, 1)
    rows, columns, *channels = source.shape
    inside = beyond = False
    if sampling.order == 1 and sampling.cval == 0 and not struct["projective"]:
        inside, beyond = _extent(struct["at"].reshape(3, 3), made, (rows, columns))
    image, result = source.array, Array((*made, *channels), sampling.dtype)
    args = (image, result, rows, columns, *(channels or (1,)), *made, struct[()])
    args += (sampling.boundary, sampling.cval, *sampling.scaling)
    expression = f"warp_matrix<{sampling.order}, {c_name(source.dtype)}>"

    def build(limits, seen):
        return Launches([Launch(_WARP, expression, (*args, limits, seen), math.prod(made))], result)

    clipping = Clipping.of(sampling, settled=inside, copied=beyond)
    return clipped(image, sampling, clipping, build)


def _extent(matrix, shape, size):
    """Whether no pixel lies beyond the image even in part, and whether one does so wholly.

    The corners tell: coordinates, also rounded ones, grow or fall along rows and columns.
    """
    with np.errstate(all="ignore"):
        ends = [np.array([0, float(length - 1)]).astype(matrix.dtype) for length in shape]
        places = [row[0] * ends[1] + (row[1] * ends[0])[:, None] + row[2] for row in matrix[1::-1]]
    pairs = list(zip(places, size, strict=True))
    inside = all(place.min() >= 0 and place.max() <= length - 1 for place, length in pairs)
    return inside, any(place.min() <= -1 or place.max() >= length for place, length in pairs)


@_cached
def by_plane_transform(source, made, sampling, *at):
    """Places in a plane, multiplied by a matrix; `at`: it, row by row."""
    transform, on_tie = ProjectiveTransform(np.array(at).reshape(3, 3)), None
    if sampling.order == 0 and not _is_exact(transform.params):
        on_tie = by_function(source, transform, {}, made, sampling)
    return by_places(source, made, sampling, places_of(MATRIX, *at), on_tie=on_tie)


def _is_exact(matrix):
    """Whether no product with a pixel's coordinates is rounded."""
    with np.errstate(all="ignore"):
        scaled = matrix * 2.0**20
        whole = np.array_equal(scaled, np.floor(scaled)) and np.abs(scaled).max() < 2.0**40
    return whole and tuple(matrix[2]) == (0, 0, 1)


def places_of(way, *numbers):
    """The struct Places of map.cu."""
    struct = np.zeros((), _PLACES)
    struct["of"][: len(numbers)] = numbers
    struct["way"] = way
    return struct[()]


def by_function(source, function, arguments, made, sampling):
    """Coordinates that a Python function makes, for rows and columns."""

    def with_coordinates(run, image, **_):
        def coord_map(*args):
            return function(*args, **arguments)

        return run(image=image, coordinates=xp.asarray(warp_coords(coord_map, made)))

    grid = (2, *made), np.dtype(float)
    return around(by_coordinates(source, *grid, sampling, "coordinates"), with_coordinates)


@_cached
def by_coordinates(source, shape, dtype, sampling, name="inverse_map"):
    """Coordinates in the array of the parameter `name`, for each of the image's first axes."""
    double = np.dtype(float)
    table = Array(shape, double, name, converted=dtype != double)
    axes, *made = shape
    return _mapped(source, f"Grid<{axes}>", table, tuple(made), axes, sampling, places_of(MATRIX))


def by_places(source, made, sampling, places, *, table=None, on_tie=None):
    """Coordinates that the kernel computes.

    Parameters
    ----------
    source : Source
    made : (int, int)
        Rows and columns of the result.
    sampling : Sampling
    places : numpy.void
        The struct Places of map.cu.
    table : Array, optional
        What it reads beside.
    on_tie : Plan, optional
        For where roundings decide which pixel is the nearest.
    """
    return _mapped(source, "Plane", table, made, 2, sampling, places, on_tie)


def _mapped(source, way, table, made, axes, sampling, places, on_tie=None):
    """The kernel of map.cu, for an image whose first `axes` are mapped."""
    image = source.array
    steps, coefficients, scaling, pad = sampling.prefiltered(image, range(axes))
    struct = np.zeros((), _SHAPE)
    struct["size"][:axes] = coefficients.shape[:axes]
    struct["channels"] = math.prod(image.shape[axes:])
    struct["pad"] = pad
    result = Array((*made, *image.shape[axes:]), sampling.dtype)
    count = math.prod(made)
    args = (coefficients, table, result, count, made[-1], struct[()], places)
    args += (sampling.boundary, sampling.cval, *scaling, on_tie is not None)
    types = f"{c_name(coefficients.dtype)}, {c_name(result.dtype)}"
    expression = f"map_image<{sampling.order}, {way}, {types}>"

    def build(limits, seen):
        return Launches([*steps, Launch(_MAP, expression, (*args, limits, seen), count)], result)

    return clipped(image, sampling, Clipping.of(sampling), build, on_tie)
