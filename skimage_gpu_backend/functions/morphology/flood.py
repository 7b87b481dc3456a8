"""skimage.morphology: flood and flood_fill, equal to the last pixel.

Cost: 3 launches, whatever the image shows; the image is read once, for `flood_fill` twice; 4 bytes
a pixel (8 from 2**31 pixels on) are written, joined along the borders of boxes and read, the result
is written once. One more launch makes a strided image contiguous, and one writes into an image that
is filled in place.
"""

import functools
import operator

import numpy as np

from ...device.dtypes import C_NAMES
from ...device.launches import Array
from ...devices import xp
from ...plan import Declined, Invalid, Plan
from ...primitives.arguments import bits_of, is_real, truth
from ...primitives.components import MOST_AXES
from ...primitives.neighbours import footprint_of, neighbours
from ...primitives.of_cupy import NOTHING
from ...primitives.plateaus import flooded


def flood(image, seed_point, *, footprint=None, connectivity=None, tolerance=None):
    """Mask of the pixels that are connected with a seed: `morphology.flood`."""
    if 0 in image.shape:
        return Plan(lambda image: xp.zeros(image.shape, bool), cost=NOTHING)
    return _planned(*_asked(image, seed_point, footprint, connectivity, tolerance), None, False)


def flood_fill(
    image,
    seed_point,
    new_value,
    *,
    footprint=None,
    connectivity=None,
    tolerance=None,
    in_place=False,
):
    """An image with a value where `flood` has its mask: `morphology.flood_fill`."""
    if 0 in image.shape:
        raise Declined("image has no elements; nothing to change")
    in_place = truth("in_place", in_place)
    if in_place and isinstance(image, np.ndarray):
        raise Declined(
            "in_place is set and image is on the host; leave in_place out, and take the result"
        )
    asked = _asked(image, seed_point, footprint, connectivity, tolerance)
    return _planned(*asked, bits_of("new_value", new_value, "image", image.dtype), in_place)


def _asked(image, seed_point, footprint, connectivity, tolerance):
    shape, axes = image.shape, len(image.shape)
    if not axes:
        raise Invalid("image has no axes; give numpy.atleast_1d(image)")
    if axes > MOST_AXES:
        raise Declined(f"image has {axes} axes; give an image of up to {MOST_AXES}")
    if image.dtype == np.float16:
        raise Invalid("image is float16; give image.astype(numpy.float32)")
    mask = footprint_of(footprint, connectivity, axes)
    if not all(length % 2 for length in mask.shape) or not mask.any():
        raise Invalid("footprint has an even length, or no neighbours; give such as disk(1)")
    seed = _seed(seed_point, shape)
    return shape, image.dtype, seed, mask.shape, mask.tobytes(), _tolerance(tolerance, image.dtype)


def _seed(seed_point, shape):
    """Index of the pixel at `seed_point`."""
    if not isinstance(seed_point, tuple):
        seed_point = (seed_point,)
    try:
        place = [operator.index(each) for each in seed_point if not isinstance(each, bool)]
    except TypeError:
        raise Declined("seed_point is no tuple of integers; give one, as (5, 5)") from None
    if len(place) != len(shape) or len(place) != len(seed_point):
        raise Declined("seed_point has not an integer for each axis; give one for each")
    if not all(-length <= at < length for at, length in zip(place, shape, strict=True)):
        raise Invalid("seed_point is outside of the image; give one inside")
    return int(np.ravel_multi_index([at % n for at, n in zip(place, shape, strict=True)], shape))


def _tolerance(tolerance, dtype):
    if tolerance is None:
        return None
    if not isinstance(tolerance, int | float):  # numpy.float64 is one
        raise Declined("tolerance is no number of Python's; give float(tolerance)")
    if dtype.kind == "f":
        if not is_real(tolerance):
            raise Invalid("tolerance is larger than any float; give a smaller one")
        return abs(float(tolerance))
    return abs(int(tolerance)) if isinstance(tolerance, int) else abs(float(tolerance))


@functools.lru_cache(maxsize=256, typed=True)
def _planned(shape, dtype, seed, lengths, mask, tolerance, value, in_place):
    around = neighbours(shape, np.frombuffer(mask, bool).reshape(lengths))
    image = Array(shape, dtype, "image")
    launches = flooded(image, seed, around, tolerance, value)
    if not in_place:
        return Plan(launches)

    def run(image):
        image[...] = launches(image=image)
        return image

    cost = launches.cost
    more = {"read": cost.read + 8 * image.size, "written": cost.written + image.nbytes}
    cost = cost._replace(launches=cost.launches + 1, between=cost.between + image.nbytes, **more)
    return Plan(run, launches=launches, cost=cost)


def samples():
    """Plans that together ask for the kernels of this room, but for those of larger images."""
    line = np.zeros((3, 3), bool)
    line[1] = True
    for dtype in C_NAMES:
        if dtype != "float16":
            image = Array((4, 4), np.dtype(dtype))
            yield flood(image, (1, 1))
            yield flood_fill(image, (1, 1), 1, footprint=line)
