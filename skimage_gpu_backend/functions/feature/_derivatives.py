"""What rooms of slopes, tensors and Hessians share: checks, and the reach of what is smoothed."""

import numpy as np

from ...plan import Declined, Invalid, Reach
from ...primitives.stencils import LEAST_SIGMA, along, radius

TRUNCATE = 4.0  # of skimage.filters.gaussian


def refuse_order(order, ndim):
    if not isinstance(order, str) or order not in ("rc", "xy") or (order == "xy" and ndim > 2):
        raise Invalid("order is unknown, or 'xy' of an image with more than 2 axes")


def sigma_of_axes(sigma, ndim) -> tuple:
    """One sigma for each axis, which may be anything."""
    if np.isscalar(sigma):
        return (sigma,) * ndim
    if not isinstance(sigma, list | tuple | range | np.ndarray):
        raise Declined(
            "sigma is neither a number nor a sequence of numbers; give a number, as 2.5, "
            "or one for each axis"
        )
    if (isinstance(sigma, np.ndarray) and sigma.ndim == 0) or len(sigma) != ndim:
        raise Invalid(
            "sigma has another length than the image has axes; give one number, or one "
            "for each axis"
        )
    return tuple(sigma)


def smoothed(shape, sigmas, margin, mode="constant", arrays=2):
    """Reach of stencils that look `margin` elements far in an image that is smoothed.

    None where an axis has one element.
    """
    if min(shape) < 2:
        return None
    halo = [margin + (radius(s, TRUNCATE) if s > LEAST_SIGMA else 0) for s in sigmas]
    return Reach(along(halo, mode), arrays=arrays)
