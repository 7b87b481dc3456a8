"""Calls that the ops of skimage.filters.rank take."""

from ._rank import DEFAULT, check
from ._verdict import Invalid


def minimum(image, footprint, out=None, mask=None, shift_x=0, shift_y=0, shift_z=0):
    return check(image, footprint, out, mask, (shift_x, shift_y, shift_z))


autolevel = enhance_contrast = entropy = equalize = geometric_mean = gradient = minimum
maximum = mean = modal = otsu = pop = subtract_mean = sum = threshold = minimum


def majority(image, footprint, *, out=None, mask=None, shift_x=0, shift_y=0, shift_z=0):
    return check(image, footprint, out, mask, (shift_x, shift_y, shift_z))


def median(image, footprint=None, out=None, mask=None, shift_x=0, shift_y=0, shift_z=0):
    if footprint is None:
        footprint = DEFAULT.get(image.ndim)
    return check(image, footprint, out, mask, (shift_x, shift_y, shift_z))


def noise_filter(image, footprint, out=None, mask=None, shift_x=0, shift_y=0, shift_z=0):
    return check(image, footprint, out, mask, (shift_x, shift_y, shift_z), hollow=True)


def autolevel_percentile(image, footprint, out=None, mask=None, shift_x=0, shift_y=0, p0=0, p1=1):
    if reason := _numbers(p0, p1):
        return reason
    return check(image, footprint, out, mask, (shift_x, shift_y, 0), dimensions=(2,))


enhance_contrast_percentile = gradient_percentile = mean_percentile = autolevel_percentile
pop_percentile = subtract_mean_percentile = sum_percentile = autolevel_percentile


def percentile(image, footprint, out=None, mask=None, shift_x=0, shift_y=0, p0=0):
    return autolevel_percentile(image, footprint, out, mask, shift_x, shift_y, p0)


threshold_percentile = percentile


def mean_bilateral(image, footprint, out=None, mask=None, shift_x=0, shift_y=0, s0=10, s1=10):
    for distance in (s0, s1):
        if type(distance) is not int:
            return "s0 or s1 is no integer"
        if not -(2**63) <= distance < 2**63:
            return Invalid("s0 or s1 does not fit 64 bits")
    return check(image, footprint, out, mask, (shift_x, shift_y, 0), dimensions=(2,))


pop_bilateral = sum_bilateral = mean_bilateral


def windowed_histogram(image, footprint, out=None, mask=None, shift_x=0, shift_y=0, n_bins=None):
    if image.dtype.name not in ("uint8", "uint16"):
        return "the number of bins comes from the image before it is converted to uint8"
    if n_bins is not None and (type(n_bins) is not int or not 1 <= n_bins <= 65536):
        return "n_bins is no number of grey values"
    if out is not None:
        return "histograms are not written into an array that is given"
    return check(image, footprint, None, mask, (shift_x, shift_y, 0), dimensions=(2,))


def _numbers(*shares):
    for share in shares:
        if not isinstance(share, int | float):
            return "p0 or p1 is no number"
        float(share)  # raises for an int that is too large
    return None
