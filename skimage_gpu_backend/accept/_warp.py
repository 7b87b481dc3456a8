"""Calls that the ops of warp, rotate, warp_polar and swirl take."""

import numpy as np
from skimage.transform._warps import HOMOGRAPHY_TRANSFORMS

from ._interpolation import interpolation_order, interpolation_refusal, shows_ends, whole_shape
from ._verdict import Invalid

MOST_MAPPED = 3  # axes of a map of coordinates


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
    if image.size == 0:
        return Invalid("image is empty")
    if refusal := interpolation_refusal(image, order, mode, cval):
        return refusal
    order = interpolation_order(image.dtype, order)
    if order == 0 and image.dtype.char == "e":
        return Invalid("SciPy takes no nearest neighbours of float16 images")
    shape = whole_shape(output_shape)
    if isinstance(shape, str):
        return shape
    if hasattr(inverse_map, "dtype"):
        if inverse_map.dtype.kind not in "biuf" or inverse_map.dtype.itemsize > 8:
            return "inverse_map is an array of unusual numbers"
        if isinstance(inverse_map, np.ndarray) and type(inverse_map) is not np.ndarray:
            return "inverse_map is a subclass of a NumPy array"
        if inverse_map.shape != (3, 3):
            return _grid(image, inverse_map)
        in_plane = True
    else:
        if not callable(inverse_map):
            return Invalid("inverse_map is neither an array nor can it be called")
        in_plane = isinstance(inverse_map, HOMOGRAPHY_TRANSFORMS)
        if in_plane and inverse_map.params.shape != (3, 3):
            return "the transform is not one of the plane"
    if image.ndim not in (2, 3):
        return Invalid("image is not of two axes, or of two and channels")
    if in_plane and order in (1, 3) and not map_args:
        return Invalid("output_shape has one number") if shape and len(shape) < 2 else None
    if image.ndim == 3 and shows_ends(image.shape[2], order, mode):
        return "SciPy's spline mixes a few channels that are reflected"
    return None if shape is None else _output(image, shape)


def _output(image, shape):
    if len(shape) == image.ndim == 3 and shape[2] != image.shape[2]:
        return "output_shape has other channels than the image"
    if len(shape) not in (2, image.ndim):
        return Invalid("output_shape has more or fewer numbers than the image has axes")
    return None


def _grid(image, coordinates):
    if coordinates.ndim < 2 or coordinates.shape[0] != image.ndim:
        return Invalid("inverse_map has another number of coordinates than the image has axes")
    if coordinates.dtype.char == "e":
        return Invalid("SciPy takes no coordinates in half precision")
    if image.ndim > MOST_MAPPED:
        return f"image has more than {MOST_MAPPED} axes"
    return None if coordinates.size else "inverse_map is empty"


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
    if image.size == 0:
        return Invalid("image is empty")
    if image.ndim not in (2, 3):
        return Invalid("image is not of two axes, or of two and channels")
    if not np.isscalar(angle) or not np.isfinite(angle):
        return "angle is no finite number"
    if center is not None and np.shape(center) != (2,):
        return "center is not of two numbers"
    return interpolation_refusal(image, order, mode, cval)


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
    if center is not None and np.shape(center) != (2,):
        return "center is not of two numbers"
    if not all(np.isscalar(number) for number in (strength, radius, rotation)):
        return "strength, radius or rotation is no number"
    return warp(image, abs, {"by": 0}, output_shape, order, mode, cval, clip, preserve_range)


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
    if image.ndim != (2 if channel_axis is None else 3):
        return Invalid("image is not of two axes besides the channels")
    if channel_axis is not None:
        if not isinstance(channel_axis, int | np.integer):
            return "channel_axis is no integer"
        if not -3 <= channel_axis < 3:
            return Invalid("channel_axis is out of range")
        if output_shape is not None and len(output_shape) != 2:
            return "output_shape is not of two numbers"
    if scaling not in ("linear", "log"):
        return Invalid("scaling is unknown")
    if center is not None and np.shape(center) != (2,):
        return "center is not of two numbers"
    if radius is not None and not (np.isscalar(radius) and radius > 1):
        return "radius is not a number above 1"
    return warp(image, abs, {"by": 0}, output_shape, order, mode, cval, clip, preserve_range)
