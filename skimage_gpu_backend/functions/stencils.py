"""What rooms of filters share: sigmas and modes of each axis, the constant beyond the border."""

import numpy as np

from ..accept._stencils import (
    BOUNDARY,
    LEAST_SIGMA,
    MOST_AXES,
    NUMBERS,
    plain,
    radius,
    sigma_per_axis,
)
from ..plan import Declined, Invalid

__all__ = [
    "BOUNDARY",
    "LEAST_SIGMA",
    "MOST_AXES",
    "NUMBERS",
    "along",
    "number",
    "plain",
    "radius",
    "sigma_per_axis",
]

_WRAP = BOUNDARY["wrap"]


def number(cval) -> float:
    """The constant beyond the border."""
    if isinstance(cval, np.complexfloating):
        raise Invalid("cval is complex")
    if not isinstance(cval, NUMBERS) and not (
        isinstance(cval, np.ndarray) and cval.ndim == 0 and cval.dtype.kind in "biuf"
    ):
        raise Declined("cval is not a plain number")
    return float(cval)  # raises for an int that is too large


def along(halo, mode):
    """Halo of each axis, None where the border of one end is continued by the other end.

    `mode` is one for all axes or one for each; that of an axis without a halo may be anything.
    """
    modes = [mode] * len(halo) if isinstance(mode, str) else mode
    return tuple(
        None if reach and BOUNDARY.get(name) == _WRAP else reach
        for reach, name in zip(halo, modes, strict=True)
    )
