"""Reach of skimage.filters.rank: footprints, on a scale that may end at the largest value."""

import functools
import importlib

import numpy as np

from ...accept._rank import centre_of
from . import Passes, Reach


def of_footprint(op, image, footprint, shifts=(0, 0, 0)):
    """What a rank filter looks at; None where the largest value decides more than a scale.

    Parameters
    ----------
    op : (str, str)
        Module of ``ops`` and name there.
    image : array
    footprint : array
    shifts : tuple of int
        x, y and z.
    """
    shape = np.shape(footprint)
    centre = centre_of(shape, shifts)
    reach = Reach(tuple(max(at, n - 1 - at) for at, n in zip(centre, shape, strict=True)))
    if image.dtype.kind not in "iu" or image.dtype.itemsize == 1:
        return reach
    if image.dtype.name != "uint16":
        return None  # it becomes uint8, scaled or not
    from ...ops._rank_input import on_scale, scale_of

    module, name = op
    op = getattr(importlib.import_module(f"skimage_gpu_backend.ops.{module}"), name)
    return Passes(scale_of, functools.partial(on_scale, op), reach)


def _generic(name):
    def reach(image, footprint, out=None, mask=None, shift_x=0, shift_y=0, shift_z=0):
        return of_footprint(("filters_rank", name), image, footprint, (shift_x, shift_y, shift_z))

    return reach


def _planar(name):
    def reach(image, footprint, out=None, mask=None, shift_x=0, shift_y=0, *_, **__):
        return of_footprint(("filters_rank", name), image, footprint, (shift_x, shift_y, 0))

    return reach


_IN_PLANES = (
    "autolevel_percentile enhance_contrast_percentile gradient_percentile mean_percentile"
    " pop_percentile subtract_mean_percentile sum_percentile percentile threshold_percentile"
    " mean_bilateral pop_bilateral sum_bilateral"
)
_ANYWHERE = (
    "autolevel enhance_contrast entropy equalize geometric_mean gradient majority maximum mean"
    " minimum modal noise_filter otsu pop subtract_mean sum threshold"
)
globals().update({name: _planar(name) for name in _IN_PLANES.split()})
globals().update({name: _generic(name) for name in _ANYWHERE.split()})


def median(image, footprint=None, out=None, mask=None, shift_x=0, shift_y=0, shift_z=0):
    if footprint is None:
        footprint = np.ones((3,) * image.ndim, bool)
    return _generic("median")(image, footprint, None, None, shift_x, shift_y, shift_z)


def windowed_histogram(image, footprint, out=None, mask=None, shift_x=0, shift_y=0, n_bins=None):
    if n_bins is None:
        return None  # it comes from the largest value, and with it the result's shape
    looks = _planar("windowed_histogram")(image, footprint, None, None, shift_x, shift_y)
    if isinstance(looks, Passes):
        return looks._replace(reach=looks.reach._replace(arrays=n_bins))
    return looks and looks._replace(arrays=n_bins)
