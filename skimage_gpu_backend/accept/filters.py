"""Calls that the ops of skimage.filters take."""

from ._detail import difference_of_gaussians, unsharp_mask
from ._ridges import frangi, hessian, meijering, sato

__all__ = [
    "difference_of_gaussians",
    "frangi",
    "hessian",
    "meijering",
    "sato",
    "unsharp_mask",
]
