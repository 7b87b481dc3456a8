"""`cupy.lib.stride_tricks`: views with other strides."""

import numpy as np

from .._creation import array
from .._ndarray import view

__all__ = ["as_strided", "sliding_window_view"]


def as_strided(x, shape=None, strides=None):
    """A view of the array with this shape and these strides, which nothing checks."""
    return view(x, np.lib.stride_tricks.as_strided(x._host, shape, strides))


def sliding_window_view(x, window_shape, axis=None, *, subok=False, writeable=False):
    """A view of all windows of a shape; `x` may be anything that `cupy.array` takes."""
    if writeable:
        raise NotImplementedError("Writeable views are not supported.")
    x = array(x, copy=False)
    windows = np.lib.stride_tricks.sliding_window_view
    return view(x, windows(x._host, window_shape, axis, writeable=True))
