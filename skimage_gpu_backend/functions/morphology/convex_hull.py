"""skimage.morphology: convex hulls of planes and volumes, equal to the last pixel.

Cost of `convex_hull_image`: 2 launches of planes and 3 of volumes (`_hull_of_volume`), whatever the
image shows; the image is read once at most, the result is written once. 8 bytes a row come to the
host, which finds the hull (SciPy's Qhull), and 8 go back. One more launch makes a strided image
contiguous.

`convex_hull_object` takes 4 launches to label objects, 7 and a sort to list their runs, and 5 for
all hulls, however many there are; three numbers an object come to the host.
"""

import functools
import math

import numpy as np
from scipy.spatial import ConvexHull, QhullError

from ...device.launches import Array, Launches
from ...devices import xp
from ...plan import Declined, Idle, Invalid, Plan
from ...primitives.arguments import is_real, real, truth
from ...primitives.components import labelled
from ...primitives.hulls import Hulls
from ...primitives.regions import Regions
from . import _hull_of_volume
from ._hull_of_volume import fill_rows, find_rows

_INT, _LONG = np.dtype(np.int32), np.dtype(np.int64)
_LONGEST = 2**21  # axis of which Qhull in double precision finds the exact hull
_MIDDLES = np.array([[-1, 1, 0, 0], [0, 0, -1, 1]])  # of a pixel's sides, in halves of pixels


def convex_hull_image(image, offset_coordinates=True, tolerance=1e-10, include_borders=True):
    """All pixels inside of the convex hull of those that are not 0: `convex_hull_image`."""
    if not image.size:
        raise Declined("image has no elements; nothing to change")
    if image.ndim > 2:
        return _of_volume(image, offset_coordinates, tolerance)
    _refuse(image)
    if image.dtype.kind not in "biu":
        raise Declined(
            "image is floating, of which scikit-image sees 8 bits of the integer before the "
            "point; give image != 0, which changes the result"
        )
    options = (
        truth("offset_coordinates", offset_coordinates),
        truth("include_borders", include_borders),
    )
    return _planned(image.shape, image.dtype, *options)


def _of_volume(image, offset_coordinates, tolerance):
    if image.ndim > _hull_of_volume.MOST_AXES:
        most = _hull_of_volume.MOST_AXES
        raise Declined(f"image has {image.ndim} axes; give an image of up to {most}")
    if max(image.shape) > _LONGEST:
        raise Declined("image has an axis of more than 2**21 pixels; nothing to change")
    tolerance = real("tolerance", tolerance)
    if math.isnan(tolerance):
        raise Declined("tolerance is NaN; give a number, or leave it out")
    offset = truth("offset_coordinates", offset_coordinates)
    return _hull_of_volume.planned(image.shape, image.dtype, offset, tolerance)


def convex_hull_object(image, *, connectivity=2):
    """Pixels inside of the convex hull of a connected region: `convex_hull_object`."""
    if image.ndim > 2:
        raise Invalid(f"image has {image.ndim} axes; give a plane, as image[0]")
    _refuse(image)
    if not is_real(connectivity):
        raise Declined("connectivity is not a number; give 1 or 2")
    if connectivity not in (1, 2):
        raise Invalid("connectivity is neither 1 nor 2; give one of them")
    if not image.size:
        raise Invalid("image has no elements; give an image")
    return Plan(functools.partial(_of_objects, int(connectivity)))


def _refuse(image):
    if image.ndim != 2:
        raise Declined(f"image has {image.ndim} axes; give a plane, as image[0]")
    if max(image.shape) > _LONGEST:
        raise Declined("image has an axis of more than 2**21 pixels; nothing to change")


def _of_objects(connectivity, image):
    number = _INT if image.size < 2**31 else _LONG
    launches = labelled(Array(image.shape, image.dtype, "image"), 0, connectivity, number)
    labels, told = launches(image=image)
    count, odd = told.tolist()
    if odd:
        raise Declined(
            "image has values that are NaN, infinite or of 2**63 or more; give "
            "numpy.nan_to_num(image, posinf=0, neginf=0), which changes the result"
        )
    return Hulls(Regions(labels)).marked() if count else xp.zeros(image.shape, bool)


@functools.lru_cache(maxsize=256)
def _planned(shape, dtype, offset, borders):
    columns = shape[1]
    # of a pixel scikit-image sees the last 8 bits
    find, ends = find_rows(Array(shape, dtype, "image"), 255)
    fill, result = fill_rows(shape)
    found, filled = Launches([find], ends), Launches([fill], result)

    def run(image):
        first, last = xp.asnumpy(found(image=image))
        begins, ends = _between(columns - first, last - 1, offset, borders)
        return filled(begins=xp.asarray(begins), ends=xp.asarray(ends))

    return Plan(run, launches=Launches([find, fill], result))


def _between(first, last, offset, borders):
    """Of each row the first column and the last of the hull, which is empty where they cross.

    Coordinates are exact: integers that count halves of pixels.
    """
    rows = np.flatnonzero(last >= 0)
    if not rows.size:
        raise Declined(Idle("image is 0, of which scikit-image warns; nothing to change"))
    y, x = 2 * np.tile(rows, 2), 2 * np.concatenate((first[rows], last[rows])).astype(_LONG)
    if offset:
        y, x = (
            np.add.outer(each, middles).ravel()
            for each, middles in zip((y, x), _MIDDLES, strict=True)
        )
    wide = 2 * int(x.max()) + 2
    points = np.stack(np.divmod(np.unique(y * wide + x + 1), wide), axis=1) - (0, 1)
    try:
        corners = points[ConvexHull(points).vertices]
    except QhullError:
        raise Declined(
            Idle("image is a point or a line, of which scikit-image warns; nothing to change")
        ) from None
    y, x = corners.T
    at = 2 * np.arange(len(first))
    begins, ends = _side(y, x, at, borders), -_side(y, -x, at, borders)
    inside = (at >= y.min()) & (at <= y.max()) if borders else (at > y.min()) & (at < y.max())
    return np.where(inside, begins, 0).astype(_INT), np.where(inside, ends, -1).astype(_INT)


def _side(y, x, at, borders):
    """The first whole pixel inside of a hull, in rows `at` of the corners' heights."""
    order = np.lexsort((x, y))
    y, x = y[order], x[order]
    bottom = np.searchsorted(y, y[-1])
    down, across = y - y[0], x - x[0]
    is_left = down[bottom] * across <= down * across[bottom]
    y, x = y[is_left], x[is_left]
    before = np.clip(np.searchsorted(y, at, "right") - 1, 0, len(y) - 2)
    height = np.diff(y)[before]
    above = x[before] * height + (at - y[before]) * np.diff(x)[before]
    return -(-above // (2 * height)) if borders else above // (2 * height) + 1


def specializations():
    """Every (source, expression) of this room."""
    return _hull_of_volume.specializations()
