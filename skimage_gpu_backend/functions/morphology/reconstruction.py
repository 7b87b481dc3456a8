"""skimage.morphology: reconstruction, h_maxima and h_minima, equal to the last pixel.

Cost: 3 launches, whatever the images show. Both are read once, two images of keys of the dtype's
size, with a border as wide as the footprint reaches, are written and read, one of them rewritten,
and the result is written. Of two dtypes, one more launch converts each; 8 bytes come to the host.
h_maxima and h_minima take one launch more, which finds the image's range.
"""

import functools
import math
import sys

import numpy as np

from ..._warn import warn_caller
from ...device.dtypes import C_NAMES
from ...device.launches import Array, Launches
from ...devices import xp
from ...plan import Declined, Invalid, Plan
from ...primitives.arguments import refuse_but_arrays, small_array
from ...primitives.frames import MOST_AXES
from ...primitives.neighbours import given_footprint, middle
from ...primitives.reconstructions import high_extrema, reconstructed
from ...primitives.value_range import value_range

_BEYOND = (
    "Intensity of seed image must be less than that "
    "of the mask image for reconstruction by dilation.",
    "Intensity of seed image must be greater than that "
    "of the mask image for reconstruction by erosion.",
)
PRECISION = (
    "possible precision loss converting image to floating point. To silence this warning, "
    "ensure image and h have same data type."
)
_SINGLE, _DOUBLE = np.dtype("f4"), np.dtype("f8")


def reconstruction(seed, mask, method="dilation", footprint=None, offset=None):
    """Spread the seed below the mask: `morphology.reconstruction`."""
    refuse_but_arrays(seed=seed, mask=mask)
    if seed.shape != mask.shape:
        raise Invalid("seed has another shape than mask; give one of mask.shape")
    if type(method) is not str or method not in ("dilation", "erosion"):
        raise Invalid("method is unknown; give 'dilation' or 'erosion'")
    _refuse_shape("seed", seed.shape)
    common = np.result_type(seed.dtype, mask.dtype)
    single = mask.dtype in (np.float16, _SINGLE)
    if seed.dtype != mask.dtype and common.kind == "f":
        for name, image in (("seed", seed), ("mask", mask)):
            if image.dtype.kind in "iu" and image.dtype.itemsize == 8:
                raise Declined(
                    f"{name} has 64-bit integers beside another dtype; give both in one dtype"
                )
    around, centre = footprint_and_centre(footprint, offset, len(seed.shape))
    lengths, around = around.shape, around.tobytes()
    numbers = np.promote_types(common, _SINGLE) if common.kind == "f" else common
    floating = _SINGLE if single else _DOUBLE
    dtypes = seed.dtype, mask.dtype, numbers, floating
    return _planned(seed.shape, *dtypes, lengths, around, centre, method == "erosion")


def h_maxima(image, h, footprint=None):
    """Plateaus that rise by a height: `morphology.h_maxima`."""
    return _extrema(image, h, footprint, False)


def h_minima(image, h, footprint=None):
    """Plateaus that sink by a depth: `morphology.h_minima`."""
    return _extrema(image, h, footprint, True)


def _refuse_shape(name, shape):
    if not shape:
        raise Declined(f"{name} has no axes; nothing to change")
    if 0 in shape:
        raise Invalid(f"{name} has no elements; give an image that has")
    if len(shape) > MOST_AXES:
        raise Declined(f"{name} has {len(shape)} axes; give an image of up to {MOST_AXES}")


def footprint_and_centre(footprint, offset, axes):
    """The footprint as booleans, and its centre."""
    if footprint is None:
        footprint = np.ones((3,) * axes, bool)
    elif isinstance(footprint, list | tuple):
        raise Invalid("footprint is not an array; give numpy.asarray(footprint)")
    footprint = given_footprint("footprint", footprint, axes)
    if offset is None:
        centre = middle("footprint", footprint)
    else:
        # scikit-image takes an array of as many axes as the footprint, and of an integer for each
        offset = small_array("offset", offset)
        if axes > 1 or offset.shape != (1,) or offset.dtype.kind not in "iu":
            raise Invalid("offset is for images of one axis, an array of one integer; leave it out")
        centre = (int(offset[0]),)
        if not 0 <= centre[0] < footprint.shape[0]:
            raise Invalid("offset is outside of the footprint; give one inside")
    return footprint, centre


@functools.lru_cache(maxsize=256)
def _planned(shape, of_seed, of_mask, numbers, floating, lengths, around, centre, erosion):
    footprint = np.frombuffer(around, bool).reshape(lengths)
    kernel_dtype = np.dtype("u1") if numbers.kind == "b" else numbers
    seed, mask = (
        Array(shape, kernel_dtype, name, converted=dtype != numbers)
        for name, dtype in (("seed", of_seed), ("mask", of_mask))
    )
    launches = Launches(*reconstructed(seed, mask, footprint, centre, erosion, floating))

    def run(seed, mask):
        if numbers.kind == "b":
            seed, mask = (xp.ascontiguousarray(each).view("u1") for each in (seed, mask))
        result, told, _ = launches(seed=seed, mask=mask)
        beyond, nan = told.tolist()
        if nan:
            raise Declined(
                "seed or mask has NaN; give finite numbers, as numpy.nan_to_num(mask), which "
                "changes the result"
            )
        if beyond:
            raise ValueError(_BEYOND[erosion])
        return result

    return Plan(run, launches=launches)


def _extrema(image, h, footprint, minima):
    _refuse_shape("image", image.shape)
    dtype = image.dtype
    if dtype.kind == "b":
        raise Invalid("image is boolean; give image.astype(numpy.uint8)")
    if dtype == np.float16:
        raise Declined(
            "image is float16, which scikit-image takes to single precision and back; "
            "give image.astype(numpy.float32)"
        )
    height = _height(h, dtype)
    try:
        around, centre = footprint_and_centre(footprint, None, len(image.shape))
    except Invalid as wrong:  # scikit-image does not look at it where h exceeds the image's range
        raise Declined(str(wrong)) from None
    around = around.shape, around.tobytes(), centre
    return _planned_extrema(image.shape, dtype, height, *around, minima)


def _height(h, dtype):
    """`h` as a number of Python's, or numpy.float64 where that makes doubles of floats."""
    wider = isinstance(h, np.floating) and np.result_type(h.dtype, dtype) != dtype
    if wider and dtype.kind == "f" and h.dtype != _DOUBLE:
        raise Declined("h has another precision than image; give float(h)")
    if isinstance(h, np.integer):
        sums = np.result_type(h.dtype, dtype) if dtype.kind == "f" else h.dtype
        if sums != dtype:  # scikit-image's limits of the image are out of bounds for it
            raise Declined("h has another dtype than image; give int(h)")
    if type(h) not in (int, float) and not isinstance(h, np.floating | np.integer):
        raise Declined("h is not a number; give a number, as 0.2")
    height = h.item() if isinstance(h, np.generic) else h
    if not 0 < height <= sys.float_info.max:
        raise Declined("h is not a positive number; give one, or use local_maxima, local_minima")
    return h if wider and dtype.kind == "f" else height


@functools.lru_cache(maxsize=256, typed=True)
def _planned_extrema(shape, dtype, h, lengths, around, centre, minima):
    footprint = np.frombuffer(around, bool).reshape(lengths)
    rounded = dtype.kind in "iu" and isinstance(h, float)
    as_float = rounded and h % 1 != 0
    numbers = _DOUBLE if as_float else dtype
    image = Array(shape, numbers, "image", converted=numbers != dtype)
    most = float(np.finfo(numbers).max) if numbers.kind == "f" else np.iinfo(numbers).max
    if h > most:
        launches = None  # more than what any image of the dtype has, as its range tells
    else:
        height = h if numbers.kind == "f" else int(h)
        launches = Launches(*high_extrema(image, height, footprint, centre, minima))

    def run(image):
        image = xp.ascontiguousarray(image)
        found = xp.asnumpy(value_range(image))[:2]
        if dtype.kind == "f" and not np.isfinite(found).all():
            raise Declined(
                "image has NaN or infinities; give finite numbers, as numpy.nan_to_num(image), "
                "which changes the result"
            )
        with np.errstate(over="ignore"):
            if h > np.ptp(found):
                return xp.zeros(shape, np.uint8)
        if launches is None:
            raise Declined("h is more than the largest number of the image's dtype; give less")
        if as_float:
            warn_caller(PRECISION, UserWarning)
        return launches(image=image)

    if launches is None:
        return Plan(run)
    cost = launches.cost
    more = {"launches": cost.launches + 1, "read": cost.read + math.prod(shape) * dtype.itemsize}
    return Plan(run, launches=launches, cost=cost._replace(**more))


def samples():
    """Plans that together ask for every kernel of this room."""
    for name in C_NAMES:
        image = Array((4, 4), np.dtype(name))
        yield reconstruction(image, image)
        if name not in ("bool", "float16"):
            yield h_maxima(image, 1)
            if name == "float32":
                yield h_maxima(image, np.float64(1))
    single, double = (Array((4, 4), dtype) for dtype in (_SINGLE, _DOUBLE))
    yield reconstruction(single, Array((4, 4), np.dtype("u1")))
    yield reconstruction(double, single)
