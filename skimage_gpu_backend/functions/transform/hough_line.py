"""skimage.transform.hough_line, equal to the last vote.

Cost: 2 launches. The image is read once; the places of its pixels that are not 0 are written once
(4 bytes each, 8 where the image has more than 65,536 rows or columns) and read for every four
angles; the accumulator is written once. Sines and cosines are made on the host. An image that is
larger than the device goes in slabs, 2 launches each, whose votes are added to one accumulator.
"""

import functools
import math
from typing import NamedTuple

import numpy as np

from ...device import c_name, resident_blocks
from ...device.launches import Array, Launch, Launches
from ...devices import to_host, xp
from ...plan import Declined, Invalid, Plan, Slabs
from ._marked import marked, place_of, refuse_image
from ._marked import specializations as _lists

_SOURCE = "transform/hough_line.cu"
_BLOCK = 256
_SHARED = 48 * 1024
_GROUPS = (4, 2, 1)  # angles that a block takes: four counts of 8 bytes are a sector of 32
_FRACTION = 30  # as FRACTION of hough_line.cu
_ANGLE = np.dtype([("cosine", "f8"), ("sine", "f8"), ("whole_cosine", "i8"), ("whole_sine", "i8")])
_MOST_BYTES = 1 << 36  # of an accumulator


def hough_line(image, theta=None):
    """Hough transform of straight lines: `skimage.transform.hough_line`."""
    refuse_image(image)
    if theta is None:
        theta = np.linspace(-np.pi / 2, np.pi / 2, 180, endpoint=False)
    if not isinstance(theta, np.ndarray) or theta.ndim != 1 or theta.dtype != np.float64:
        raise Invalid("theta is no array of doubles; give such, as numpy.asarray(theta, float)")
    if not theta.size or not np.isfinite(theta).all():
        raise Declined("theta is empty, or has angles that are not finite; give finite ones")
    # of the caller's array: how NumPy rounds a cosine may depend on its layout
    numbers = theta.tobytes(), np.cos(theta).tobytes(), np.sin(theta).tobytes()
    return _planned(image.shape, image.dtype, *numbers)


class _Angles(NamedTuple):
    """What the angles of a call are for an image of a shape, and how blocks share them."""

    table: np.ndarray  # of Angle of hough_line.cu, in groups
    firsts: np.ndarray  # row of the first vote of each group
    group: int  # angles of a block
    bins: int  # rows that any group votes in
    count: int
    middle: int  # row of distance 0
    margin: int  # what rounding of `table` and of doubles moves a distance by


@functools.lru_cache(maxsize=64)
def _planned(shape, dtype, *numbers):
    theta, cosines, sines = map(np.frombuffer, numbers)
    offset = math.ceil(math.sqrt(shape[0] * shape[0] + shape[1] * shape[1]))
    distances = np.linspace(-offset, offset, 2 * offset + 1)
    votes = Array((len(distances), len(theta)), np.dtype(np.uint64), zero=True)
    if votes.nbytes > _MOST_BYTES:
        raise Declined("theta and image make a very large accumulator; give fewer angles")
    firsts, lasts = _ends(shape, cosines, sines, offset)
    for group in _GROUPS:
        of_groups = _in_groups(firsts, group).min(axis=1)
        bins = int((_in_groups(lasts, group).max(axis=1) - of_groups).max()) + 1
        if 4 * group * bins <= _SHARED:
            break
    table, margin = _angles(cosines, sines, group), sum(shape) // 2 + 3
    angles = _Angles(table, of_groups, group, bins, len(theta), offset, margin)
    steps = _steps(angles, shape, dtype, votes)
    launches = Launches(steps, (votes, Array.of(theta), Array.of(distances)))

    def run(image):
        if isinstance(image, xp.ndarray):
            return launches(image=image)
        return _in_slabs(angles, image, votes), theta.copy(), distances.copy()

    beside = place_of(shape).itemsize + -(-votes.nbytes // math.prod(shape))
    return Plan(run, Slabs(beside), launches=launches)


def _steps(angles, shape, dtype, votes, above=0):
    """Launches that add the votes of the rows below the first `above` ones, an image of `shape`."""
    window = min(angles.bins, _SHARED // (4 * angles.group))
    tasks = len(angles.firsts) * -(-angles.bins // window)
    listed, count, places = marked(_SOURCE, shape, dtype)
    tables = Array.of(angles.table), Array.of(angles.firsts)
    numbers = angles.count, angles.bins, window, angles.middle, angles.margin, above
    expression = f"line_votes<{c_name(place_of(shape))}, {angles.group}>"
    most = -(-math.prod(shape) // _BLOCK)  # shares of the list that all have a pixel, at most

    def grid():
        return (tasks * max(1, min(most, resident_blocks(_BLOCK) // tasks)),)

    args, shared = (places, count, *tables, votes, *numbers), 4 * angles.group * window
    return listed, Launch(_SOURCE, expression, args, places.size, _BLOCK, shared, grid)


def _in_slabs(angles, slabs, votes):
    """The votes of an image that comes in slabs along its first axis, on the host."""
    total, above = xp.zeros(votes.shape, votes.dtype), 0
    into = Array(votes.shape, votes.dtype, "votes")
    for slab in slabs:
        steps = _steps(angles, slab.shape, slab.dtype, into, above)
        Launches(steps, into)(image=slab, votes=total)
        above += len(slab)
    return to_host(total)


def _ends(shape, cosines, sines, offset):
    """First and last row in which there is a vote, for each angle.

    Rounded products and sums of growing numbers grow, so that they lie at corners of the image.
    """
    rows, columns = (np.array((0, length - 1), float) for length in shape)
    distances = (cosines * columns[:, None])[:, None] + (sines * rows[:, None])
    rounded = np.trunc(np.where(distances > 0, distances + 0.5, distances - 0.5)).astype(np.int64)
    return rounded.min(axis=(0, 1)) + offset, rounded.max(axis=(0, 1)) + offset


def _in_groups(numbers, group):
    """`group` items in a row, the last one repeated."""
    places = np.minimum(np.arange(-(-len(numbers) // group) * group), len(numbers) - 1)
    return numbers[places].reshape(-1, group, *numbers.shape[1:])


def _angles(cosines, sines, group):
    """The struct Angle of hough_line.cu of each, the last one repeated."""
    angles = np.zeros(len(cosines), _ANGLE)
    angles["cosine"], angles["sine"] = cosines, sines
    for name in ("cosine", "sine"):
        angles[f"whole_{name}"] = np.rint(angles[name] * (1 << _FRACTION))
    return _in_groups(angles.view("u8").reshape(-1, 4), group).ravel()


def specializations():
    """Every (source, expression) that this room launches."""
    yield from _lists(_SOURCE)
    for place in (np.uint32, np.uint64):
        for group in _GROUPS:
            yield _SOURCE, f"line_votes<{c_name(np.dtype(place))}, {group}>"
