"""Ops of `skimage.filters`: the public names; each family has a module of its own."""

import itertools

from . import _ridges
from ._ridges import frangi, hessian, meijering, sato

__all__ = [
    "frangi",
    "hessian",
    "meijering",
    "sato",
    "specializations",
]


def specializations():
    """Every specialization that the ops of this module can ask for."""
    return itertools.chain.from_iterable(family.specializations() for family in (_ridges,))
