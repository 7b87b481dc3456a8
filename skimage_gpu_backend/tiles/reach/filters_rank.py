"""Reach of skimage.filters.rank: footprints, for images whose scale does not depend on them."""

import numpy as np

from ...accept._rank import centre_of
from . import Reach


def minimum(image, footprint, out=None, mask=None, shift_x=0, shift_y=0, shift_z=0):
    if image.dtype.kind in "iu" and image.dtype.itemsize > 1:
        return None  # the largest value tells where the scale ends, or whether to scale
    shape = np.shape(footprint)
    centre = centre_of(shape, (shift_x, shift_y, shift_z))
    return Reach(tuple(max(at, n - 1 - at) for at, n in zip(centre, shape, strict=True)))


autolevel = enhance_contrast = entropy = equalize = geometric_mean = gradient = minimum
maximum = mean = modal = noise_filter = otsu = pop = subtract_mean = sum = threshold = minimum


def majority(image, footprint, *, out=None, mask=None, shift_x=0, shift_y=0, shift_z=0):
    return minimum(image, footprint, shift_x=shift_x, shift_y=shift_y, shift_z=shift_z)


def median(image, footprint=None, out=None, mask=None, shift_x=0, shift_y=0, shift_z=0):
    if footprint is None:
        footprint = np.ones((3,) * image.ndim, bool)
    return minimum(image, footprint, None, None, shift_x, shift_y, shift_z)


def autolevel_percentile(image, footprint, out=None, mask=None, shift_x=0, shift_y=0, p0=0, p1=1):
    return minimum(image, footprint, None, None, shift_x, shift_y)


enhance_contrast_percentile = gradient_percentile = mean_percentile = autolevel_percentile
pop_percentile = subtract_mean_percentile = sum_percentile = autolevel_percentile


def percentile(image, footprint, out=None, mask=None, shift_x=0, shift_y=0, p0=0):
    return minimum(image, footprint, None, None, shift_x, shift_y)


threshold_percentile = percentile


def mean_bilateral(image, footprint, out=None, mask=None, shift_x=0, shift_y=0, s0=10, s1=10):
    return minimum(image, footprint, None, None, shift_x, shift_y)


pop_bilateral = sum_bilateral = mean_bilateral


def windowed_histogram(image, footprint, out=None, mask=None, shift_x=0, shift_y=0, n_bins=None):
    # the number of bins comes from the largest value where it is not given
    if n_bins is None or (reach := minimum(image, footprint, None, None, shift_x, shift_y)) is None:
        return None
    return reach._replace(arrays=n_bins)
