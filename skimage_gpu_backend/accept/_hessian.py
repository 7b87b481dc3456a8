"""Calls that the ops of the Hessian take."""

import numpy as np

from ._gaussian import gaussian
from ._verdict import Invalid

MOST_SIZE = 1 << 20  # of boxes


def hessian_matrix(
    image, sigma=1, mode="constant", cval=0, order="rc", use_gaussian_derivatives=None
):
    if order not in ("rc", "xy") or (order == "xy" and image.ndim > 2):
        return Invalid("order is unknown, or 'xy' of an image with more than 2 axes")
    if use_gaussian_derivatives:
        return "there is no kernel for derivatives of Gaussians"
    return shape_index(image, sigma, mode, cval)


def hessian_matrix_det(image, sigma=1, approximate=True):
    if approximate and image.ndim == 2:
        if not isinstance(sigma, int | float | np.integer | np.floating):
            return "sigma is no plain number"
        fits = image.size and 1 <= 3 * sigma < MOST_SIZE
        return None if fits else "image is empty, or a box has no pixel or very many"
    return shape_index(image, sigma)


def shape_index(image, sigma=1, mode="constant", cval=0):
    if image.ndim != 2:
        return "image has other than 2 axes"
    if min(image.shape) < 2:
        return Invalid("an axis has less than 2 elements")
    if not np.isscalar(mode):
        return "mode is given for each axis"
    return gaussian(image, sigma, mode=mode, cval=cval)
