"""skimage.measure.profile_line."""

import functools
import math

import numpy as np

from ...adapt.kinds import unsupported_dtype
from ...adapt.values import replace
from ...device.dtypes import code
from ...device.launches import Array, Bytes, Launch, Launches
from ...devices import to_host, xp
from ...plan import Declined, Invalid, Plan
from ...primitives.arguments import integer
from ...primitives.spline import coefficients
from ...primitives.stencils import BOUNDARY, number

_SOURCE = "measure/profile.cu"
_DOUBLE = np.dtype(float)
_MOST = 1 << 28  # points
_HALFWAY = 1e-9
_AS_IT_IS = (1.0, -math.inf)  # scaling


def profile_line(
    image,
    src,
    dst,
    linewidth=1,
    order=None,
    mode="reflect",
    cval=0.0,
    *,
    reduce_func=np.mean,
):
    """Values along a line: `skimage.measure.profile_line`.

    1 launch, which reads what lies at the line. Orders above 1: 2 launches more, which read the
    image once, write its coefficients twice and read them twice. The coordinates go to the device;
    the values come to the host, where `reduce_func` is called.
    """
    if image.ndim not in (2, 3):
        raise Invalid("image is not of two axes, or of two and channels")
    if not (reduce_func is None or callable(reduce_func)):
        raise Invalid("reduce_func cannot be called; give a function, as numpy.mean, or None")
    if not 1 <= integer("linewidth", linewidth) <= _MOST:
        raise Declined("linewidth is below 1, or very large; give a small integer, as 3")
    order = _order(order, image.dtype)
    if not isinstance(mode, str) or mode not in BOUNDARY:
        raise Invalid("mode is unknown; give one, as 'reflect'")
    if image.dtype.char == "e":
        raise Invalid("image is float16, which SciPy does not interpolate; give floats")
    if image.size == 0:
        raise Declined("image has no elements; nothing to change")
    cval = number(cval)
    if mode.endswith("constant"):
        _refuse_unclear(cval, image.dtype, order)
    coordinates = _coordinates(_point("src", src), _point("dst", dst), linewidth)
    launches = _sampled(image.shape, image.dtype, order, BOUNDARY[mode], cval, coordinates)
    run = functools.partial(_run, launches, image.dtype, order, coordinates.shape[1:], reduce_func)
    return Plan(run, launches=launches)


def _order(order, dtype):
    is_bool = dtype.kind == "b"
    if order is None:
        return 0 if is_bool else 1
    order = integer("order", order)
    if not 0 <= order <= 5 or (order and is_bool):
        raise Invalid("order is out of range, or above 0 for a boolean image; give one from 0 to 5")
    return order


def _refuse_unclear(cval, dtype, order):
    """Refuse constants whose place in the result the machine decides."""
    if dtype.kind == "b" and cval not in (0, 1):
        raise Declined("cval is neither 0 nor 1 and the image is boolean; give 0 or 1")
    if not math.isfinite(cval) and (order > 1 or dtype.kind in "iu"):
        raise Declined("cval is not finite; give a finite number, as 0")
    if order > 1 and dtype.kind in "iu":
        limits = np.iinfo(dtype)
        if cval != math.floor(cval) or not limits.min <= cval <= limits.max:
            raise Declined("cval is no number of the image's dtype; give one that is, as 0")


def _point(name, value):
    """The two numbers of an end of the line."""
    try:
        given = np.asarray(value)
    except ValueError:
        raise Invalid(f"{name} is not of two numbers; give two, as (0, 10)") from None
    if given.shape != (2,) or given.dtype.kind not in "biuf" or not np.isfinite(given).all():
        raise Declined(f"{name} is not of two finite numbers; give two, as (0, 10)")
    return given.astype(float)


def _coordinates(src, dst, linewidth):
    """Rows and columns of the points, as `_line_profile_coordinates` of scikit-image has them."""
    width = int(linewidth)
    with np.errstate(over="ignore"):
        d_row, d_col = dst - src
        length = np.ceil(np.hypot(d_row, d_col) + 1)
    if not length * width <= _MOST:
        raise Declined("src and dst are far apart, or linewidth is large; give a shorter line")
    theta = np.arctan2(d_row, d_col)
    across = (linewidth - 1) * np.cos(theta) / 2, (linewidth - 1) * np.sin(-theta) / 2
    lines = _evenly(src, dst, int(length))
    return np.stack([_evenly(o - w, o + w, width) for o, w in zip(lines, across, strict=True)])


def _evenly(start, stop, count):
    """From each number of `start` to that of `stop`, `count` of them, in rows.

    As NumPy's linspace of two numbers makes them, to the last bit.
    """
    start, delta = start[:, np.newaxis], (stop - start)[:, np.newaxis]
    places = np.arange(count, dtype=float)
    if count < 2:
        return places * delta + start
    step = delta / (count - 1)
    made = np.where(step != 0, places * step, places / (count - 1) * delta) + start
    made[:, -1] = stop
    return made


def _sampled(shape, dtype, order, mode, cval, coordinates):
    image, points = Array(shape, dtype, "image"), Array.of(coordinates)
    steps, source, pad = [], image, 0
    if order > 1:
        steps, source, pad = coefficients(image, (0, 1), order, mode, cval, _AS_IT_IS)
    rows, columns, *channels = source.shape
    count, channels = coordinates[0].size, math.prod(channels)
    result = Array((count, channels), _DOUBLE)
    args = Bytes(source), code(source.dtype), points, count, rows, columns, channels, pad
    args = (*args, np.int32(mode), cval, result)
    return Launches([*steps, Launch(_SOURCE, f"profile<{order}>", args, result.size)], result)


def _run(launches, dtype, order, shape, reduce_func, image):
    values = to_host(launches(image=image))
    if order > 1 and np.isnan(values).any():
        raise Declined(
            "image has values that are not finite, which splines carry on along its axes; give "
            "numpy.nan_to_num(image), which changes the result"
        )
    pixels = _stored(values, dtype, order).reshape(*shape, *image.shape[2:])
    pixels = np.flip(pixels, axis=1)  # as scikit-image has it, from here on
    if reduce_func is None:
        found = pixels
    else:
        try:
            found = reduce_func(pixels, axis=1)
        except TypeError:  # it takes no axis
            found = np.apply_along_axis(reduce_func, arr=pixels, axis=1)
    return replace(found, _on_device)


def _on_device(value):
    is_array = isinstance(value, np.ndarray) and not unsupported_dtype(value.dtype)
    return xp.asarray(value) if is_array else value


def _stored(values, dtype, order):
    """Doubles as SciPy stores them in an array of the image's dtype."""
    if dtype.kind in "bf" or not values.size:
        return values.astype(dtype)
    low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
    with np.errstate(invalid="ignore"):
        whole = np.trunc(values + np.where(values > 0, 0.5, -0.5 if low else -values))
        halfway = np.abs(values - np.trunc(values)) - 0.5
    if order > 1 and (np.abs(halfway) < _HALFWAY * np.maximum(1, np.abs(values))).any():
        raise Declined(
            "order is above 1 and the image of integers, to which rounding alone decides how a "
            "value halfway is stored; give image.astype(float), which changes the result"
        )
    if whole.max() >= float(high) and high > 2**53:
        raise Declined("image has integers at the end of 64 bits; give image.astype(float)")
    return np.clip(whole, low, high).astype(dtype)


def samples():
    """Plans that together ask for every kernel of this room."""
    for order in range(6):
        yield profile_line(Array((9, 8), _DOUBLE), (0, 0), (3, 4), order=order)
