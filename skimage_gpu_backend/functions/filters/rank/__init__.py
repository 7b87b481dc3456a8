"""skimage.filters.rank: each pixel and its footprint, in one launch.

Cost of every function here, for uint8 images: 1 launch; the image (and the mask) read
once, the result written once; a few numbers of the footprint go to the device, where small ones
that are CuPy arrays are read by each block. uint16 images: 2 launches, read twice: scikit-image's
scale ends at the largest value, which comes to the host. Others are made uint8 first, as
scikit-image does it: 1 or 2 launches more.

The functions are these, in scikit-image's signatures; what they ask of their arguments is in
``_checks``, how they run in ``_plans``.
"""

import functools

import numpy as np

from ....adapt.there import There
from ....plan import Declined, Invalid
from ._checks import checked, hollow_at
from ._plans import Filter, planned, specializations, stays_there

__all__ = [
    "autolevel",
    "autolevel_percentile",
    "enhance_contrast",
    "enhance_contrast_percentile",
    "entropy",
    "equalize",
    "geometric_mean",
    "gradient",
    "gradient_percentile",
    "majority",
    "maximum",
    "mean",
    "mean_bilateral",
    "mean_percentile",
    "median",
    "minimum",
    "modal",
    "noise_filter",
    "otsu",
    "percentile",
    "pop",
    "pop_bilateral",
    "pop_percentile",
    "specializations",
    "subtract_mean",
    "subtract_mean_percentile",
    "sum",
    "sum_bilateral",
    "sum_percentile",
    "threshold",
    "threshold_percentile",
    "windowed_histogram",
]


def _generic(name):
    """Of 2-D and 3-D images."""

    def function(image, footprint, out=None, mask=None, shift_x=0, shift_y=0, shift_z=0):
        return _plan(name, image, footprint, out, mask, (shift_x, shift_y, shift_z))

    return _documented(function, name)


def _percentile(name):
    """Of the part of the sorted window between two shares."""

    def function(image, footprint, out=None, mask=None, shift_x=0, shift_y=0, p0=0, p1=1):
        shares = {"p0": _share(p0), "p1": _share(p1)}
        return _in_plane(name, image, footprint, out, mask, shift_x, shift_y, **shares)

    return _documented(function, name)


def _one_share(name):
    """Of the place in the sorted window that a share gives."""

    def function(image, footprint, out=None, mask=None, shift_x=0, shift_y=0, p0=0):
        return _in_plane(name, image, footprint, out, mask, shift_x, shift_y, p0=_share(p0))

    return _documented(function, name)


def _bilateral(name):
    """Of grey values that are near the pixel's own."""

    def function(image, footprint, out=None, mask=None, shift_x=0, shift_y=0, s0=10, s1=10):
        distances = {"above": _distance(s0), "below": _distance(s1)}
        return _in_plane(name, image, footprint, out, mask, shift_x, shift_y, **distances)

    return _documented(function, name)


def _documented(function, name):
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"`skimage.filters.rank.{name}`. 1 launch; uint16: 2."
    return function


autolevel = _generic("autolevel")
enhance_contrast = _generic("enhance_contrast")
entropy = _generic("entropy")
equalize = _generic("equalize")
geometric_mean = _generic("geometric_mean")
gradient = _generic("gradient")
maximum = _generic("maximum")
mean = _generic("mean")
minimum = _generic("minimum")
modal = _generic("modal")
noise_filter = _generic("noise_filter")
otsu = _generic("otsu")
pop = _generic("pop")
subtract_mean = _generic("subtract_mean")
sum = _generic("sum")
threshold = _generic("threshold")
autolevel_percentile = _percentile("autolevel_percentile")
enhance_contrast_percentile = _percentile("enhance_contrast_percentile")
gradient_percentile = _percentile("gradient_percentile")
mean_percentile = _percentile("mean_percentile")
pop_percentile = _percentile("pop_percentile")
subtract_mean_percentile = _percentile("subtract_mean_percentile")
sum_percentile = _percentile("sum_percentile")
percentile = _one_share("percentile")
threshold_percentile = _one_share("threshold_percentile")
mean_bilateral = _bilateral("mean_bilateral")
pop_bilateral = _bilateral("pop_bilateral")
sum_bilateral = _bilateral("sum_bilateral")


def majority(image, footprint, *, out=None, mask=None, shift_x=0, shift_y=0, shift_z=0):
    """`skimage.filters.rank.majority`, which is `modal`. 1 launch; uint16: 2."""
    return modal(image, footprint, out, mask, shift_x, shift_y, shift_z)


def median(image, footprint=None, out=None, mask=None, shift_x=0, shift_y=0, shift_z=0):
    """`skimage.filters.rank.median`. 1 launch; uint16: 2."""
    if footprint is None:
        footprint = _cube(min(image.ndim, 3))
    return _plan("median", image, footprint, out, mask, (shift_x, shift_y, shift_z))


@functools.cache
def _cube(ndim):
    return np.ones((3,) * ndim, bool)


def windowed_histogram(image, footprint, out=None, mask=None, shift_x=0, shift_y=0, n_bins=None):
    """`skimage.filters.rank.windowed_histogram`.

    1 launch where `n_bins` is given for a uint8 image, else 2, and the image is read twice;
    the histograms of all pixels are written once.
    """
    if image.dtype.name not in ("uint8", "uint16"):
        raise Declined(
            "image is neither uint8 nor uint16, and scikit-image counts bins before it converts "
            "it; give img_as_ubyte(image), which changes the result"
        )
    if n_bins is not None and (type(n_bins) is not int or not 1 <= n_bins <= 65536):
        raise Declined("n_bins is no plain integer from 1 to 65536; give one of Python's, as 256")
    if out is not None:
        raise Declined("out is given, into which no kernel writes histograms; give no out")
    name = "windowed_histogram"
    return _in_plane(name, image, footprint, None, mask, shift_x, shift_y, depth=n_bins)


def _in_plane(name, image, footprint, out, mask, shift_x, shift_y, **numbers):
    """Plan of a filter of 2-D images."""
    return _plan(name, image, footprint, out, mask, (shift_x, shift_y, 0), (2,), **numbers)


def _plan(name, image, footprint, out, mask, shifts, dimensions=(2, 3), **numbers):
    centre = checked(image, footprint, out, mask, shifts, dimensions)
    hollow = hollow_at(footprint.shape, shifts) if name == "noise_filter" else None
    if type(footprint) is There and not stays_there(name, footprint.size):
        footprint = footprint.read()
    if type(footprint) is There:
        elements = footprint.dtype
        if hollow:
            numbers["hollow"] = int(np.ravel_multi_index(hollow, footprint.shape, mode="wrap"))
    else:
        elements = footprint > 0
        if hollow:
            elements[hollow] = False
        elements = elements.tobytes()
    call = Filter(name, footprint.shape, elements, centre, **numbers)
    masked = None if mask is None else mask.dtype
    return planned(call, image.shape, image.dtype, masked, None if out is None else out.dtype)


def _share(share):
    if not isinstance(share, int | float):
        raise Declined("p0 or p1 is no plain number; give Python's, from 0 to 1")
    if share != share:
        raise Declined("p0 or p1 is NaN; give a number from 0 to 1")
    try:
        return float(share)
    except OverflowError:
        raise Invalid("p0 or p1 is larger than any float") from None


def _distance(distance):
    """No two grey values are as far from each other as the bounds."""
    if type(distance) is not int:
        raise Declined("s0 or s1 is no plain integer; give Python's, as 10")
    if not -(2**63) <= distance < 2**63:
        raise Invalid("s0 or s1 does not fit 64 bits")
    if not -(2**62) <= distance < 2**62:
        raise Declined("s0 or s1 is so large that sums with it overflow; give a smaller one, as 10")
    return min(max(distance, -(2**17)), 2**17)
