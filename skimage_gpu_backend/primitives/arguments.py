"""Plain arguments as rooms want them; scikit-image refuses what they are not."""

import operator

from ..trouble import Invalid


def integer(name, value) -> int:
    """`value` of the parameter `name`, which is an integer of whatever type."""
    try:
        return operator.index(value)
    except TypeError:
        raise Invalid(f"{name} is not an integer") from None


def truth(name, value) -> bool:
    """Whether `value` of the parameter `name` counts as true."""
    try:
        return bool(value)
    except (TypeError, ValueError):
        raise Invalid(f"{name} is neither true nor false") from None


def refuse_but_arrays(**given):
    """Refuse None and numbers in the place of images: one of several may be anything."""
    for name, value in given.items():
        if not hasattr(value, "shape"):
            raise Invalid(f"{name} is not an array")


def is_contiguous(array) -> bool:
    """Whether the array is C-contiguous; one without data has no other layout."""
    flags = getattr(array, "flags", None)
    return flags is None or flags.c_contiguous


def is_writeable(array) -> bool:
    """Whether the array is none that is read-only."""
    return getattr(getattr(array, "flags", None), "writeable", True)
