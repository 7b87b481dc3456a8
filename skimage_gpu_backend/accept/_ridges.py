"""Calls that the ops of the ridge filters take."""

import math

import numpy as np

from ._stencils import LEAST_SIGMA, NUMBERS
from ._structure_tensor import extension
from ._verdict import Invalid

# Largest sigma whose Gaussian fits into a tile of lines (LINE_RADIUS in ridge_lines.cuh).
MOST_SIGMA = 21


def meijering(image, sigmas=range(1, 10, 2), alpha=None, black_ridges=True, mode="reflect", cval=0):
    if image.ndim not in (2, 3):
        return "image has other than 2 or 3 axes"
    if alpha is not None and not _is_number(alpha):
        return "alpha is no plain number"
    return _any_ridge(image, sigmas, mode, cval)


def sato(image, sigmas=range(1, 10, 2), black_ridges=True, mode="reflect", cval=0):
    return _any_ridge(image, sigmas, mode, cval)


def frangi(
    image,
    sigmas=range(1, 10, 2),
    scale_range=None,
    scale_step=None,
    alpha=0.5,
    beta=0.5,
    gamma=None,
    black_ridges=True,
    mode="reflect",
    cval=0,
):
    if scale_range is not None and scale_step is not None:
        return "scale_range and scale_step are given in place of sigmas"
    if not (_is_number(alpha) and _is_number(beta) and (gamma is None or _is_number(gamma))):
        return "alpha, beta or gamma is no plain number"
    if alpha == 0:
        return "alpha is 0"
    return _any_ridge(image, sigmas, mode, cval)


def hessian(
    image,
    sigmas=range(1, 10, 2),
    scale_range=None,
    scale_step=None,
    alpha=0.5,
    beta=0.5,
    gamma=15,
    black_ridges=True,
    mode="reflect",
    cval=0,
):
    refusal = frangi(
        image, sigmas, scale_range, scale_step, alpha, beta, gamma, black_ridges, mode, cval
    )
    if refusal:
        return refusal
    if gamma is None:
        return "gamma is None"
    if image.dtype.kind == "f" and image.dtype.itemsize < 8:
        return "in single precision rounding decides which zeros of the result become ones"
    return None


def _any_ridge(image, sigmas, mode, cval):
    if image.ndim not in (2, 3) or image.size == 0:
        return Invalid("image is empty or has other than 2 or 3 axes")
    if not isinstance(sigmas, list | tuple | range | np.ndarray) or len(sigmas) == 0:
        return "sigmas are no sequence of numbers"
    return lines_refusal(sigmas, mode, cval)


def lines_refusal(sigmas, mode, cval):
    """Reason to decline derivatives of Gaussians, or None."""
    for sigma in sigmas:
        if not _is_number(sigma) or not sigma > LEAST_SIGMA:
            return "sigmas are no sequence of positive numbers"
        if sigma > MOST_SIGMA:
            return f"a sigma of {sigma} is above {MOST_SIGMA}"
    return extension(mode, cval)


def _is_number(value):
    return (
        isinstance(value, NUMBERS)
        and not isinstance(value, np.complexfloating)
        and not math.isnan(value)
    )
