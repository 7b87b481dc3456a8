"""`cupy.pad`."""

import numpy as np

from ._declare import array as device_array
from ._declare import wrapped

__all__ = ["pad"]


def pad(array, pad_width, mode="constant", **kwargs):
    """The array with more elements around it, which `mode` names or a function sets."""
    device_array(array, "array")
    if not callable(mode):
        return wrapped(np.pad(array._host, pad_width, mode, **kwargs), array)
    widths = np.broadcast_to(pad_width, (array.ndim, 2)).tolist()
    padded = wrapped(np.pad(array._host, widths), array)
    for axis, width in enumerate(widths):
        host = np.moveaxis(padded._host, axis, -1)
        for index in np.ndindex(host.shape[:-1]):
            mode(wrapped(host[index], padded), tuple(width), axis, kwargs)
    return padded
