"""Calls that the ops of skimage.filters take."""

from ._ridges import frangi, hessian, meijering, sato

__all__ = [
    "frangi",
    "hessian",
    "meijering",
    "sato",
]
