"""skimage.color: grey images, alpha, and what lies between them and RGB.

Cost of every function here: 1 launch; images are read once and the result written once.
"""

import functools

import numpy as np
from skimage.util import dtype_limits

from ..._warn import warn_caller
from ...device.dtypes import C_NAMES, c_name
from ...device.launches import Array, Launch, Launches
from ...devices import to_host
from ...plan import Declined, Invalid, Plan, Reach, warned
from ...primitives.arguments import integer, small_array
from ._pixels import axis_of, channels_moved, compute_type, conversion, pixels_around
from ._steps import blend_alpha, rgb_to_gray

_SOURCE = "color/gray.cu"
_WHITE = (1, 1, 1)
_CAST = "alpha cannot be safely cast to image dtype {}"


@channels_moved
def rgb2gray(rgb, *, channel_axis=-1):
    """Luminance of an RGB image: `skimage.color.rgb2gray`."""
    return conversion("rgb", rgb, axis_of(rgb, channel_axis), (rgb_to_gray,))


def rgba2rgb(rgba, background=_WHITE, *, channel_axis=-1):
    """RGB with alpha on a background colour: `skimage.color.rgba2rgb`."""
    if not isinstance(channel_axis, int):
        raise Invalid("channel_axis must be an integer")
    axis = axis_of(rgba, channel_axis, 4, 4)
    colour = background
    if colour is not _WHITE:
        colour = _colour(background, compute_type(rgba.dtype))
    return conversion("rgba", rgba, axis, (blend_alpha, colour))


def _colour(background, w):
    """The background as a tuple of floats, rounded to `w`."""
    colour = small_array("background", background)
    if colour.size != 3:
        raise Invalid("background has not 3 values")
    if colour.dtype.kind not in "biuf":
        raise Declined(f"background has dtype {colour.dtype}; give three numbers, as (1, 1, 1)")
    with np.errstate(over="ignore"):  # infinity is refused
        colour = np.ravel(colour).astype(w)
    if np.any(colour < 0) or np.any(colour > 1):
        raise Invalid("background is outside 0 to 1")
    return tuple(colour.tolist())


def gray2rgb(image, *, channel_axis=-1):
    """The grey value three times: `skimage.color.gray2rgb`."""
    axis = _new_axis(image, channel_axis)
    return Plan(*_spread("gray2rgb", image.shape, image.dtype, axis, 3))


def gray2rgba(image, alpha=None, *, channel_axis=-1):
    """The grey value three times and alpha: `skimage.color.gray2rgba`.

    Of a floating alpha image 8 bytes, the count of NaN, come to the host, which waits for them;
    so does alpha where it is an array of one number.
    """
    if not isinstance(getattr(image, "dtype", None), np.dtype):
        raise Declined("image is not an array; give numpy.asarray(image)")
    axis = _new_axis(image, channel_axis)
    if alpha is None:
        _, alpha = dtype_limits(image, clip_negative=False)
    if isinstance(alpha, int | float):
        if isinstance(alpha, int) and not -(2**63) <= alpha < 2**64:
            raise Declined(
                "alpha does not fit 64 bits; give a number between 0 and 1, or of the image's range"
            )
        return _with_number(image, axis, alpha)
    _refuse_alpha(alpha, image)
    if alpha.size == 1:
        # of an array that has axes tiles would be cut
        reach = None if alpha.ndim else _spread_reach(image.ndim, axis)
        return Plan(functools.partial(_with_alpha_read, axis), reach)
    launches, reach = _spread("gray2rgba_each", image.shape, image.dtype, axis, 4)

    def run(image, alpha):
        rgba, counter = launches(image=image, alpha=alpha)
        if image.dtype.kind == "f" and image.size and to_host(counter)[0]:
            _warn_of_cast(image.dtype)
        return rgba

    return Plan(run, reach, launches=launches)


def _with_number(image, axis, number):
    with np.errstate(invalid="ignore"):
        cast = _cast(number, image.dtype)
    bits = cast.reshape(()).view(_bits(image.dtype))[()]
    launches, reach = _spread("gray2rgba", image.shape, image.dtype, axis, 4, bits)
    if np.array_equal(cast, number):
        return Plan(launches, reach)

    def run(image, alpha=None):
        _cast(number, image.dtype)  # NumPy has its own warning of NaN
        return launches(image=image)

    return warned(Plan(run, reach, launches=launches), _CAST.format(image.dtype.name))


def _cast(number, dtype):
    with np.errstate(over="ignore", under="ignore"):
        return np.asarray(number).astype(dtype)


def _with_alpha_read(axis, image, alpha):
    return _with_number(image, axis, to_host(alpha)).run(image=image)


def _warn_of_cast(dtype):
    warn_caller(_CAST.format(dtype.name), UserWarning)


def _new_axis(image, channel_axis):
    """Place of the channels in the result, counted from the front."""
    axis = integer("channel_axis", channel_axis)
    if not -image.ndim <= axis + 1 <= image.ndim + 1:
        raise Invalid("channel_axis exceeds the dimensions of the result")
    return axis % (image.ndim + 1)


def _refuse_alpha(alpha, image):
    if type(alpha) is not type(image):
        raise Declined(
            "alpha is not an array of the image's kind; give a number, or an array of "
            "the image's kind"
        )
    if alpha.ndim > image.ndim or any(
        own not in (1, wanted)
        for own, wanted in zip(alpha.shape[::-1], image.shape[::-1], strict=False)
    ):
        raise Invalid("alpha has another shape than the image")
    if alpha.size == 1 and alpha.dtype.kind in "biuf":
        return
    if alpha.shape != image.shape:
        raise Declined(
            "alpha has another shape than the image; give numpy.broadcast_to(alpha, image.shape)"
        )
    if (alpha.dtype.kind, alpha.dtype.itemsize) != (image.dtype.kind, image.dtype.itemsize):
        raise Declined("alpha has another dtype than the image; give alpha.astype(image.dtype)")


def _bits(dtype):
    """Unsigned integer of the same size: values are only copied."""
    return np.dtype(f"u{dtype.itemsize}")


@functools.lru_cache(maxsize=256)
def _spread(kernel, shape, dtype, axis, channels, *alpha):
    """Launches and reach of a kernel of gray.cu; `alpha` is one for all pixels, as bits."""
    spread = (*shape[:axis], channels, *shape[axis:])
    pixels, inner = pixels_around(spread, axis)
    image, result = Array(shape, dtype, "image"), Array(spread, dtype)
    element = _bits(dtype)
    arrays, results = (image, result), result
    if kernel == "gray2rgba_each":
        counter = Array((1,), np.dtype(np.uint64), zero=True)
        arrays, results = (image, Array(shape, dtype, "alpha"), result, counter), (result, counter)
        element = dtype if dtype.kind == "f" else element
    step = Launch(_SOURCE, f"{kernel}<{c_name(element)}>", (*arrays, *alpha, pixels, inner), pixels)
    return Launches([step], results), _spread_reach(len(shape), axis)


def _spread_reach(ndim, axis):
    return Reach((0,) * ndim, tuple(a + (a >= axis) for a in range(ndim)), arrays=4)


def samples():
    """Plans that together ask for every kernel of this room."""
    for name in C_NAMES:
        dtype = np.dtype(name)
        gray = Array((4, 4), dtype)
        yield from (rgb2gray(Array((4, 4, 3), dtype)), rgba2rgb(Array((4, 4, 4), dtype)))
        yield from (gray2rgb(gray), gray2rgba(gray), gray2rgba(gray, Array((4, 4), dtype)))
