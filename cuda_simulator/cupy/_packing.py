"""Bits in bytes."""

import numpy as np

from ._declare import wrapped

__all__ = ["packbits", "unpackbits"]


def _check(axis, bitorder):
    if axis is not None:
        raise NotImplementedError("axis option is not supported yet")
    if bitorder not in ("big", "little"):
        raise ValueError("bitorder must be either 'big' or 'little'")


def packbits(a, axis=None, bitorder="big"):
    """Bytes whose bits say which elements are not zero."""
    if a.dtype.kind not in "biu":
        raise TypeError("Expected an input array of integer or boolean data type")
    _check(axis, bitorder)
    return wrapped(np.packbits(a._host, None, bitorder), a)


def unpackbits(a, axis=None, bitorder="big"):
    """The bits of bytes."""
    if a.dtype != np.uint8:
        raise TypeError("Expected an input array of unsigned byte data type")
    _check(axis, bitorder)
    return wrapped(np.unpackbits(a._host, None, None, bitorder), a)
