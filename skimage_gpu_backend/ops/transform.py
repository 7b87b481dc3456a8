"""Ops of `skimage.transform`: the public names; each family has a module of its own."""

import itertools

from . import _integral, _local_means, _pyramids, _warp
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
    "specializations",
    "swirl",
    "warp",
    "warp_polar",
]


def specializations():
    """Every specialization that the ops of this module can ask for."""
    return itertools.chain.from_iterable(
        family.specializations() for family in (_integral, _local_means, _pyramids, _warp)
    )
