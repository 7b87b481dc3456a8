"""What the accept functions and the ops that interpolate both have to know."""

import numpy as np

from ._stencils import cval_refusal
from ._verdict import Invalid

# numpy.pad's modes, which scikit-image takes, in kernels/common/boundary.cuh
MODES = {"edge": 0, "wrap": 1, "symmetric": 2, "reflect": 3, "constant": 4}
MOST_CHANNELS = 1 << 20


def interpolation_order(dtype, order):
    """Order of the spline, as scikit-image chooses it."""
    if order is None:
        return 0 if dtype.kind == "b" else 1
    return int(order)


def interpolation_refusal(image, order, mode, cval):
    """Reason to decline, or Invalid, for arguments that all interpolating functions have."""
    if order is not None and (not isinstance(order, int | np.integer) or isinstance(order, bool)):
        return "order is no integer"
    order = interpolation_order(image.dtype, order)
    if not 0 <= order <= 5 or (order and image.dtype.kind == "b"):
        return Invalid("order is out of range, or above 0 for a boolean image")
    if not isinstance(mode, str) or mode not in MODES:
        return Invalid("mode is unknown")
    if refusal := cval_refusal(cval):
        return refusal
    if mode == "constant" and image.dtype.kind == "b" and cval not in (0, 1):
        return "a constant beyond a boolean image is neither 0 nor 1"
    if mode == "constant" and order > 1 and not np.isfinite(cval):
        return "the constant beyond the border is not finite"
    return None


def shows_ends(size, order, mode):
    """Whether SciPy's spline along an axis changes it, though each element is sampled as it is.

    Its closed form for reflected lines is one of a line that begins otherwise (spline.cu);
    what that changes vanishes with the length.
    """
    return mode == "symmetric" and order > 1 and 1 < size < 24


def whole_shape(output_shape):
    """`output_shape` as a tuple of int, or the reason to decline it."""
    if output_shape is None:
        return None
    if hasattr(output_shape, "dtype") and not isinstance(output_shape, np.ndarray):
        return "output_shape is an array on the device"
    sizes = np.asarray(output_shape)
    if sizes.ndim != 1 or sizes.dtype.kind not in "iuf":
        return Invalid("output_shape is not a sequence of numbers")
    rounded = np.round(sizes)
    if not np.allclose(sizes, rounded, rtol=0, atol=1e-4):
        return Invalid("output_shape is not of integers")
    shape = tuple(int(size) for size in rounded)
    if any(size < 1 for size in shape):
        return "an axis of output_shape is shorter than 1"
    return shape
