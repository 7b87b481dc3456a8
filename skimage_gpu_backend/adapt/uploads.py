"""Copies on the device of arrays that cannot change, kept as long as the arrays live.

Whether an array is read-only says little: who made it may make it writable again. Only
what lies in a `bytes` object can never change: `numpy.frombuffer` of such an object, or
`numpy.asarray` of Pillow's images.
"""

import weakref

import cupy as cp
import numpy as np

from . import transfer

_copies = {}  # (id of the array, device) -> (weak reference to it, its layout, device array)


def to_device(array):
    """As `transfer.to_device`; the same copy again where the array cannot have changed."""
    if array.flags.writeable or not _is_constant(array):
        return transfer.to_device(array)
    key = id(array), cp.cuda.runtime.getDevice()
    layout = array.__array_interface__  # the attributes of an array can be set
    reference, kept_layout, copy = _copies.get(key, (None, None, None))
    if kept_layout == layout and reference() is array:
        return copy
    copy = transfer.to_device(array)
    cp.cuda.get_current_stream().synchronize()  # another thread's stream may use it next
    _copies[key] = weakref.ref(array, lambda _: _copies.pop(key, None)), layout, copy
    return copy


def forget():
    """Give up all copies."""
    _copies.clear()


def _is_constant(array):
    while isinstance(array, np.ndarray):
        array = array.base
    return type(array) is bytes
