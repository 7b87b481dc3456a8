"""Plain arguments as rooms want them; scikit-image refuses what they are not."""

import math
import operator

import numpy as np

from ..trouble import Declined, Invalid
from .stencils import NUMBERS


def integer(name, value) -> int:
    """`value` of the parameter `name`, which is an integer of whatever type."""
    try:
        return operator.index(value)
    except TypeError:
        raise Declined(f"{name} is not an integer; give one") from None


def refuse_wrapping(name, value):
    """Refuse an integer that scikit-image negates or squares in a type where it wraps around."""
    if isinstance(value, np.integer) and value.dtype != np.int64:
        raise Declined(
            f"{name} is of dtype {value.dtype}, in which scikit-image may wrap around; "
            f"give int({name})"
        )


def refuse_narrow(name, value):
    """Refuse a number of a narrow type, in which scikit-image computes."""
    if isinstance(value, np.number) and value.dtype.itemsize < 8:
        raise Declined(
            f"{name} is of dtype {value.dtype}, in which scikit-image computes; give {name}.item()"
        )


def real(name, value) -> float:
    """`value` of the parameter `name`, which is a plain number."""
    if not is_real(value):
        raise Declined(f"{name} is not a number; give a number, as 2.5")
    return float(value)


def truth(name, value) -> bool:
    """Whether `value` of the parameter `name` counts as true."""
    try:
        return bool(value)
    except (TypeError, ValueError):
        raise Declined(f"{name} is neither True nor False; give one of them") from None


def refuse_but_arrays(**given):
    """Refuse None and numbers in the place of images: one of several may be anything."""
    for name, value in given.items():
        if not isinstance(getattr(value, "dtype", None), np.dtype):
            raise Invalid(f"{name} is not an array; give numpy.asarray({name})")


def is_contiguous(array) -> bool:
    """Whether the array is C-contiguous; one without data has no other layout."""
    flags = getattr(array, "flags", None)
    return flags is None or flags.c_contiguous


def is_writeable(array) -> bool:
    """Whether the array is none that is read-only."""
    return getattr(getattr(array, "flags", None), "writeable", True)


def refuse_wider(name, value, dtype):
    """Refuse what is no number, or makes the result wider than that of an image of `dtype`."""
    if type(value) in (int, float, bool):
        try:
            float(value)
        except OverflowError:
            raise Invalid(f"{name} is larger than any float; give a smaller number") from None
        return
    if not isinstance(value, np.number | np.bool_) or value.dtype.kind == "c":
        raise Declined(f"{name} is no number; give a number, as 2.5")
    single = dtype.kind == "f" and dtype.itemsize < 8
    if value.dtype.itemsize > 8 or (
        single and np.result_type(np.float32, value.dtype) != np.float32
    ):
        raise Declined(
            f"{name} is {value.dtype}, which makes the result wider than the image; give "
            f"float({name})"
        )


def is_numeric(dtype) -> bool:
    """Whether `dtype` is of real numbers that devices have."""
    return dtype.kind in "biuf" and dtype.itemsize <= 8


def is_real(value) -> bool:
    """Whether `value` is a plain number, real and no larger than a float."""
    if not isinstance(value, NUMBERS) or isinstance(value, np.complexfloating | np.timedelta64):
        return False
    try:
        float(value)
    except OverflowError:
        return False
    return True


def is_finite(value) -> bool:
    """Whether `value` is a plain number, real and finite."""
    return is_real(value) and math.isfinite(value)


def small_array(name, value):
    """`value` of the parameter `name`, a NumPy array or what makes one, as an array."""
    if isinstance(value, list | tuple):
        try:
            return np.asarray(value)
        except (TypeError, ValueError):  # lists of different lengths, array-likes that raise
            raise Invalid(f"{name} is not a regular array") from None
    if type(value) is not np.ndarray:
        raise Declined(f"{name} is not an array; give numpy.asarray({name})")
    return value


def bits_of(name, value, image, dtype) -> int:
    """Bits of `value` of the parameter `name` as NumPy puts it into the parameter `image`."""
    if not is_real(value):
        raise Declined(f"{name} is not a number; give one, as 0")
    place = np.zeros(1, dtype)
    try:
        with np.errstate(all="raise"):
            place[np.array([True])] = value  # NumPy's integers are cut so, Python's refused
    except (OverflowError, ValueError):
        raise Invalid(_too_large(name, image)) from None
    except FloatingPointError:  # of which NumPy warns
        raise Declined(_too_large(name, image)) from None
    return int(place.view(f"u{dtype.itemsize}")[0])


def _too_large(name, image):
    return f"{name} does not fit into the dtype of {image}; give one that does"
