"""Corrections of `filters` that change the image which cuCIM is given, or other arguments."""

import operator
from collections.abc import Iterable

import cupy as cp
import numpy as np

from .._warn import warn_caller
from ..trouble import Declined
from ._precision import doubled, scaled, with_range
from ._rank_formulas import rank_filter
from ._results import beyond_double


def laplace(theirs, image, ksize=3, mask=None):
    """As `skimage.filters.laplace`, whose operator has three elements whatever `ksize` is."""
    return theirs(image=scaled(image), ksize=min(operator.index(ksize), 3), mask=mask)


def gaussian(theirs, image, sigma=1.0, channel_axis=None, **options):
    """As `skimage.filters.gaussian`: a channel axis is one with a sigma of 0."""
    if channel_axis is not None:
        if not isinstance(sigma, Iterable):
            sigma = [sigma] * (image.ndim - 1)
        sigma = list(sigma)
        if len(sigma) == image.ndim - 1:
            sigma.insert(channel_axis % image.ndim, 0)
    return with_range(theirs, image=image, sigma=sigma, **options)


def difference_of_gaussians(theirs, image, low_sigma, high_sigma=None, **options):
    """As `skimage.filters.difference_of_gaussians`: one sigma may come in a sequence."""
    low_sigma, high_sigma = map(_only, (low_sigma, high_sigma))
    return theirs(image=scaled(image), low_sigma=low_sigma, high_sigma=high_sigma, **options)


def _only(sigma):
    return sigma[0] if isinstance(sigma, Iterable) and len(sigma) == 1 else sigma


def correlate_sparse(theirs, image, kernel, mode="reflect"):
    """As `skimage.filters.correlate_sparse`: a kernel may be a list."""
    return theirs(image=doubled(image), kernel=cp.asarray(kernel), mode=mode)


def median(theirs, image, footprint=None, out=None, mode="nearest", cval=0.0, behavior="ndimage"):
    """As `skimage.filters.median`."""
    if behavior != "rank":
        if beyond_double(image):
            raise Declined("image has integers beyond 2**53, which cuCIM rounds; give smaller ones")
        # cuCIM's histograms of more than 1024 grey values overrun their shared memory
        algorithm = "sorting" if image.dtype.itemsize == 2 else "auto"
        return theirs(
            image=image, footprint=footprint, out=out, mode=mode, cval=cval, algorithm=algorithm
        )
    if out is not None or image.dtype == bool or image.ndim not in (2, 3):
        raise Declined(
            "behavior='rank' runs on the GPU for images of 2 or 3 axes that are not "
            "boolean, without out; give no out"
        )
    if mode != "nearest" or not np.isclose(cval, 0.0):
        warn_caller(
            "Change 'behavior' to 'ndimage' if you want to use the parameters 'mode' or 'cval'."
            " They will be discarded otherwise.",
            UserWarning,
        )
    return rank_filter("median", image=image, footprint=footprint)
