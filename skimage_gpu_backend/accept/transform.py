"""Calls that the ops of skimage.transform take."""

from ._integral import integral_image
from ._local_means import downscale_local_mean, resize_local_mean
from ._pyramids import pyramid_expand, pyramid_gaussian, pyramid_laplacian, pyramid_reduce
from ._warp import rotate, swirl, warp, warp_polar

__all__ = [
    "downscale_local_mean",
    "integral_image",
    "pyramid_expand",
    "pyramid_gaussian",
    "pyramid_laplacian",
    "pyramid_reduce",
    "resize_local_mean",
    "rotate",
    "swirl",
    "warp",
    "warp_polar",
]
