"""Grey images, alpha, and what lies between them and RGB.

Each is one launch; the image is read once and the result written once.
"""

import cupy as cp
import numpy as np
from skimage.util import dtype_limits

from .._warn import warn_caller
from ..device import c_name, launch
from ..functions.color._steps import blend_alpha, rgb_to_gray
from ._color_launch import compute_type, convert, pixels_around

__all__ = ["gray2rgb", "gray2rgba", "rgb2gray", "rgba2rgb"]

_SOURCE = "color/gray.cu"


def rgb2gray(rgb, *, channel_axis=-1):
    """Luminance of an RGB image, as `skimage.color.rgb2gray`.

    1 launch; input read once, output written once.
    """
    return convert(rgb, channel_axis, rgb_to_gray(compute_type(rgb)))


def rgba2rgb(rgba, background=(1, 1, 1), *, channel_axis=-1):
    """RGB with alpha on a background colour, as `skimage.color.rgba2rgb`.

    1 launch; input read once, output written once.
    """
    w = compute_type(rgba)
    background = np.ravel(background).astype(w)
    if np.any(background < 0) or np.any(background > 1):
        raise ValueError("background RGB values must be floats between 0 and 1.")
    return convert(rgba, channel_axis, blend_alpha(w, background))


def gray2rgb(image, *, channel_axis=-1):
    """The grey value three times, as `skimage.color.gray2rgb`.

    1 launch; input read once, output written once.
    """
    bits = _bits(image.dtype)
    return _spread(image, channel_axis, 3, "gray2rgb", bits)


def gray2rgba(image, alpha=None, *, channel_axis=-1):
    """The grey value three times and alpha, as `skimage.color.gray2rgba`.

    1 launch; image and alpha read once, output written once. Of floating alpha images 8
    bytes, the count of NaN, come to the host, which waits for them.
    """
    dtype = image.dtype
    if alpha is None:
        _, alpha = dtype_limits(image, clip_negative=False)
    if isinstance(alpha, cp.ndarray) and alpha.size == 1:
        alpha = alpha.get()
    if isinstance(alpha, cp.ndarray):
        counter = cp.zeros(1, "uint64")
        element = dtype if dtype.kind == "f" else _bits(dtype)
        rgba = _spread(
            image, channel_axis, 4, "gray2rgba_each", element, cp.ascontiguousarray(alpha), counter
        )
        unsafe = dtype.kind == "f" and image.size and int(counter.get()[0])
    else:
        with np.errstate(over="ignore", under="ignore"):
            cast = np.asarray(alpha).astype(dtype)
        unsafe = not np.array_equal(cast, alpha)
        bits = _bits(dtype)
        value = cast.reshape(()).view(bits)[()]
        rgba = _spread(image, channel_axis, 4, "gray2rgba", bits, scalar=value)
    if unsafe:
        warn_caller(f"alpha cannot be safely cast to image dtype {dtype.name}", UserWarning)
    return rgba


def _bits(dtype):
    """Unsigned integer of the same size: values are only copied."""
    return np.dtype(f"u{dtype.itemsize}")


def _spread(image, channel_axis, channels, kernel, element, *beside, scalar=None):
    """Launch a kernel of gray.cu; `beside` are an alpha image and a counter."""
    axis = int(channel_axis) % (image.ndim + 1)
    shape = (*image.shape[:axis], channels, *image.shape[axis:])
    pixels, inner = pixels_around(shape, axis)
    image = cp.ascontiguousarray(image)
    out = cp.empty(shape, image.dtype)
    arrays = (image, *beside[:1], out, *beside[1:])
    scalars = () if scalar is None else (scalar,)
    launch(_SOURCE, f"{kernel}<{c_name(element)}>", (*arrays, *scalars, pixels, inner), work=pixels)
    return out
