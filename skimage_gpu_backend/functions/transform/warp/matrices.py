"""skimage.transform: warp and rotate."""

import functools

import numpy as np
from skimage.transform import (
    AffineTransform,
    EuclideanTransform,
    ProjectiveTransform,
    SimilarityTransform,
)

from ....devices import xp
from ....plan import Declined, Invalid, Plan
from ....primitives.arguments import is_finite, is_numeric, truth
from ....scikit_image import classes_of, private
from ._maps import (
    Source,
    by_coordinates,
    by_function,
    by_matrix,
    by_plane_transform,
    plane_shape,
    point_of,
    refuse_but_planes,
    refuse_half_precision,
    refuse_mixed_channels,
    sampled,
    told,
    whole_shape,
)

MOST_MAPPED = 3  # axes of a map of coordinates
# Transforms whose call is the product with their matrix.
_PLANE_TRANSFORMS = (
    *classes_of(ProjectiveTransform),
    *classes_of(AffineTransform),
    *classes_of(EuclideanTransform),
    *classes_of(SimilarityTransform),
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
    sampling = sampled(image, order, mode, cval, clip, preserve_range)
    refuse_half_precision(image, sampling)
    if not isinstance(map_args, dict | None):
        raise Declined("map_args is no dictionary; give one, as {'radius': 5}")
    is_array = isinstance(getattr(inverse_map, "dtype", None), np.dtype)
    if is_array:
        _refuse_odd_numbers(inverse_map)
        if inverse_map.shape != (3, 3):
            whole_shape(output_shape)
            _refuse_odd_grid(image, inverse_map)
            grid = inverse_map.shape, inverse_map.dtype
            return told(by_coordinates(Source.of(image), *grid, sampling), sampling)
    elif not callable(inverse_map):
        raise Invalid("inverse_map is neither an array nor can it be called")
    matrix = np.eye(3) if is_array else _matrix_of(inverse_map)
    arguments = map_args or {}
    made = _made(image, output_shape, sampling, matrix is not None and not arguments)
    source = Source.of(image)
    if is_array:
        return _by_array(source, made, sampling, arguments)
    is_product = sampling.order in (1, 3) or type(inverse_map) in _PLANE_TRANSFORMS
    if matrix is not None and is_product and not arguments:
        return _in_plane(source, made, sampling, matrix)
    return told(by_function(source, inverse_map, arguments, made, sampling), sampling)


def _refuse_odd_numbers(inverse_map):
    if not is_numeric(inverse_map.dtype):
        raise Declined(
            "inverse_map is an array whose numbers are neither floats nor integers of up "
            "to 64 bits; give floats"
        )
    if isinstance(inverse_map, np.ndarray) and type(inverse_map) is not np.ndarray:
        raise Declined(
            "inverse_map is of a subclass of NumPy's arrays; give numpy.asarray(inverse_map)"
        )


def _refuse_odd_grid(image, coordinates):
    if coordinates.ndim < 2 or coordinates.shape[0] != image.ndim:
        raise Invalid("inverse_map has another number of coordinates than the image has axes")
    if coordinates.dtype.char == "e":
        raise Invalid("SciPy takes no coordinates in half precision")
    if image.ndim > MOST_MAPPED:
        raise Declined(f"image has {image.ndim} axes; give one of at most {MOST_MAPPED}")
    if not coordinates.size:
        raise Declined("inverse_map is empty; nothing to change")


def _matrix_of(transform):
    """Matrix of a transform that has one; else None."""
    if not isinstance(transform, private("transform._warps").HOMOGRAPHY_TRANSFORMS):
        return None
    matrix = np.asarray(transform.params)
    if matrix.shape != (3, 3) or matrix.dtype.kind not in "biuf":
        raise Declined(
            "inverse_map is not a transform of the plane; give one whose matrix is 3 x "
            "3, as AffineTransform"
        )
    return matrix


def _made(image, output_shape, sampling, by_matrix):
    """Rows and columns of the result."""
    shape = whole_shape(output_shape)
    refuse_but_planes(image)
    if by_matrix and sampling.order in (1, 3):
        if shape is not None and len(shape) < 2:
            raise Invalid("output_shape has fewer than two numbers")
        return (image.shape if shape is None else shape)[:2]
    refuse_mixed_channels(image, sampling)
    return plane_shape(image, shape)


def _in_plane(source, made, sampling, matrix):
    """By what scikit-image takes for a matrix's product."""
    if sampling.order in (1, 3):
        with np.errstate(over="ignore"):
            at = matrix.astype(sampling.dtype).ravel().tolist()
        return by_matrix(source, made, sampling, *at)
    at = matrix.astype(float).ravel().tolist()
    return told(by_plane_transform(source, made, sampling, *at), sampling)


def _by_array(source, made, sampling, arguments):
    """By a matrix that is seen when the plan runs."""

    def run(image, inverse_map):
        matrix = xp.asnumpy(inverse_map)
        if not arguments:
            return _in_plane(source, made, sampling, matrix).run(image=image)
        transform = ProjectiveTransform(matrix=matrix.astype(float))
        plan = by_function(source, transform, arguments, made, sampling)
        return told(plan, sampling).run(image=image)

    if arguments:
        return Plan(run)
    # the one that takes most: its pixels may lie anywhere, and roundings may decide
    most = _in_plane(source, made, sampling, np.full((3, 3), 0.1))
    return Plan(run, cost=most.cost)


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
    sampling = sampled(image, order, mode, cval, clip, preserve_range)
    refuse_but_planes(image)
    if not is_finite(angle):
        raise Declined("angle is no finite number; give one, as 30")
    center = point_of(center) or ()
    made, matrix = _turned(image.shape[:2], truth("resize", resize), angle, *center)
    source = Source.of(image)
    if image.dtype.char == "e":
        source = source._replace(dtype=np.dtype(np.float32), converted=True)
        if sampling.order == 0:
            sampling = sampling._replace(dtype=source.dtype)
    if sampling.order not in (1, 3):
        refuse_mixed_channels(image, sampling)
    return _in_plane(source, made, sampling, matrix)


# Typed: the sine of a float32 is another one.
@functools.lru_cache(maxsize=256, typed=True)
def _turned(size, resize, angle, *center):
    """Rows and columns of the rotated image, and the matrix of its pixels' places."""
    rows, columns = size
    center = np.array(center) if center else np.array((columns, rows)) / 2.0 - 0.5
    turn = SimilarityTransform(rotation=np.deg2rad(angle))
    there = SimilarityTransform(translation=center)
    transform = SimilarityTransform(translation=-center) + turn + there
    shape = size
    if resize:
        corners = np.array([[0, 0], [0, rows - 1], [columns - 1, rows - 1], [columns - 1, 0]])
        corners = transform.inverse(corners)
        least, most = corners.min(axis=0), corners.max(axis=0)
        shape = whole_shape(np.around((most - least + 1)[::-1]))
        transform = SimilarityTransform(translation=least) + transform
    matrix = transform.params.copy()
    matrix[2] = (0, 0, 1)
    return shape, matrix
