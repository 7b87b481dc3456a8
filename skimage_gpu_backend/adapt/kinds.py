"""The kinds of arrays that a call may bring, and how each crosses to the device.

The one place that knows them. No array library but NumPy is imported here: the type of a
value tells its kind, and whoever made a CuPy array has imported CuPy.
"""

import sys

import numpy as np

# dtypes that kernels take; the rest has no CUDA type or no meaning for an image
_DTYPES = frozenset("?bBhHiIlLqQefd")


class Kind:
    """One kind of array.

    Attributes
    ----------
    label : str
        Name in messages.
    on_device : bool
        Whether the data lies on a device.
    """

    __slots__ = ("label", "on_device")

    def __init__(self, label, on_device):
        self.label = label
        self.on_device = on_device


NUMPY = Kind("NumPy array", on_device=False)
CUPY = Kind("CuPy array", on_device=True)

_KINDS = {np.ndarray: NUMPY}


def kind_of(value) -> Kind | None:
    """Kind of an array, None for everything else (lists, scalars, subclasses)."""
    kind = _KINDS.get(type(value))
    if kind is None and is_cupy(value):
        kind = _KINDS[type(value)] = CUPY
    return kind


def is_cupy(value) -> bool:
    """Whether `value` is a CuPy array (not of a subclass)."""
    cupy = sys.modules.get("cupy")
    return cupy is not None and type(value) is getattr(cupy, "ndarray", None)


def has_device_array(args, kwargs) -> bool:
    """Whether an argument, or an item inside a tuple, list or dict argument, is on a device.

    Two levels deep: footprints come as lists of tuples.
    """
    if "cupy" not in sys.modules:
        return False
    return _any_on_device(args) or (bool(kwargs) and _any_on_device(kwargs.values()))


def _any_on_device(values, deeper=2):
    # plain loops: this stands in the way of every call once CuPy has been imported
    for value in values:
        kind = kind_of(value)
        if kind is CUPY:
            return True
        if kind is None and deeper and isinstance(value, tuple | list | dict):
            items = value.values() if isinstance(value, dict) else value
            if _any_on_device(items, deeper - 1):
                return True
    return False


def why_not(name, value) -> str:
    """Why `value`, given for the image parameter `name`, cannot go to the device."""
    if isinstance(value, np.ma.MaskedArray):
        what = "a masked array"
    elif isinstance(value, list | tuple):
        what = f"a {type(value).__name__}"
    else:
        what = f"of type {type(value).__module__}.{type(value).__qualname__}"
    return f"{name} is {what}; the GPU takes NumPy and CuPy arrays"


def unsupported_dtype(dtype) -> bool:
    """Whether kernels do not take images of `dtype`."""
    return dtype.char not in _DTYPES
