"""Launching a colour conversion: layout of the image, result array, kernel arguments."""

import math

import cupy as cp
import numpy as np

from ..device import c_name, launch

__all__ = ["channel_axis_of", "compute_type", "convert", "pixels_around"]

_FLOAT32, _FLOAT64 = np.dtype(np.float32), np.dtype(np.float64)


def compute_type(image):
    """Type that scikit-image computes in: float32 for float16 and float32, else float64."""
    return _FLOAT32 if image.dtype.char in "ef" else _FLOAT64


def channel_axis_of(channel_axis):
    """Channel axis as scikit-image's decorator takes it: None, a number, a tuple of one."""
    if channel_axis is None:
        return -1
    if isinstance(channel_axis, tuple | list):
        (channel_axis,) = channel_axis
    return int(channel_axis)


def pixels_around(shape, axis):
    """Pixels of an image with channels at `axis`, and how many of them follow the axis."""
    inner = math.prod(shape[axis + 1 :])
    return math.prod(shape[:axis]) * inner, inner


def convert(image, channel_axis, *steps, result=None, counter=None):
    """Send each pixel through `steps` in one launch.

    Parameters
    ----------
    image : cupy.ndarray
        Any dtype and layout; made contiguous first if it is not (one more launch).
    channel_axis : int, tuple of one int, or None
    *steps : Step
        The first takes the channels of the image, the last gives those of the result; one
        channel leaves the axis out. Further channels are passed on.
    result : numpy.dtype, optional
        Of the computation, where it is not `compute_type` of the image.
    counter : cupy.ndarray, optional
        One ``uint64``, to which the number of pixels that a step clipped is added.
    """
    image = cp.ascontiguousarray(image)
    shape = image.shape
    axis = channel_axis_of(channel_axis) % image.ndim
    pixels, inner = pixels_around(shape, axis)
    kept = shape[axis] - steps[0].inputs + steps[-1].outputs
    w = result or compute_type(image)
    out = cp.empty((*shape[:axis], *([kept] if kept > 1 else []), *shape[axis + 1 :]), w)
    kernel = "convert" if counter is None else "convert_counted"
    functors = ", ".join(step.functor for step in steps)
    launch(
        "color/convert.cu",
        f"{kernel}<{c_name(image.dtype)}, {c_name(w)}, {functors}>",
        (
            image,
            out,
            *(() if counter is None else (counter,)),
            pixels,
            inner,
            shape[axis],
            *(step.numbers for step in steps),
        ),
        work=pixels,
    )
    return out
