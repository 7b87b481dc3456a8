"""Recognizing NumPy arrays whose data stays on the device, without CuPy.

Such an array is an ordinary `numpy.ndarray` whose memory is managed by the CUDA driver
(docs/resident_design.md). What tells it from others is the object at the end of its ``base``s.
"""

import ctypes

import numpy as np


def over(block, address, nbytes):
    """Buffer for NumPy over memory of a block, which it keeps alive.

    A `ctypes` array, since an array over it can be made writable again after it was made
    read-only, as one that owns its memory.

    Parameters
    ----------
    block : adapt.managed.Block
    address, nbytes : int
        The part of it that the buffer has.
    """
    buffer = (ctypes.c_ubyte * nbytes).from_address(address)
    buffer.skimage_gpu_block = block
    return buffer


def block_of(array):
    """Block of managed memory that a NumPy array lies in, or None for other arrays.

    Views are recognized: slices, transposes, reshaped arrays, other dtypes.
    """
    base = array.base
    if base is None:
        return None
    while isinstance(base, np.ndarray):
        base = base.base
    block = getattr(base, "skimage_gpu_block", None)
    return block if block is not None and block.lives_here else None
