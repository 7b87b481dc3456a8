"""Calls that the ops of skimage.feature take."""

from ._daisy import daisy
from ._hog import hog
from ._peaks import corner_peaks, peak_local_max
from ._structure_tensor import (
    corner_foerstner,
    corner_harris,
    corner_kitchen_rosenfeld,
    corner_shi_tomasi,
    structure_tensor,
)

__all__ = [
    "corner_foerstner",
    "corner_harris",
    "corner_kitchen_rosenfeld",
    "corner_peaks",
    "corner_shi_tomasi",
    "daisy",
    "hog",
    "peak_local_max",
    "structure_tensor",
]
