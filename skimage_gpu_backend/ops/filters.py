"""Ops of `skimage.filters`: the public names; each family has a module of its own."""

import itertools

from . import _edges, _gaussian, _thresholding
from ._edges import (
    farid,
    farid_h,
    farid_v,
    laplace,
    prewitt,
    prewitt_h,
    prewitt_v,
    roberts,
    roberts_neg_diag,
    roberts_pos_diag,
    scharr,
    scharr_h,
    scharr_v,
    sobel,
    sobel_h,
    sobel_v,
)
from ._gaussian import gaussian
from ._thresholding import threshold_otsu

__all__ = [
    "farid",
    "farid_h",
    "farid_v",
    "gaussian",
    "laplace",
    "prewitt",
    "prewitt_h",
    "prewitt_v",
    "roberts",
    "roberts_neg_diag",
    "roberts_pos_diag",
    "scharr",
    "scharr_h",
    "scharr_v",
    "sobel",
    "sobel_h",
    "sobel_v",
    "specializations",
    "threshold_otsu",
]


def specializations():
    """Every specialization that the ops of this module can ask for."""
    return itertools.chain.from_iterable(
        family.specializations() for family in (_gaussian, _edges, _thresholding)
    )
