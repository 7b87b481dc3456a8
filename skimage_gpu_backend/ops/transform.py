"""Ops of `skimage.transform`: the public names; each family has a module of its own."""

import itertools

from . import _interpolation, _warp
from ._warp import rotate, swirl, warp, warp_polar

__all__ = ["rotate", "specializations", "swirl", "warp", "warp_polar"]


def specializations():
    """Every specialization that the ops of this module can ask for."""
    return itertools.chain.from_iterable(
        family.specializations() for family in (_interpolation, _warp)
    )
