"""Calls that the ops of skimage.filters take."""

from ._detail import difference_of_gaussians, unsharp_mask
from ._hysteresis import apply_hysteresis_threshold
from ._median import median
from ._ridges import frangi, hessian, meijering, sato
from ._thresholding import threshold_li
from ._windows import threshold_local, threshold_niblack, threshold_sauvola

__all__ = [
    "apply_hysteresis_threshold",
    "difference_of_gaussians",
    "frangi",
    "hessian",
    "median",
    "meijering",
    "sato",
    "threshold_li",
    "threshold_local",
    "threshold_niblack",
    "threshold_sauvola",
    "unsharp_mask",
]
