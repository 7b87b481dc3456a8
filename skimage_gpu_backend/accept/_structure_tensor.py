"""Calls that the ops of the structure tensor and of the corner responses take."""

import numpy as np

from ..device.launches import Array
from ..functions.bridge import verdict_of
from ..functions.filters.gaussian import gaussian as _gaussian
from ..primitives.arguments import refuse_wider
from ._stencils import BOUNDARY, cval_refusal
from ._verdict import Invalid

gaussian, wider = verdict_of(_gaussian), verdict_of(refuse_wider)


def structure_tensor(image, sigma=1, mode="constant", cval=0, order="rc"):
    shape = squeezed(image.shape)
    if order not in ("rc", "xy") or (order == "xy" and image.ndim > 2):
        return Invalid("order is unknown, or 'xy' of an image with more than 2 axes")
    if not 2 <= len(shape) <= 5:
        return Invalid("image has other than 2 to 5 axes longer than 1")
    if len(shape) > 3 or 0 in shape:
        return "image is empty or has more than 3 axes"
    if not np.isscalar(sigma):
        sigma = tuple(sigma)
        if not len(sigma) == image.ndim == len(shape):
            return Invalid("sigma has another length than the image has axes")
    return extension(mode, cval) or gaussian(_SQUEEZED[len(shape)], sigma, mode=mode)


def corner_kitchen_rosenfeld(image, mode="constant", cval=0):
    return _plane(image) or extension(mode, cval)


def corner_harris(image, method="k", k=0.05, eps=1e-6, sigma=1):
    name, parameter = ("k", k) if method == "k" else ("eps", eps)
    return corner_foerstner(image, sigma) or wider(name, parameter, image.dtype)


def corner_foerstner(image, sigma=1):
    return _plane(image) or structure_tensor(image, sigma)


corner_shi_tomasi = corner_foerstner


# What the plan of `gaussian` asks of an image, by the number of axes.
_SQUEEZED = {ndim: Array((1,) * ndim, np.dtype(float)) for ndim in (2, 3)}


def squeezed(shape):
    """`shape` without axes of length 1."""
    return tuple(length for length in shape if length != 1)


def extension(mode, cval):
    """Reason to decline a mode with the constant beyond the border, or None."""
    if not isinstance(mode, str):
        return "mode is given for each axis"
    if mode not in BOUNDARY:
        return Invalid("mode is unknown")
    if refusal := cval_refusal(cval):
        return refusal
    if mode.endswith("constant") and cval != 0:
        return "a constant other than 0 stands beyond the border"
    return None


def _plane(image):
    return None if image.ndim == 2 and 0 not in image.shape else "image is empty or not 2-D"
