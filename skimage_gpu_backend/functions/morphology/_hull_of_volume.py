"""Convex hulls of volumes: the host finds their sides, the device cuts rows by them.

3 launches, whatever the volume shows, and one before them that makes booleans of floats. The
volume is read once at most, the result is written once. 8 bytes a row come to the host, the hull's
sides go back, 8 bytes an axis and 8 more each, and 4 bytes come again.

A voxel is inside of a side where a sum of products is less than `tolerance`. What the host's sum
is rounded to depends on the order in which its library adds. So a call is left to scikit-image
where a voxel is so near to a side, moved by the tolerance, that rounding could decide.
"""

import functools
import itertools

import numpy as np
from scipy.spatial import ConvexHull, QhullError

from ...device import c_name
from ...device.launches import Array, Launch, Launches
from ...devices import xp
from ...plan import Declined, Idle, Plan

MOST_AXES = 5
_SOURCE = "morphology/convex_hull.cu"
_BOOL, _INT = np.dtype(bool), np.dtype(np.int32)
# what an inequality of scikit-image and ours may differ by, in units of its largest terms
_ROUNDING = 16 * np.finfo(float).eps


def find_rows(image, counts):
    """The launch that finds the first and the last pixel of each row.

    Parameters
    ----------
    image : Array
    counts : int
        Bits of which a pixel has one, to count.

    Returns
    -------
    launch : Launch
    ends : Array
        Row 0: the number of columns less the first one. Row 1: 1 more than the last one.
    """
    columns = image.shape[-1]
    rows = image.size // columns
    bits = np.dtype(f"u{image.dtype.itemsize}")
    ends = Array((2, rows), _INT, zero=True)
    args = (image, bits.type(counts), rows, np.int32(columns), *ends)
    kernel = f"row_ends<{c_name(bits)}>"
    return Launch(_SOURCE, kernel, args, -(-columns // 32) * rows), ends


def fill_rows(shape):
    """The launch that fills rows between `begins` and `ends`, and its result."""
    result = Array(shape, _BOOL)
    rows = result.size // shape[-1]
    begins, ends = Array((rows,), _INT, "begins"), Array((rows,), _INT, "ends")
    args = (begins, ends, rows, np.int32(shape[-1]), result)
    return Launch(_SOURCE, "fill_rows", args, result.size), result


@functools.lru_cache(maxsize=256)
def planned(shape, dtype, offset, tolerance):
    """Plan of the hull of a volume without axes or elements that are missing."""
    floating = dtype.kind == "f"
    image = Array(shape, _BOOL if floating else dtype, "image", converted=floating)
    find, ends = find_rows(image, np.iinfo(f"u{image.dtype.itemsize}").max)
    found = Launches([find], ends)
    fill, result = fill_rows(shape)
    filled = Launches([fill], result)

    def run(image):
        sides = _sides(_voxels(shape, *xp.asnumpy(found(image=image))), offset)
        largest = np.abs(sides[:, :-1]) @ np.array(shape) + np.abs(sides[:, -1])
        rounding = _ROUNDING * float(largest.max())
        cut = _cut(shape, len(sides), tolerance, rounding)
        begins, ends, close = cut(sides=xp.asarray(sides))
        if int(close[0]):
            raise Declined(
                "tolerance is such that rounding decides about pixels; leave it out, which "
                "changes the result"
            )
        return filled(begins=begins, ends=ends)

    return Plan(run)


def _voxels(shape, first, last):
    """Places of the first voxel and the last of each row, in the volume's order."""
    first, last = shape[-1] - first, last - 1
    rows = np.flatnonzero(last >= 0)
    if not rows.size:
        raise Declined(Idle("image is 0, of which scikit-image warns; nothing to change"))
    both = np.stack((rows * shape[-1] + first[rows], rows * shape[-1] + last[rows]), axis=1)
    places = both.ravel()
    is_new = np.append(True, np.diff(places) > 0)
    return np.stack(np.unravel_index(places[is_new], shape), axis=1)


def _sides(voxels, offset):
    """Normals and offsets of the hull's sides, found from the same points as in scikit-image."""
    try:
        if offset:
            hull = ConvexHull(voxels)
            axes = voxels.shape[1]
            halves = [step * row for row in np.eye(axes) for step in (-0.5, 0.5)]
            voxels = hull.points[hull.vertices][:, np.newaxis] + halves
            voxels = voxels.reshape(-1, axes)
        return np.ascontiguousarray(ConvexHull(_unique_rows(voxels)).equations)
    except QhullError:
        raise Declined(
            Idle("image is flat or a point, of which scikit-image warns; nothing to change")
        ) from None


def _unique_rows(points):
    """In the order of `skimage.util.unique_rows`."""
    points = np.ascontiguousarray(points)
    rows = points.view(f"|S{points.itemsize * points.shape[1]}")
    return points[np.unique(rows, return_index=True)[1]]


def _cut(shape, count, tolerance, rounding):
    rows = int(np.prod(shape[:-1]))
    axes = len(shape)
    sides = Array((count, axes + 1), np.dtype(float), "sides")
    begins, ends = Array((rows,), _INT), Array((rows,), _INT)
    close = Array((1,), _INT, zero=True)
    lengths = np.array((shape,), [("of", "i8", axes)])[()]
    args = (sides, np.int32(count), lengths, tolerance, rounding, rows, begins, ends, close)
    return Launches([Launch(_SOURCE, f"cut_rows<{axes}>", args, rows)], (begins, ends, close))


def specializations():
    """Every (source, expression) of hulls."""
    for bits, axes in itertools.zip_longest((1, 2, 4, 8), range(3, MOST_AXES + 1)):
        yield _SOURCE, f"row_ends<{c_name(np.dtype(f'u{bits}'))}>"
        if axes:
            yield _SOURCE, f"cut_rows<{axes}>"
    yield _SOURCE, "fill_rows"
