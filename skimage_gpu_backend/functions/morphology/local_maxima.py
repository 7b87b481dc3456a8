"""skimage.morphology: local_maxima and local_minima, equal to the last pixel.

Cost: 3 launches, whatever the image shows; the image is read once with what is around each pixel,
and once more along the borders of boxes; 4 bytes a pixel (8 above 2**30 pixels) are written, joined
along these borders and read, the result is written once. 16 bytes come to the host for floats.
Footprints that are no connectivity read the image twice with what is around each pixel; where
maxima may touch the border, 1 launch more looks for its lowest and highest value. `indices` are
listed by CuPy. One more launch makes a strided image contiguous.
"""

import functools

import numpy as np

from ..._warn import warn_caller
from ...device.dtypes import C_NAMES
from ...device.launches import Array
from ...devices import xp
from ...plan import Declined, Invalid, Plan
from ...primitives.arguments import truth
from ...primitives.components import MOST_AXES
from ...primitives.neighbours import footprint_of, neighbours
from ...primitives.of_cupy import NOTHING
from ...primitives.plateaus import extrema
from ...primitives.value_range import value_range

SMALL = "maxima can't exist for an image with any dimension smaller 3 if borders aren't allowed"


def local_maxima(image, footprint=None, connectivity=None, indices=False, allow_borders=True):
    """Plateaus that nothing beside them is higher than: `morphology.local_maxima`."""
    return _plan(image, footprint, connectivity, indices, allow_borders, False)


def local_minima(image, footprint=None, connectivity=None, indices=False, allow_borders=True):
    """Plateaus that nothing beside them is lower than: `morphology.local_minima`."""
    return _plan(image, footprint, connectivity, indices, allow_borders, True)


def _plan(image, footprint, connectivity, indices, allow_borders, minima):
    shape, axes = image.shape, len(image.shape)
    if not axes:
        raise Invalid("image has no axes; give numpy.atleast_1d(image)")
    indices = truth("indices", indices)
    if 0 in shape:
        return _nothing(indices)
    allow_borders = truth("allow_borders", allow_borders)
    if not allow_borders and min(shape) < 3:
        return _nothing(indices, SMALL)
    if axes > MOST_AXES:
        raise Declined(f"image has {axes} axes; give an image of up to {MOST_AXES}")
    mask = footprint_of(footprint, connectivity, axes)
    if any(length != 3 for length in mask.shape):
        raise Invalid("footprint has not three pixels along each axis; give such")
    if image.dtype == np.float16:
        raise Invalid("image is float16; give image.astype(numpy.float32)")
    return _planned(shape, image.dtype, mask.tobytes(), minima, not allow_borders, indices)


def _nothing(indices, words=None):
    """Plan of an image without maxima."""

    def run(image):
        if words:
            warn_caller(words, UserWarning)
        if indices:
            return tuple(xp.zeros(0, np.int64) for _ in image.shape)
        return xp.zeros(image.shape, bool)

    return Plan(run, cost=NOTHING)


@functools.lru_cache(maxsize=256)
def _planned(shape, dtype, mask, minima, within, indices):
    around = neighbours(shape, np.frombuffer(mask, bool).reshape((3,) * len(shape)))
    image = Array(shape, dtype, "image")
    ranged = not (around.connectivity or within)
    numbers = np.dtype("u1") if dtype.kind == "b" else dtype
    given = Array((3,), numbers, "range") if ranged else None
    launches = extrema(image, around, minima, within, given)

    def run(image):
        image = xp.ascontiguousarray(image)
        found, told = launches(image=image, **({"range": value_range(image)} if ranged else {}))
        if dtype.kind == "f" and told.tolist()[1]:
            raise Declined(
                "image has NaN; give finite numbers, as numpy.nan_to_num(image), which changes "
                "the result"
            )
        return xp.nonzero(found) if indices else found

    if indices:
        return Plan(run)
    cost = launches.cost
    if ranged:
        cost = cost._replace(launches=cost.launches + 1, read=cost.read + image.nbytes)
    return Plan(run, launches=launches, cost=cost)


def samples():
    """Plans that together ask for the kernels of this room, but for those of larger images."""
    line = np.zeros((3, 3), bool)
    line[1] = True
    for dtype in C_NAMES:
        if dtype != "float16":
            image = Array((4, 4), np.dtype(dtype))
            yield local_maxima(image)
            yield local_maxima(image, line)
