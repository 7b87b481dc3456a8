"""Calls that the ops of the ridge filters take."""

import numpy as np

from ..functions.bridge import verdict_of
from ..primitives.hessian_lines import is_real as _is_number
from ..primitives.hessian_lines import refuse_lines
from ._verdict import Invalid

_lines_refusal = verdict_of(refuse_lines)


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
    return _lines_refusal(sigmas, mode, cval)
