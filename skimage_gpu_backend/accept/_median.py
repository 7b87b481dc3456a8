"""Calls that the op of skimage.filters.median takes."""

import numpy as np

from . import _rank
from ._stencils import BOUNDARY, cval_refusal
from ._verdict import Invalid


def median(image, footprint=None, out=None, mode="nearest", cval=0.0, behavior="ndimage"):
    if behavior == "rank":
        return _of_ranks(image, footprint, out, mode, cval)
    if footprint is None:
        return "the default footprint takes one launch in cuCIM too"
    if not 1 <= image.ndim <= 3:
        return "image has no axes or more than 3"
    if image.dtype.name == "float16":
        return Invalid("SciPy does not filter float16 images")
    if image.size == 0:
        return "image is empty"
    if type(footprint) is not np.ndarray and type(footprint) is not type(image):
        return "footprint is no array"
    if footprint.ndim != image.ndim or footprint.size == 0:
        return Invalid("footprint is empty or has another number of axes than the image")
    if footprint.dtype.kind not in "biuf":
        return f"footprint has dtype {footprint.dtype}"
    if not isinstance(mode, str) or mode not in BOUNDARY:
        return Invalid("mode is unknown")
    if refusal := cval_refusal(cval):
        return refusal
    if image.dtype.kind != "f" and BOUNDARY[mode] == BOUNDARY["constant"]:
        limits = (0, 1) if image.dtype.kind == "b" else _limits(image.dtype)
        if not limits[0] <= cval <= limits[1]:
            return f"cval is outside the range of {image.dtype}"
    if _rank.cells_of(footprint.shape)[1] * image.dtype.itemsize > _rank.SHARED:
        return "footprint is too large for a block's shared memory"
    return None if out is None else _out(out, image)


def _limits(dtype):
    limits = np.iinfo(dtype)
    # no double is nearer to the largest 64-bit integers than to what lies outside
    return limits.min, min(limits.max, 2**53)


def _of_ranks(image, footprint, out, mode, cval):
    if mode != "nearest" or type(cval) not in (int, float) or cval != 0:
        return "mode and cval are for the other behavior"
    if footprint is None:
        footprint = _rank.DEFAULT.get(image.ndim)
    return _rank.check(image, footprint, out, None, (0, 0, 0))


def _out(out, image):
    if type(out) is not type(image):
        return "out is no array of the image's kind"
    if out.dtype != image.dtype or out.shape != image.shape:
        return "out has another dtype or shape than the image"
    if not out.dtype.isnative or not getattr(out.flags, "writeable", True):
        return "out is read-only or not in native byte order"
    return None
