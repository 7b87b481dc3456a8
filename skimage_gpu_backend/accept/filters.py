"""Calls that the ops of skimage.filters take."""

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
    "threshold_local",
    "threshold_niblack",
    "threshold_sauvola",
    "unsharp_mask",
]
