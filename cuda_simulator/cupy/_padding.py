"""`cupy.pad`."""

import numbers

import numpy as np

from ._declare import array as device_array
from ._declare import wrapped

__all__ = ["pad"]

_KEYWORDS = {
    "constant": "constant_values",
    "linear_ramp": "end_values",
    **dict.fromkeys(("maximum", "mean", "minimum"), "stat_length"),
    **dict.fromkeys(("reflect", "symmetric"), "reflect_type"),
    **dict.fromkeys(("edge", "empty", "wrap")),
}


def pad(array, pad_width, mode="constant", **kwargs):
    """The array with more elements around it, which `mode` names or a function sets."""
    device_array(array, "array")
    if not isinstance(pad_width, numbers.Integral):
        pad_width = np.asarray(pad_width)
        if pad_width.dtype.kind != "i":
            raise TypeError("`pad_width` must be of integral type.")
    if not callable(mode):
        if mode not in _KEYWORDS:
            raise ValueError(f"mode '{mode}' is not supported")
        if unknown := set(kwargs) - {_KEYWORDS[mode]}:
            raise ValueError(f"unsupported keyword arguments for mode '{mode}': {unknown}")
        if "constant_values" in kwargs:
            kwargs = {"constant_values": _fitting(kwargs["constant_values"], array.dtype)}
        return wrapped(np.pad(array._host, pad_width, mode, **kwargs), array)
    widths = np.broadcast_to(pad_width, (array.ndim, 2)).tolist()
    padded = wrapped(np.pad(array._host, widths), array)
    for axis, width in enumerate(widths):
        host = np.moveaxis(padded._host, axis, -1)
        for index in np.ndindex(host.shape[:-1]):
            mode(wrapped(host[index], padded), tuple(width), axis, kwargs)
    return padded


def _fitting(values, dtype):
    """Values in the dtype of an array: Python's numbers must fit into it."""
    if not isinstance(values, numbers.Number):
        values = np.array(values)
        values = values if values.size <= 2 else values.tolist()
    return np.asarray(values, dtype)
