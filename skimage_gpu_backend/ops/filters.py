"""Ops of `skimage.filters`: the public names; each family has a module of its own."""

import itertools

from . import (
    _detail,
    _edges,
    _gaussian,
    _hysteresis,
    _li,
    _median,
    _ridges,
    _thresholding,
    _windows,
)
from ._detail import difference_of_gaussians, unsharp_mask
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
from ._hysteresis import apply_hysteresis_threshold
from ._li import threshold_li
from ._median import median
from ._ridges import frangi, hessian, meijering, sato
from ._thresholding import (
    threshold_isodata,
    threshold_minimum,
    threshold_multiotsu,
    threshold_otsu,
    threshold_triangle,
    threshold_yen,
)
from ._windows import threshold_local, threshold_niblack, threshold_sauvola

__all__ = [
    "apply_hysteresis_threshold",
    "difference_of_gaussians",
    "farid",
    "farid_h",
    "farid_v",
    "frangi",
    "gaussian",
    "hessian",
    "laplace",
    "median",
    "meijering",
    "prewitt",
    "prewitt_h",
    "prewitt_v",
    "roberts",
    "roberts_neg_diag",
    "roberts_pos_diag",
    "sato",
    "scharr",
    "scharr_h",
    "scharr_v",
    "sobel",
    "sobel_h",
    "sobel_v",
    "specializations",
    "threshold_isodata",
    "threshold_li",
    "threshold_local",
    "threshold_minimum",
    "threshold_multiotsu",
    "threshold_niblack",
    "threshold_otsu",
    "threshold_sauvola",
    "threshold_triangle",
    "threshold_yen",
    "unsharp_mask",
]


def specializations():
    """Every specialization that the ops of this module can ask for."""
    return itertools.chain.from_iterable(
        family.specializations()
        for family in (
            _gaussian,
            _hysteresis,
            _detail,
            _edges,
            _li,
            _median,
            _ridges,
            _thresholding,
            _windows,
        )
    )
