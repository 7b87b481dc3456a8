"""Calls that the ops of blob_dog, blob_log and blob_doh take."""

import numpy as np

from ..functions.bridge import verdict_of
from ..functions.feature.peaks import borders_of
from ._stencils import NUMBERS
from ._verdict import Invalid

MOST_SCALES = 64  # of hessian_boxes.cu


def blob_dog(
    image,
    min_sigma=1,
    max_sigma=50,
    sigma_ratio=1.6,
    threshold=0.5,
    overlap=0.5,
    *,
    threshold_rel=None,
    exclude_border=False,
):
    if not isinstance(sigma_ratio, NUMBERS):
        return "sigma_ratio is not a number"
    if sigma_ratio <= 1:
        return Invalid("sigma_ratio is not above 1")
    return _blobs(image, min_sigma, max_sigma, threshold, overlap, threshold_rel, exclude_border)


def blob_log(
    image,
    min_sigma=1,
    max_sigma=50,
    num_sigma=10,
    threshold=0.2,
    overlap=0.5,
    log_scale=False,
    *,
    threshold_rel=None,
    exclude_border=False,
):
    if not isinstance(num_sigma, int | np.integer) or num_sigma < 1:
        return "num_sigma is no positive integer"
    return _blobs(image, min_sigma, max_sigma, threshold, overlap, threshold_rel, exclude_border)


def blob_doh(
    image,
    min_sigma=1,
    max_sigma=30,
    num_sigma=10,
    threshold=0.01,
    overlap=0.5,
    log_scale=False,
    *,
    threshold_rel=None,
):
    if image.ndim != 2:
        return Invalid("image has another number of axes than two")
    if not isinstance(num_sigma, int | np.integer) or not 0 < num_sigma <= MOST_SCALES:
        return f"num_sigma is no integer from 1 to {MOST_SCALES}"
    if not isinstance(min_sigma, NUMBERS) or not isinstance(max_sigma, NUMBERS):
        return "sigma is not a number"
    return _blobs(image, min_sigma, max_sigma, threshold, overlap, threshold_rel, False)


def _blobs(image, min_sigma, max_sigma, threshold, overlap, threshold_rel, exclude_border):
    ndim = image.ndim
    if ndim not in (2, 3) or image.size == 0:
        return "image is neither a plane nor a volume, or empty"
    for sigma in (min_sigma, max_sigma):
        if isinstance(sigma, NUMBERS):
            continue
        if not isinstance(sigma, list | tuple) or not all(isinstance(s, NUMBERS) for s in sigma):
            return "sigma is neither a number nor a list of numbers"
        if len(sigma) != ndim:
            return "sigma has another length than the image has axes"
    for value in (threshold, threshold_rel):
        if value is not None and not isinstance(value, NUMBERS):
            return "a threshold is not a number"
    if not isinstance(overlap, NUMBERS):
        return "overlap is not a number"
    return verdict_of(borders_of)(exclude_border, ndim, 1)
