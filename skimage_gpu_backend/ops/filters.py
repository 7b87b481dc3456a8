"""Ops of `skimage.filters`: the public names; each family has a module of its own."""

import itertools

from . import _detail, _median, _ridges, _windows
from ._detail import difference_of_gaussians, unsharp_mask
from ._median import median
from ._ridges import frangi, hessian, meijering, sato
from ._windows import threshold_local, threshold_niblack, threshold_sauvola

__all__ = [
    "difference_of_gaussians",
    "frangi",
    "hessian",
    "median",
    "meijering",
    "sato",
    "specializations",
    "threshold_local",
    "threshold_niblack",
    "threshold_sauvola",
    "unsharp_mask",
]


def specializations():
    """Every specialization that the ops of this module can ask for."""
    return itertools.chain.from_iterable(
        family.specializations()
        for family in (
            _detail,
            _median,
            _ridges,
            _windows,
        )
    )
