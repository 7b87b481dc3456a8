"""skimage.exposure.rescale_intensity."""

import functools
from typing import NamedTuple

import numpy as np

from ..._warn import warn_caller
from ...device import c_name
from ...device.launches import Array, Cost
from ...devices import to_host, xp
from ...plan import Declined, Invalid, Passes, Plan, keeps_order, point
from ...primitives.arguments import is_real
from ...primitives.lookup import by_table, levels
from ...primitives.points import launch_points
from ...primitives.value_range import value_range
from ...scikit_image import on_host, private

_SOURCE = "exposure/rescale.cu"
_FROM_IMAGE, _TO_IMAGE, _LOW_ZERO_UNSIGNED = 1, 2, 4
_INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
_RESULTS = ("uint8", "uint16", "float32", "float64")  # beside the image's own dtype
dtype_range = private("util.dtype").dtype_range
_LIMITS = {
    **dtype_range,
    **{dtype.__name__: limits for dtype, limits in dtype_range.items()},
    **{f"uint{bits}": (0, 2**bits - 1) for bits in (10, 12, 14)},
    "float": dtype_range[np.float64],
    "bool": dtype_range[bool],
}


class _Ranges(NamedTuple):
    """Least and largest value of the ranges, None where it is the image's own."""

    given: tuple | None
    wanted: tuple | None
    out_range: object  # as the user has it
    dtype: np.dtype  # of the result


def rescale_intensity(image, in_range="image", out_range="dtype"):
    """Intensities stretched or shrunk: `skimage.exposure.rescale_intensity`.

    1 launch where the ranges are given; image read once, result written once. 2 launches
    where the image's own range is asked for, which reads it once more; of an integer image
    it stays on the device. Of float16 images each value's result is made on the host.
    """
    given = _limits("in_range", in_range, image.dtype)
    wanted = _limits("out_range", out_range, image.dtype)
    if image.size == 0 and (given is None or wanted is None):
        raise Invalid("an empty image has no range")
    dtype = _result_dtype(image.dtype, out_range)
    if image.dtype.char == "e":
        if wanted is None:
            raise Declined(
                "image is float16 and out_range is its own range; give image.astype(numpy.float32)"
            )
    elif dtype.char in "lLqQ":
        raise Declined(
            "image has 64-bit integers, the largest of which overflow; give image.astype(float)"
        )
    elif dtype != image.dtype and dtype.name not in _RESULTS:
        raise Declined(f"out_range makes a result of dtype {dtype}; give two numbers, as (0, 255)")
    if image.dtype.kind == "f" and given is not None:
        _refuse_infinite(image.dtype, given, dtype)
    numbers = out_range if type(out_range) is tuple else (out_range,)
    return _planned(image.shape, image.dtype, dtype, given, wanted, *numbers)


# Typed: of float16 images NumPy's numbers in a range give other results than Python's.
@keeps_order
@functools.lru_cache(maxsize=256, typed=True)
def _planned(shape, source, dtype, given, wanted, *out_range):
    image, result = Array(shape, source), Array(shape, dtype)
    out_range = out_range if len(out_range) > 1 else out_range[0]
    make = functools.partial(_made, _Ranges(given, wanted, out_range, dtype))
    table = dtype.itemsize << 16 if source.char == "e" else 0
    if given is not None and wanted is not None:
        cost = Cost(1, image.nbytes + table, result.nbytes)
        return Plan(functools.partial(make, None), point(image), cost=cost)
    cost = Cost(2, 2 * image.nbytes + table, result.nbytes)
    run = functools.partial(_in_two_passes, make)
    return Plan(run, Passes(value_range, make, point(image)), cost=cost)


def _limits(name, given, dtype):
    """Least and largest value of a range; None where it is the image's own."""
    if type(given) is tuple:
        if len(given) != 2 or not all(map(is_real, given)):
            raise Declined(f"{name} is no pair of numbers; give two, as (0, 255)")
        low, high = given
        if low != low or high != high:
            raise Declined(f"{name} has NaN, to which the image would be turned; give two numbers")
    elif type(given) not in (str, type):
        raise Declined(
            f"{name} is neither a pair of numbers nor a dtype; give two numbers, as (0, 255)"
        )
    elif given == "image":
        return None
    elif given != "dtype" and given not in _LIMITS:
        raise Declined(f"{name} is no dtype whose range is known; give two numbers, as (0, 255)")
    else:
        low, high = _LIMITS[dtype.type if given == "dtype" else given]
    return float(low), float(high)


def _result_dtype(dtype, out_range):
    """Dtype of the result for an image of `dtype`."""
    if type(out_range) is tuple:
        return np.dtype(np.float32 if dtype.char in "ef" else np.float64)
    if out_range in ("dtype", "image"):
        return dtype
    try:
        return np.dtype(out_range)
    except TypeError:  # uint10 and other names that scikit-image alone knows
        return np.dtype(np.uint16)


def _in_two_passes(make, image):
    image = _contiguous(image)
    return make(value_range(image), image=image)


def _contiguous(image):
    # CuPy would give an image without axes one
    return image if image.flags.c_contiguous else xp.ascontiguousarray(image)


def _made(ranges, found, image):
    """(A part of) an image rescaled; `found` is the range of the whole, or None."""
    return _to_range(image, None if found is None else xp.asarray(found), ranges)


def _to_range(image, found, ranges):
    image = _contiguous(image)
    given, wanted, out_range, dtype = ranges
    if image.dtype.kind == "f":  # the host must know of NaN
        own = None if found is None else tuple(map(float, to_host(found)[:2]))
        given, wanted = given or own, wanted or own
    _warn_of_nan((given or ()) + (wanted or ()))
    if image.dtype.kind == "f":
        _refuse_infinite(image.dtype, given, dtype)
        if image.dtype.char == "e":
            return _half(image, given, out_range, dtype)
    return _rescaled(image, found, given, wanted, out_range, dtype)


def _rescaled(image, found, given, wanted, out_range, dtype):
    uses = 0
    if given is None:
        uses |= _FROM_IMAGE
    if wanted is None:
        uses |= _TO_IMAGE
    if type(out_range) is not tuple and out_range != "image":
        uses |= _LOW_ZERO_UNSIGNED
    result = xp.empty(image.shape, dtype)
    if image.dtype.kind == "b":
        image = image.view("uint8")
    numbers = (*(given or (0.0, 0.0)), *(wanted or (0.0, 0.0)))
    args = (image, image.size, *numbers, np.int32(uses), found, result)
    expression = f"rescale<{c_name(image.dtype)}, {c_name(dtype)}>"
    launch_points(_SOURCE, expression, args, image, result)
    return result


def _half(image, given, out_range, dtype):
    """float16: scikit-image says what becomes of each of its values."""
    values = levels(image.dtype)
    if any(np.isnan(given)):
        table = np.full(values.shape, np.nan, dtype)
    else:
        with np.errstate(all="ignore"):  # of values that the image need not have
            table = on_host("skimage.exposure:rescale_intensity", values, given, out_range)
    return by_table(image, 0, table)[0]


def _warn_of_nan(numbers):
    if any(np.isnan(numbers)):
        warn_caller(
            "One or more intensity levels are NaN. Rescaling will broadcast NaN to the full "
            "image. Provide intensity levels yourself to avoid this. E.g. with "
            "np.nanmin(image), np.nanmax(image).",
            UserWarning,
        )


def _refuse_infinite(dtype, given, result):
    """Decline where NaN would become an integer."""
    low, high = given
    with np.errstate(over="ignore"):
        is_finite = np.isfinite(np.array([low, high, high - low]).astype(dtype)).all()
    if result.kind != "f" and not is_finite:
        raise Declined(
            f"in_range or out_range from {low} to {high} cannot be rescaled to {result}; "
            "give a finite range that fits"
        )


def specializations():
    """Every (source, expression) that this room launches, but for tables and ranges."""
    pairs = [(image, to) for image in (*_INTEGERS, "float32", "float64") for to in _RESULTS]
    pairs += [(name, name) for name in ("int8", "int16", "int32", "uint32")] + [("uint8", "bool")]
    for image, result in pairs:
        yield _SOURCE, f"rescale<{c_name(np.dtype(image))}, {c_name(np.dtype(result))}>"
