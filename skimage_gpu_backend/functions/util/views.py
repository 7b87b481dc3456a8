"""skimage.util: views of arrays. Nothing is launched, but for a copy that `crop` is asked for.

scikit-image's own function tells where the elements of the view lie: it is given an array of the
same shape and strides that has no memory, and answers with such a view.
"""

import functools
import warnings

import numpy as np
from numpy.lib.stride_tricks import as_strided

from ...device.launches import Cost
from ...devices import xp
from ...plan import Declined, Idle, Invalid, Plan
from ...primitives.arguments import truth
from ...primitives.of_cupy import NOTHING
from ...scikit_image import on_host


def crop(ar, crop_width, copy=False, order="K"):
    """An array without its margins: `skimage.util.crop`. 1 launch where it is copied."""
    if isinstance(ar, np.ndarray):
        raise Declined(
            Idle("ar is a NumPy array and the result is a part of it; nothing to change")
        )
    view, found = _view("crop", "ar", ar, crop_width)
    if not truth("copy", copy):
        return Plan(view, cost=NOTHING)
    try:
        np.array(0, order=order)
    except (TypeError, ValueError) as error:
        raise Invalid(f"order: {error}") from None
    nbytes = found.size * found.itemsize
    return Plan(lambda ar: xp.array(view(ar=ar), order=order), cost=Cost(1, nbytes, nbytes))


def view_as_blocks(arr_in, block_shape):
    """An array in blocks: `skimage.util.view_as_blocks`."""
    return _of_same_memory("view_as_blocks", arr_in, block_shape)


def view_as_windows(arr_in, window_shape, step=1):
    """Every window of an array: `skimage.util.view_as_windows`."""
    return _of_same_memory("view_as_windows", arr_in, window_shape, step)


def _of_same_memory(name, arr_in, *args):
    if isinstance(arr_in, np.ndarray):
        raise Declined(
            Idle("arr_in is a NumPy array and the result is another view of it; nothing to change")
        )
    return Plan(_view(name, "arr_in", arr_in, *args)[0], cost=NOTHING)


def _view(name, parameter, array, *args):
    """What makes the view of the device array, and the view of an array without memory."""
    if array.ndim == 0:
        raise Declined(f"{parameter} has no axes; nothing to change")
    look = functools.partial(on_host, f"skimage.util:{name}")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # they are given when the view is made
            found = look(np.broadcast_to(np.empty((), array.dtype), array.shape), *args)
    except Exception as error:
        raise Invalid(f"{type(error).__name__}: {error}") from None

    def view(**arrays):
        (array,) = arrays.values()
        standing_in = as_strided(np.empty((), array.dtype), array.shape, array.strides)
        found = look(standing_in, *args)
        return xp.ndarray(
            found.shape,
            found.dtype,
            array.data + (found.ctypes.data - standing_in.ctypes.data),
            found.strides,
        )

    return view, found
