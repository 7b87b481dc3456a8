"""How many elements a call is about, where an argument says it better than its images.

Of a polygon a few corners are given, and what takes the time is each pixel that may lie in it.
"""

import math
import operator

import numpy as np

from ..arguments import given


def _of_shape(parameter):
    """Elements of the result, whose shape is an argument."""

    def elements(name, args, kwargs):
        return math.prod(map(operator.index, given(name, parameter, args, kwargs)[:2]))

    return elements


def _around(name, args, kwargs):
    """Pixels around the corners, within the image if its shape is given."""
    shape = given(name, "shape", args, kwargs)
    elements = 1
    for axis, parameter in enumerate("rc"):
        corners = given(name, parameter, args, kwargs)
        first, last = max(0.0, float(corners.min().real)), float(corners.max().real)
        if shape is not None:
            last = min(last, operator.index(shape[axis]))
        elements *= max(0, last - first)
    return elements


BY_ARGUMENTS = {
    "skimage.draw:polygon": _around,
    "skimage.draw:polygon2mask": _of_shape("image_shape"),
    "skimage.measure:grid_points_in_poly": _of_shape("shape"),
}


def elements(name, args, kwargs) -> float:
    """Elements that a call of a function in `BY_ARGUMENTS` is about; 0 where none can be told."""
    try:
        with np.errstate(all="ignore"):
            found = float(BY_ARGUMENTS[name](name, args, kwargs))
    except Exception:
        return 0  # scikit-image refuses the call whatever its size is
    return found if math.isfinite(found) else 0
