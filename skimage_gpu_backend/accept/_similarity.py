"""Calls that the op of skimage.metrics.structural_similarity takes."""

import operator

import numpy as np
from skimage.util.dtype import dtype_range

from ._verdict import Invalid

# Elements of a window along an axis whose means fit into shared memory; leading axes.
MOST_WINDOW = 401
MOST_LEADING = 6


def structural_similarity(
    im1,
    im2,
    *,
    win_size=None,
    gradient=False,
    data_range=None,
    channel_axis=None,
    gaussian_weights=False,
    full=False,
    **kwargs,
):
    if im1.shape != im2.shape:
        return Invalid("images differ in shape")
    shape = im1.shape
    if channel_axis is not None:
        shape = without(shape, operator.index(channel_axis))
        if im1.size and not im1.size // max(1, int(np.prod(shape))):
            return "image has no channels"
    if not shape or len(shape) > MOST_LEADING + 1:
        return f"images have no axes, or more than {MOST_LEADING + 1}"
    sigma = kwargs.get("sigma", 1.5)
    if type(sigma) not in (int, float) or not sigma >= 0:
        return "sigma is negative or no plain number"
    window = window_size(win_size, gaussian_weights, sigma)
    if type(window) is not int:
        return "win_size is not an int"
    if window % 2 != 1 or any(size < window for size in shape):
        return Invalid("win_size is even or exceeds the image")
    if kwargs.get("use_sample_covariance", True) and window == 1:
        return Invalid("a window of one element has no sample covariance")
    reach = 2 * radius(sigma) + 1 if gaussian_weights else window
    if not 0 < reach <= MOST_WINDOW:
        return f"a window of {reach} is above {MOST_WINDOW}"
    if data_range is None:
        if im1.dtype.kind == "f" or im2.dtype.kind == "f":
            return Invalid("data_range is not given")
        data_range = range_of(im1.dtype)
    return _constants(im1.dtype, data_range, kwargs.get("K1", 0.01), kwargs.get("K2", 0.03))


def without(shape, axis):
    """The shape without this axis, which must exist."""
    axis = range(len(shape))[axis]
    return shape[:axis] + shape[axis + 1 :]


def radius(sigma):
    """Elements on either side of the centre that scikit-image's Gaussian reaches."""
    return int(3.5 * sigma + 0.5)


def window_size(win_size, gaussian_weights, sigma):
    """Side of the window."""
    if win_size is not None:
        return win_size
    return 2 * radius(sigma) + 1 if gaussian_weights else 7


def range_of(dtype):
    """Range of values that an integer dtype stands for."""
    low, high = dtype_range[dtype.type]
    return high - low


def _constants(dtype, data_range, *factors):
    single = dtype.kind == "f" and dtype.itemsize < 8
    for number in (data_range, *factors):
        if not isinstance(number, int | float | np.integer | np.floating):
            return "data_range, K1 or K2 is no plain number"
    for factor in factors:
        if factor < 0:
            return Invalid("K1 or K2 is negative")
        constant = (factor * data_range) ** 2
        if type(constant) not in (int, float) and np.result_type(
            np.float32 if single else np.float64, constant.dtype
        ) != (np.float32 if single else np.float64):
            return f"constants of type {constant.dtype} make the result wider than the image"
    return None
