"""What `primitives.stencils` has, for the accept functions that are left."""

import numpy as np

from ..primitives.stencils import (
    BOUNDARY,
    LEAST_SIGMA,
    MOST_AXES,
    NUMBERS,
    plain,
    radius,
    sigma_per_axis,
)
from ._verdict import Invalid

__all__ = [
    "BOUNDARY",
    "LEAST_SIGMA",
    "MOST_AXES",
    "NUMBERS",
    "cval_refusal",
    "plain",
    "radius",
    "sigma_per_axis",
]


def cval_refusal(cval):
    """Reason to decline the constant beyond the border, or None."""
    if isinstance(cval, np.complexfloating):
        return Invalid("cval is complex")
    if not isinstance(cval, NUMBERS) and not (
        isinstance(cval, np.ndarray) and cval.ndim == 0 and cval.dtype.kind in "biuf"
    ):
        return "cval is not a plain number"
    float(cval)  # raises for an int that is too large
    return None
