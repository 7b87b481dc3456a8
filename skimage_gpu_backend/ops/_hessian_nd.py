"""Hessians by differences of images of more than two axes, and their determinants.

Budget: the launches of `in_double`, which smooths the image (3-D: 2 for a Gaussian's radius up
to 16, ``int(4 * sigma + 0.5)``, and 3 above), and 1, which reads the smoothed image and writes
each result once.
"""

import cupy as cp
import numpy as np

from ..accept._hessian import MOST_AXES
from ..device import c_name, launch
from ._gaussian import in_double

_SOURCE = "feature/hessian_nd.cu"


def hessian_nd(image, sigmas, mode, cval):
    """Elements of the upper triangle, row by row, as views of one stack."""
    count = image.ndim * (image.ndim + 1) // 2
    return list(_differences("hessian_nd", (count,), image, sigmas, mode, cval))


def determinant_nd(image, sigmas):
    """The determinant, in NumPy's way: by elimination, in double."""
    return _differences("determinant_nd", (), image, sigmas, "constant", 0)


def _differences(kernel, stack, image, sigmas, mode, cval):
    image = in_double(cp.ascontiguousarray(image), sigmas, mode, cval)
    results = cp.empty((*stack, *image.shape), image.dtype)
    lengths = np.array((image.shape,), [("along", "i8", image.ndim)])[()]
    expression = f"{kernel}<{c_name(image.dtype)}, {image.ndim}>"
    launch(_SOURCE, expression, (image, results, image.size, lengths), work=image.size)
    return results


def specializations():
    """Every specialization that these ops can ask for, as (source, expression)."""
    for dtype in ("float", "double"):
        for axes in range(3, MOST_AXES + 1):
            yield _SOURCE, f"hessian_nd<{dtype}, {axes}>"
            yield _SOURCE, f"determinant_nd<{dtype}, {axes}>"
