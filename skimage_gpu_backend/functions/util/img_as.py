"""skimage.util: the conversions img_as_*, equal to the last bit.

Where CuPy makes a conversion in one launch already, there is no kernel for it.
"""

import contextlib
import functools
import itertools

import numpy as np

from ..._warn import warn_caller
from ...device.dtypes import C_NAMES, c_name
from ...device.launches import Array, Cost, Launches
from ...devices import to_host, xp
from ...plan import Declined, Passes, Plan, Reach, keeps_order
from ...primitives.arguments import truth
from ...primitives.of_cupy import NOTHING, elementwise
from ...primitives.points import most_blocks, points
from ...primitives.value_range import value_range

_SOURCE = "util/convert.cu"
_INT16, _UINT8, _UINT16 = (np.dtype(name) for name in ("int16", "uint8", "uint16"))
_FLOAT32, _FLOAT64 = np.dtype(np.float32), np.dtype(np.float64)
_BEYOND, _NAN = 1, 2  # what the kernel tells of floats


def img_as_bool(image, force_copy=False):
    """Whether elements are above half of their dtype's range: `skimage.util.img_as_bool`.

    1 launch; image read once, result written once. A boolean image is returned as it is, or
    copied.
    """
    _refuse_numbers(image)
    if image.dtype.kind == "b":
        return _as_it_is(image, force_copy)
    most = 1 if image.dtype.kind == "f" else np.iinfo(image.dtype).max
    half = image.dtype.type(most / 2)
    return elementwise(lambda image: image > half, image, np.dtype(bool))


def img_as_float(image, force_copy=False):
    """Integers as double: `skimage.util.img_as_float`; as `img_as_float64`.

    Floats are returned as they are, or copied.
    """
    _refuse_numbers(image)
    if image.dtype.kind == "f":
        return _as_it_is(image, force_copy)
    return img_as_float64(image)


def img_as_float32(image, force_copy=False):
    """Any image as float: `skimage.util.img_as_float32`.

    1 launch; image read once, result written once.
    """
    is_wide = image.dtype.kind == "u" and image.dtype.itemsize == 8  # CuPy has double between
    return _to_floats(image, _FLOAT32, force_copy, is_wide or image.dtype.kind == "i")


def img_as_float64(image, force_copy=False):
    """Any image as double: `skimage.util.img_as_float64`.

    1 launch; image read once, result written once.
    """
    return _to_floats(image, _FLOAT64, force_copy, image.dtype.kind == "i")


def img_as_int(image, force_copy=False):
    """Any image as 16-bit integers: `skimage.util.img_as_int`.

    1 launch; image read once, result written once; but for 8-bit and boolean images one
    number comes to the host. 2 launches where it says that values are not scaled.
    """
    return _to_integers(image, _INT16, force_copy)


def img_as_ubyte(image, force_copy=False):
    """Any image as bytes: `skimage.util.img_as_ubyte`. Launches as `img_as_int`."""
    return _to_integers(image, _UINT8, force_copy)


def img_as_uint(image, force_copy=False):
    """Any image as 16-bit unsigned integers: `skimage.util.img_as_uint`.

    Launches as `img_as_int`.
    """
    return _to_integers(image, _UINT16, force_copy)


def _refuse_numbers(image):
    if image.ndim == 0:
        raise Declined("image has no axes; nothing to change")


def _as_it_is(image, force_copy):
    """Plan for an image that has the wanted dtype."""
    if truth("force_copy", force_copy):
        return elementwise(lambda image: image.copy(), image, image.dtype, keeps_order=False)
    return Plan(lambda image: image, cost=NOTHING)


def _to_floats(image, into, force_copy, has_kernel):
    _refuse_numbers(image)
    if image.dtype == into:
        return _as_it_is(image, force_copy)
    if has_kernel:
        return _floating(image.shape, image.dtype, into)
    if image.dtype.kind == "u":
        unit = 1 / np.iinfo(image.dtype).max
        return elementwise(lambda image: xp.multiply(image, unit, dtype=into), image, into)
    return elementwise(lambda image: image.astype(into), image, into)


def _to_integers(image, into, force_copy):
    _refuse_numbers(image)
    if image.dtype == into:
        return _as_it_is(image, force_copy)
    if image.size == 0:
        raise Declined("image is empty; nothing to change")
    if image.dtype.char == "e" and into != _UINT8:
        raise Declined(
            "image is float16, which cannot hold 16-bit integers; give image.astype(numpy.float32)"
        )
    return _integral(image.shape, image.dtype, into)


@keeps_order
@functools.lru_cache(maxsize=256)
def _floating(shape, source, into):
    image, result = Array(shape, source, "image"), Array(shape, into)
    expression = _expression("integers_to_floats", source, into)
    step = points(_SOURCE, expression, (image, image.size, result), image, result)
    return _planned(shape, Launches([step], result))


@functools.lru_cache(maxsize=256)
def _integral(shape, source, into):
    if source.kind == "f":
        return _of_floats(shape, source, into)
    if source.kind == "b":
        return _of_booleans(shape, source, into)
    # as `_scale` of skimage/util/dtype.py, from n to m bits without the sign
    n, m = _bits(source), _bits(into)
    if n > m:
        return _of_more_bits(shape, source, into, n - m)
    if source.kind == into.kind == "i":
        launches = _scaled(shape, source, into, before=1 << n, factor=257, after=-(1 << m))
        return _planned(shape, launches)
    multiple = -(-m // n) * n  # up to a multiple of n bits, then down
    factor = (2**multiple - 1) // (2**n - 1)
    return _planned(shape, _scaled(shape, source, into, factor=factor, shift=multiple - m))


def _planned(shape, launches, run=None):
    return Plan(run or launches, _reach(shape), launches=launches)


def _reach(shape):
    return Reach((0,) * len(shape), arrays=1)


@keeps_order
def _of_booleans(shape, source, into):
    return _planned(shape, _scaled(shape, source, into, factor=np.iinfo(into).max))


@keeps_order
def _of_floats(shape, source, into):
    limits = np.iinfo(into)
    signed = limits.min < 0
    factor = (limits.max - limits.min) / 2 if signed else float(limits.max)
    numbers = (factor, 0.5 if signed else 0.0, float(limits.min), float(limits.max))
    image, result = Array(shape, source, "image"), Array(shape, into)
    refused = Array((1,), np.dtype(np.uint32), zero=True)
    expression = _expression("floats_to_integers", source, into)
    args = (image, image.size, *numbers, refused, result)
    launches = Launches([points(_SOURCE, expression, args, image, result)], (result, refused))
    return _planned(shape, launches, functools.partial(_unless_refused, launches))


def _unless_refused(launches, image):
    result, refused = launches(image=image)
    seen = int(to_host(refused)[0])
    if seen & _NAN:
        raise Declined(
            f"image has NaN, of which {result.dtype} has none; give finite numbers, as "
            "numpy.nan_to_num(image), which changes the result"
        )
    if seen & _BEYOND:
        raise ValueError("Images of type float must be between -1 and 1.")
    return result


def _of_more_bits(shape, source, into, shift):
    """Plan of a conversion to fewer bits: the largest value decides whether it scales."""
    down = _scaled(shape, source, into, shift=shift, finds_largest=True)
    kept = _scaled(shape, source, into)
    launches, read, written, between = map(sum, zip(down.cost, kept.cost, strict=True))
    return Plan(
        functools.partial(_scaled_or_kept, down, kept),
        Passes(_largest, functools.partial(_of_largest, into, shift), _reach(shape)),
        launches=down,
        cost=Cost(launches, read, written, between),
    )


def _scaled_or_kept(down, kept, image):
    result, found = down(image=image)
    if _fits(to_host(found)[0], image.dtype, result.dtype):
        kept(image=image, out=result)
    return result


def _largest(image):
    """Largest element of an image of integers, on the host; it may be in pieces (`parts_of`)."""
    return to_host(value_range(image)[1])[()]


def _of_largest(into, shift, largest, image):
    """A part of an image whose largest element is known."""
    shift = 0 if _fits(largest, image.dtype, into) else shift
    return _scaled(image.shape, image.dtype, into, shift=shift)(image=image)


def _fits(largest, source, into):
    """Whether values are not scaled, since they fit; the user is told so, as by scikit-image."""
    bits = _bits(into)
    if largest >= 2**bits:
        return False
    narrow = f"int{bits + 1}" if bits % 2 else f"uint{bits}"
    warn_caller(
        f"Downcasting {source} to {narrow} without scaling because max value {largest} fits"
        f" in {narrow}",
        UserWarning,
    )
    return True


def _bits(dtype):
    """Without that of the sign."""
    return 8 * dtype.itemsize - (dtype.kind == "i")


@functools.lru_cache(maxsize=256)  # tiles of a call differ in few shapes
def _scaled(shape, source, into, *, before=0, factor=1, shift=0, after=0, finds_largest=False):
    """Launch of scale_integers; with `finds_largest` the result and its largest element."""
    image, result = Array(shape, source, "image"), Array(shape, into)
    partials = arrived = largest = None
    if finds_largest:
        partials = Array((most_blocks(image, result),), source)
        arrived, largest = Array((1,), np.dtype(np.uint32), zero=True), Array((1,), source)
    numbers = (np.int32(before), int(factor), np.int32(shift), np.int32(after))
    args = (image, image.size, *numbers, partials, arrived, largest, result)
    step = points(_SOURCE, _expression("scale_integers", source, into), args, image, result)
    return Launches([step], (result, largest) if finds_largest else result)


def _expression(kernel, source, into):
    source = _UINT8 if source.kind == "b" else source
    return f"{kernel}<{c_name(source)}, {c_name(into)}>"


def samples():
    """Plans that together ask for every kernel of this room."""
    functions = (img_as_float32, img_as_float64, img_as_int, img_as_ubyte, img_as_uint)
    for function, dtype in itertools.product(functions, C_NAMES):
        with contextlib.suppress(Declined):
            plan = function(Array((4, 4), np.dtype(dtype)))
            if plan.launches:  # else it is CuPy's
                yield plan
