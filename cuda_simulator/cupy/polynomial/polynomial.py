"""`cupy.polynomial.polynomial`: the lowest power comes first."""

import numpy as np

from .._declare import define

__all__ = define(
    globals(),
    "polycompanion(c: array)",
    "polyval(x: arraylike, c: array, tensor=True)",
    "polyvalfromroots(x: arraylike, r: array, tensor=True)",
    "polyvander(x: arraylike, deg)",
    module="cupy.polynomial.polynomial",
    numpy=np.polynomial.polynomial,
)
