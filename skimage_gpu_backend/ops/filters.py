"""Ops of `skimage.filters`: the public names; each family has a module of its own."""

import itertools

from . import _detail, _ridges
from ._detail import difference_of_gaussians, unsharp_mask
from ._ridges import frangi, hessian, meijering, sato

__all__ = [
    "difference_of_gaussians",
    "frangi",
    "hessian",
    "meijering",
    "sato",
    "specializations",
    "unsharp_mask",
]


def specializations():
    """Every specialization that the ops of this module can ask for."""
    return itertools.chain.from_iterable(
        family.specializations()
        for family in (
            _detail,
            _ridges,
        )
    )
