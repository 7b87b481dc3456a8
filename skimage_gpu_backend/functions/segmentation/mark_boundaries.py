"""skimage.segmentation.mark_boundaries."""

import functools
import math

import numpy as np

from ...device.dtypes import C_NAMES, c_name
from ...device.launches import Array, Launch, Launches
from ...plan import Declined, Invalid, Plan, Reach
from ...primitives.arguments import is_real, refuse_but_arrays, small_array
from ...primitives.gaussian import conversion, working
from ...primitives.spline import coefficients
from ...primitives.stencils import BOUNDARY
from .find_boundaries import background_of, outlined, refuse_odd

_SOURCE = "segmentation/mark.cu"
_CUBIC = 3
_RGB = 3
_MOST_CHANNELS = 64
_INT, _LONG = np.dtype(np.int32), np.dtype(np.int64)


def mark_boundaries(
    image, label_img, color=(1, 1, 0), outline_color=None, mode="outer", background_label=0
):
    """An image with boundaries of labels in colour: `segmentation.mark_boundaries`.

    2 launches; image and labels are read once, 1 byte a pixel is written and read, the result is
    written once. With the mode "subpixel" 2 more, 3 for RGB, which write and read 8 bytes a number
    of the image each. 4 bytes come to the host for labels of floats and 64-bit integers. One more
    launch each makes strided arrays contiguous.
    """
    refuse_but_arrays(image=image, label_img=label_img)
    label = background_of(label_img, mode, background_label, "background_label")
    shape = (*image.shape, _RGB) if image.ndim == 2 else tuple(image.shape)
    places = label_img.shape
    if mode == "subpixel":
        if len(shape) != 3:
            raise Declined(
                "mode is 'subpixel' and image is no plane; give another mode, which changes the "
                "result"
            )
        if 0 in shape:
            raise Declined("image has no elements; give another mode")
        shape = (*(2 * length - 1 for length in shape[:-1]), shape[-1])
        places = tuple(2 * length - 1 for length in places)
    if 0 in places and 0 not in shape:
        raise Declined("label_img has no elements; nothing to change")
    if places != shape[: len(places)]:
        raise Invalid("label_img has another shape than the image; give labels of image.shape[:2]")
    if outline_color is not None and len(places) != 2:
        raise Invalid("outline_color is given and label_img is no plane; leave it out")
    channels = shape[len(places) :]
    if math.prod(channels) > _MOST_CHANNELS:
        raise Declined("label_img has too few axes for the image; give labels of image.shape[:2]")
    given = {"color": color, "outline_color": outline_color}
    colors = [
        _of_place(name, value, channels, working(image.dtype))
        for name, value in given.items()
        if value is not None or name == "color"
    ]
    images = image.shape, image.dtype, label_img.shape, label_img.dtype
    return _planned(*images, mode, label, shape, len(places), tuple(colors))


def _of_place(name, color, channels, dtype):
    """The numbers that a colour becomes at each place."""
    if isinstance(color, str | bytes) and not _is_number(color):
        raise Invalid(f"{name} is a text; give three numbers, as (1, 1, 0)")
    values = np.asarray(color) if is_real(color) else small_array(name, color)
    if values.dtype.kind not in "biuf":
        raise Declined(f"{name} is not of numbers; give three numbers, as (1, 1, 0)")
    while values.ndim > len(channels) and values.shape[0] == 1:
        values = values[0]
    try:
        values = np.broadcast_to(values, channels)
    except ValueError:
        raise Declined(f"{name} is not a number for each channel; give (1, 1, 0)") from None
    with np.errstate(all="ignore"):
        there = values.astype(dtype)
    if np.isinf(there).any() and not np.isinf(values).any():
        raise Declined(f"{name} is beyond what the image holds; give numbers up to 1")
    return tuple(there.ravel().tolist())


def _is_number(text):
    try:
        float(text)
    except ValueError:
        return False
    return True


@functools.lru_cache(maxsize=256)
def _planned(shape, source, of_labels, kind, mode, label, made, axes, colors):
    image, labels = Array(shape, source, "image"), Array(of_labels, kind, "label_img")
    step, boundaries, told = outlined(labels, 1, mode, label)
    result = Array(made, working(source))
    index = _INT if result.size < 2**31 else _LONG
    colored = Array.of(np.array(colors, result.dtype))
    marks = _marks(made, axes, _RGB if len(shape) == 2 else 1, len(colors) > 1, index)
    name = f"{c_name(result.dtype)}, {c_name(index)}"
    if mode == "subpixel":
        filtered = [axis for axis, length in enumerate(shape) if length > 1]
        steps, image, _ = coefficients(
            image, filtered, _CUBIC, BOUNDARY["mirror"], 0.0, conversion(source, False)
        )
        size = shape[0], shape[1], np.int32(math.prod(shape[2:]))
        args = (image, *size, boundaries, colored, marks, result)
        last = Launch(_SOURCE, f"mark_between<{name}>", args, result.size)
    else:
        steps, args = [], (image, boundaries, colored, marks, result)
        last = Launch(_SOURCE, f"mark<{c_name(source)}, {name}>", args, result.size)
    launches = Launches([step, *steps, last], result if told is None else (result, told))

    def run(image, label_img):
        marked = launches(image=image, label_img=label_img)
        if told is None:
            return marked
        marked, odd = marked
        refuse_odd(odd)
        return marked

    return Plan(run, _reach(shape, axes, mode, len(colors) > 1), launches=launches)


def _reach(shape, axes, mode, has_outline):
    """A boundary is one pixel wide, an outline one more; splines look at all of an image."""
    if mode == "subpixel" or axes > len(shape):
        return None
    halo = (1 + has_outline,) * axes + (None,) * (len(shape) - axes)
    return Reach(halo, arrays=2 if len(shape) > 2 else 2 * _RGB)


def _marks(made, axes, grays, has_outline, index):
    """The struct Marks of mark.cu."""
    fields = [(name, index) for name in ("size", "channels", "rows", "columns")]
    struct = np.zeros((), np.dtype([*fields, ("grays", "i4"), ("outlined", "?")], align=True))
    struct["size"], struct["channels"] = math.prod(made), math.prod(made[axes:])
    if axes == 2:
        struct["rows"], struct["columns"] = made[:2]
    struct["grays"], struct["outlined"] = grays, has_outline
    return struct[()]


def specializations():
    """Every (source, expression) that this room launches, but for boundaries and coefficients."""
    for index in ("int", "long long"):
        for name in C_NAMES:
            marked = c_name(working(np.dtype(name)))
            yield _SOURCE, f"mark<{C_NAMES[name]}, {marked}, {index}>"
        for marked in ("float", "double"):
            yield _SOURCE, f"mark_between<{marked}, {index}>"
