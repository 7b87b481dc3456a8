"""Calls that the ops of the Hessian take."""

import numpy as np

from ..functions.bridge import verdict_of
from ..functions.filters.gaussian import gaussian as _gaussian
from ._ridges import lines_refusal
from ._verdict import Invalid

MOST_SIZE = 1 << 20  # of boxes
MOST_AXES = 5  # of images whose Hessian is made by differences

gaussian = verdict_of(_gaussian)


def hessian_matrix(
    image, sigma=1, mode="constant", cval=0, order="rc", use_gaussian_derivatives=None
):
    if order not in ("rc", "xy") or (order == "xy" and image.ndim > 2):
        return Invalid("order is unknown, or 'xy' of an image with more than 2 axes")
    if use_gaussian_derivatives:
        return _by_derivatives(image, sigma, mode, cval)
    return _by_differences(image, sigma, mode, cval)


def hessian_matrix_det(image, sigma=1, approximate=True):
    if approximate and image.ndim == 2:
        if not isinstance(sigma, int | float | np.integer | np.floating):
            return "sigma is no plain number"
        fits = image.size and 1 <= 3 * sigma < MOST_SIZE
        return None if fits else "image is empty, or a box has no pixel or very many"
    return _by_differences(image, sigma, "constant", 0)


def shape_index(image, sigma=1, mode="constant", cval=0):
    if image.ndim != 2:
        return "image has other than 2 axes"
    return _by_differences(image, sigma, mode, cval)


def _by_differences(image, sigma, mode, cval):
    if image.ndim < 2 or min(image.shape) < 2:
        return Invalid("image has less than 2 axes, or an axis has less than 2 elements")
    if image.ndim > MOST_AXES:
        return f"image has more than {MOST_AXES} axes"
    if not np.isscalar(mode):
        return "mode is given for each axis"
    return gaussian(image, sigma, mode=mode, cval=cval)


def _by_derivatives(image, sigma, mode, cval):
    if image.ndim not in (2, 3) or image.size == 0:
        return "image is empty or has other than 2 or 3 axes"
    sigmas = (sigma,) * image.ndim if np.isscalar(sigma) else sigma
    if len(sigmas) != image.ndim:
        return Invalid("sigma has another length than the image has axes")
    return lines_refusal(sigmas, mode, cval)
