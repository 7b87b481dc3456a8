"""Neighbours of a pixel, by a connectivity or a footprint, as kernels take them."""

from typing import NamedTuple

import numpy as np
from scipy import ndimage as ndi

from ..trouble import Declined, Invalid
from .arguments import is_real, small_array
from .components import OUTER_AXES

_WORDS = np.dtype([("words", "u4", 3**OUTER_AXES)])
_INNER = 3  # axes of a word in common/neighbours.cuh


class Neighbours(NamedTuple):
    """Pixels around one, along the axes of an image that are longer than 1.

    Attributes
    ----------
    around, before : numpy.void
        The struct Neighbours of common/neighbours.cuh: all of them, and those that come before
        the pixel.
    connectivity : int or None
        At most so many steps along axes lead to them; None where it is something else.
    beyond : bool
        Whether there are more, along axes of length 1.
    """

    around: np.void
    before: np.void
    connectivity: int | None
    beyond: bool


def footprint_of(footprint, connectivity, axes):
    """The footprint that scikit-image makes of both parameters, as booleans.

    Lengths of `footprint` are not looked at.
    """
    if footprint is None:
        steps = axes if connectivity is None else connectivity
        if not is_real(steps):
            raise Declined("connectivity is not a number; give an integer, as 1")
        return ndi.generate_binary_structure(axes, steps)
    return given_footprint("footprint", footprint, axes)


def given_footprint(name, footprint, axes):
    """The array that parameter `name` gives, as booleans; its lengths are not looked at."""
    footprint = small_array(name, footprint)
    try:
        footprint = footprint.astype(bool)
    except (TypeError, ValueError):
        raise Invalid(f"{name} is no array of numbers; give booleans") from None
    if footprint.ndim != axes:
        raise Invalid(f"{name} has {footprint.ndim} axes, the image {axes}; give as many")
    return footprint


def middle(name, footprint):
    """Where the middle of a footprint is, which parameter `name` gives."""
    if not all(length % 2 for length in footprint.shape):
        raise Invalid(f"{name} has an even length; give odd ones, or an offset")
    return tuple(length // 2 for length in footprint.shape)


def neighbours(shape, footprint, name="footprint"):
    """`Neighbours` that a footprint gives the pixels of an image.

    Parameters
    ----------
    shape : tuple of int
        Of the image.
    footprint : numpy.ndarray
        Of booleans, of odd lengths.
    name : str
        Of the parameter that it comes from.
    """
    steps = np.argwhere(footprint) - np.array(footprint.shape) // 2
    # scikit-image drops the nearest one, which it takes for the centre
    steps = steps[np.argsort((steps**2).sum(axis=1), kind="stable")[1:]]
    if {*map(tuple, steps)} != {*map(tuple, -steps)}:
        raise Declined(
            f"{name} is not symmetric about its centre, or 0 there; give one that is, and has it"
        )
    if steps.size and abs(steps).max() > 1:
        raise Declined(
            f"{name} has neighbours that are more than one pixel away; give one of three pixels "
            "along each axis"
        )
    long = [axis for axis, length in enumerate(shape) if length > 1]
    inside = ~np.delete(steps, long, axis=1).any(axis=1)
    around = np.zeros((3,) * len(long), bool)
    around[tuple(steps[inside][:, long].T + 1)] = True
    return Neighbours(
        _struct(around),
        _struct(around & (np.arange(around.size) < around.size // 2).reshape(around.shape)),
        _connectivity(around),
        not inside.all(),
    )


def _connectivity(around):
    """Steps along axes that lead to those `around` a pixel, if that is what they are."""
    filled = around.copy()
    filled[(1,) * around.ndim] = True
    for steps in range(1, around.ndim + 1):
        if (filled == ndi.generate_binary_structure(around.ndim, steps)).all():
            return steps
    return None


def _struct(around):
    """Neighbours of common/neighbours.cuh."""
    words = np.zeros((), _WORDS)
    outer = max(around.ndim - _INNER, 0)
    inner = np.zeros((3**outer, *(3,) * _INNER), bool)
    inner[(slice(None), *(1,) * (_INNER - around.ndim + outer))] = around.reshape(
        3**outer, *around.shape[outer:]
    )
    bits = inner.reshape(3**outer, -1) << np.arange(3**_INNER, dtype=np.uint32)
    words["words"][: len(bits)] = bits.sum(axis=1, dtype=np.uint32)
    return words[()]
