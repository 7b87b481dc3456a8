"""skimage.exposure.rescale_intensity on the device."""

import cupy as cp
import numpy as np

from .._warn import warn_caller
from ..accept._rescale import limits, result_dtype
from ..device import c_name
from ..primitives import value_range as _value_range
from ..primitives.lookup import by_table, levels
from ..primitives.points import any_layout, launch_points
from ..scikit_image import on_host
from ..trouble import Declined

_SOURCE = "exposure/rescale.cu"
_FROM_IMAGE, _TO_IMAGE, _LOW_ZERO_UNSIGNED = 1, 2, 4
_INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
_RESULTS = ("uint8", "uint16", "float32", "float64")


def specializations():
    """Every (source, expression) that the op of this module launches, but for tables."""
    pairs = [(image, to) for image in (*_INTEGERS, "float32", "float64") for to in _RESULTS]
    pairs += [(name, name) for name in ("int8", "int16", "int32", "uint32")] + [("uint8", "bool")]
    for image, result in pairs:
        yield _SOURCE, f"rescale<{c_name(np.dtype(image))}, {c_name(np.dtype(result))}>"
    yield from _value_range.specializations()


def rescale_intensity(image, in_range="image", out_range="dtype"):
    """Intensities stretched or shrunk, as `skimage.exposure.rescale_intensity`.

    1 launch where the ranges are given; image read once, result written once. 2 launches
    where the image's own range is asked for, which reads it once more; of an integer image
    it stays on the device.
    """
    if not image.flags.forc:
        image = cp.ascontiguousarray(image)
    return rescaled(own_range(image, in_range, out_range), image, in_range, out_range)


def own_range(image, in_range="image", out_range="dtype"):
    """The image's range where it is asked for; `image` may be in pieces (`parts_of`)."""
    return _value_range.value_range(image) if "image" in (in_range, out_range) else None


def rescaled(found, image, in_range="image", out_range="dtype"):
    """What `rescale_intensity` makes of (a part of) an image whose range was found."""
    return _to_range(image, None if found is None else cp.asarray(found), in_range, out_range)


@any_layout
def _to_range(image, found, in_range, out_range):
    given, wanted = limits(image.dtype, in_range), limits(image.dtype, out_range)
    if image.dtype.kind == "f":  # the host must know of NaN
        own = None if found is None else tuple(map(float, found.get()[:2]))
        given, wanted = given or own, wanted or own
        _warn_of_nan(given + wanted)
        if image.dtype.char == "e":
            return _half(image, given, out_range)
        _check(image.dtype, given, result_dtype(image.dtype, out_range))
    return _rescaled(image, found, given, wanted, out_range)


def _rescaled(image, found, given, wanted, out_range):
    uses = 0
    if given is None:
        uses |= _FROM_IMAGE
    if wanted is None:
        uses |= _TO_IMAGE
    if type(out_range) is not tuple and out_range != "image":
        uses |= _LOW_ZERO_UNSIGNED
    result = cp.empty(image.shape, result_dtype(image.dtype, out_range))
    if image.dtype.kind == "b":
        image = image.view("uint8")
    numbers = (*(given or (0.0, 0.0)), *(wanted or (0.0, 0.0)))
    args = (image, image.size, *numbers, np.int32(uses), found, result)
    expression = f"rescale<{c_name(image.dtype)}, {c_name(result.dtype)}>"
    launch_points(_SOURCE, expression, args, image, result)
    return result


def _half(image, given, out_range):
    """float16: scikit-image says what becomes of each of its values."""
    dtype = result_dtype(image.dtype, out_range)
    _check(image.dtype, given, dtype)
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


def _check(dtype, given, result):
    """Decline where NaN would become an integer."""
    low, high = given
    with np.errstate(over="ignore"):
        is_finite = np.isfinite(np.array([low, high, high - low]).astype(dtype)).all()
    if result.kind != "f" and not is_finite:
        raise Declined(f"a range from {low} to {high} cannot be rescaled to {result}")
