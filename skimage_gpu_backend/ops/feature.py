"""Ops of `skimage.feature`: the public names; each family has a module of its own."""

import itertools

from . import (
    _corner_response,
    _daisy,
    _hog,
    _peaks,
    _structure_tensor,
)
from ._corner_response import (
    corner_foerstner,
    corner_harris,
    corner_kitchen_rosenfeld,
    corner_shi_tomasi,
)
from ._daisy import daisy
from ._hog import hog
from ._peaks import corner_peaks, peak_local_max
from ._structure_tensor import structure_tensor

__all__ = [
    "corner_foerstner",
    "corner_harris",
    "corner_kitchen_rosenfeld",
    "corner_peaks",
    "corner_shi_tomasi",
    "daisy",
    "hog",
    "peak_local_max",
    "specializations",
    "structure_tensor",
]


def specializations():
    """Every specialization that the ops of this module can ask for."""
    return itertools.chain.from_iterable(
        family.specializations()
        for family in (
            _corner_response,
            _daisy,
            _hog,
            _peaks,
            _structure_tensor,
        )
    )
