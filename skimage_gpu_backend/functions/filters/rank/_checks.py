"""What rank filters ask of the arguments that they all have."""

import numpy as np

from ....adapt.there import There
from ....plan import Declined, Invalid
from ....primitives.arguments import is_contiguous, is_numeric, is_writeable
from ....primitives.footprint_tiles import SHARED, fewest_cells

_OUT_DTYPES = ("uint8", "uint16", "float64")
_UINT16 = np.dtype(np.uint16)


def checked(image, footprint, out, mask, shifts, dimensions):
    """Element of the footprint that lies on the pixel; `shifts` are x, y and z.

    What is not for rank filters is refused.
    """
    ndim = image.ndim
    if ndim not in dimensions:
        raise Invalid("image has another number of axes than rank filters take")
    if image.dtype.kind == "b" and ndim == 2:
        raise Invalid("rank filters do not take boolean images")
    if image.size == 0:
        raise Invalid("image is empty; nothing to change")
    _check_footprint(footprint, ndim)
    _check_shifts(shifts[:ndim])
    shape = footprint.shape
    x, y, z = shifts
    centre = _moved(shape, (y, x) if ndim == 2 else (x, y, z))
    _refuse_beyond(centre, shape, first=0)
    if fewest_cells(shape) > SHARED // (4 if image.dtype == _UINT16 else 2):
        raise Declined("footprint is too large for a GPU's shared memory; give a smaller one")
    if mask is not None:
        _check_mask(mask, image)
    if out is not None:
        _check_out(out, image)
    return centre


def hollow_at(shape, shifts):
    """Element that noise_filter leaves out: in 3-D another than the centre where x is not y."""
    x, y, z = shifts
    place = _moved(shape, (y, x, z)[: len(shape)])
    _refuse_beyond(place, shape, first=-1)
    return place


def _moved(shape, shifts):
    """The middle of a footprint, moved along each axis."""
    return tuple([n // 2 + int(shift) for n, shift in zip(shape, shifts, strict=True)])


def _refuse_beyond(place, shape, first):
    """Places count from 0, or from both ends where `first` is -1."""
    for at, n in zip(place, shape, strict=True):
        if not first * n <= at < n:
            raise Invalid("the shifts move the centre out of the footprint")


def _check_footprint(footprint, ndim):
    if type(footprint) not in (np.ndarray, There):
        raise Invalid("footprint is no array; give numpy.asarray(footprint)")
    if footprint.ndim != ndim:
        raise Invalid("footprint has another number of axes than the image")
    if footprint.dtype.kind not in "biuf":
        raise Declined(f"footprint has dtype {footprint.dtype}; give footprint.astype(bool)")


def _check_shifts(shifts):
    for shift in shifts:
        if type(shift) is not int and not isinstance(shift, np.integer):
            raise Declined("shift_x, shift_y or shift_z is no integer; give integers, as 1")
        if not -128 <= shift <= 127:
            raise Invalid("a shift does not fit 8 bits")


def _check_mask(mask, image):
    if type(mask) is not np.ndarray and type(mask) is not type(image):
        raise Declined("mask is no array; give numpy.asarray(mask)")
    if mask.shape != image.shape:
        raise Declined(
            "mask has another shape than the image; give numpy.broadcast_to(mask, image.shape)"
        )
    if not is_numeric(mask.dtype):
        raise Declined(f"mask has dtype {mask.dtype}; give mask.astype(bool)")


def _check_out(out, image):
    if out is image:  # scikit-image refuses it where it does not convert the image first
        raise Declined("out is the image itself; give another array as out, or leave it out")
    if type(out) is not type(image):
        raise Declined("out is no array of the image's kind; give no out, and take the result")
    if not is_contiguous(out):
        raise Invalid("out is not C-contiguous")
    if out.dtype.name not in _OUT_DTYPES:
        raise Declined(
            f"out has dtype {out.dtype}; give out as uint8, uint16 or float64, or no out"
        )
    if not out.dtype.isnative or not is_writeable(out):
        raise Declined(
            "out is read-only or in the other byte order; give no out, and take the result"
        )
    if out.shape != image.shape:
        raise Declined("out has another shape than the image; give no out, and take the result")
