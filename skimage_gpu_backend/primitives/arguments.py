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
