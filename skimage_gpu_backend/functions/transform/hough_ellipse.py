"""skimage.transform.hough_ellipse, scikit-image's ellipses in its order, equal to the last bit.

Cost: 1 launch that reads the image once and lists its pixels that are not 0, which the host sorts;
then 1 launch for a million pairs of them, whatever they show. A block goes over all pixels for each
pair, once more for each 10,240 bins of the histogram of minor axes. What has more votes than the
threshold comes to the host, 16 bytes each; angles are made there.
"""

import functools
import math

import numpy as np

from ...device import launch, resident_blocks
from ...device.launches import Launches
from ...device.rounds import rounds
from ...devices import to_host, xp
from ...plan import Declined, Plan
from ...primitives.arguments import integer, real
from ._marked import marked, refuse_image
from ._marked import specializations as _lists

_SOURCE = "transform/hough_ellipse.cu"
_BLOCK = 256
_PAIRS = 1 << 20  # of a launch
_VOTES = 1 << 30  # of a launch, which a display's watchdog ends after seconds: estimated at 0.3 s
_MOST_BINS = 10_240  # in shared memory
_MOST_POINTS = 1 << 16
_MOST_SIZE = 1 << 31
_BOUNDS = np.dtype(
    [(name, "f8") for name in ("most", "bin", "per_bin")] + [("threshold", "i8"), ("least", "i8")]
)
_FOUND = np.dtype([("pair", "u8"), ("votes", "u4"), ("bin", "u4")])
_ELLIPSE = [("accumulator", np.intp)]
_ELLIPSE += [(name, np.float64) for name in ("yc", "xc", "a", "b", "orientation")]


def hough_ellipse(image, threshold=4, accuracy=1, min_size=4, max_size=None):
    """Hough transform of ellipses: `skimage.transform.hough_ellipse`."""
    refuse_image(image)
    threshold, least = integer("threshold", threshold), integer("min_size", min_size)
    if max(abs(threshold), abs(least)) >= _MOST_SIZE:
        raise Declined("threshold or min_size is 2**31 or more; give smaller ones")
    accuracy = real("accuracy", accuracy)
    if max_size is None:
        size = float(np.round(0.5 * min(image.shape)))
    elif isinstance(max_size, int | float | np.int64):
        size = real("max_size", max_size)
    else:
        raise Declined("max_size is not a number; give a number, as 20")
    if not abs(size) < _MOST_SIZE:
        raise Declined("max_size is 2**31 or more; give a smaller number")
    most, width = size * size, accuracy * accuracy
    if not 0 < width < math.inf or not most / width < 2**31 - 8:
        raise Declined("accuracy is 0, or very small or large; give a number, as 1")
    bounds = np.array([(most, width, 1 / width, threshold, least)], _BOUNDS)[0]
    step, count, places = marked(_SOURCE, image.shape, image.dtype)
    listing = Launches((step,), (count, places))
    return Plan(functools.partial(_ellipses, listing, bounds))


def _ellipses(listing, bounds, image):
    count, places = listing(image=image)
    count = int(to_host(count)[0])
    if not count:
        return xp.zeros((0, 6))
    if count > _MOST_POINTS:
        raise Declined("image has more than 65,536 pixels that are not 0; give edges alone")
    places = np.sort(to_host(places[:count]))
    half = 4 * places.dtype.itemsize
    points = np.stack([places & places.dtype.type((1 << half) - 1), places >> half], axis=1)
    points = points.astype(np.int32)
    found = [*_found(xp.asarray(points), bounds)]
    return _described(np.concatenate(found) if found else np.zeros(0, _FOUND), points, bounds)


def _found(points, bounds):
    """What has more votes than the threshold, a part for each launch."""
    count = len(points)
    pairs = count * (count - 1) // 2
    window = int(min(bounds["most"] // bounds["bin"] + 2, _MOST_BINS))
    at_once = max(1, min(_PAIRS, _VOTES // count))  # all pixels vote for each pair
    for number in rounds(-(-pairs // at_once)):
        first = number * at_once
        here = min(pairs - first, at_once)
        told, odd = xp.zeros(1, np.uint64), xp.zeros(1, np.uint32)
        ellipses = xp.empty((here, 2), np.uint64)
        launch(
            _SOURCE,
            "ellipse_votes",
            (points, count, first, here, bounds, window, told, ellipses, odd),
            work=here * _BLOCK,
            block=_BLOCK,
            shared=4 * window,
            grid=(min(here, resident_blocks(_BLOCK)),),
        )
        if int(to_host(odd)[0]):
            raise Declined("accuracy makes bins that hold all axes; give a smaller number")
        yield to_host(ellipses[: int(to_host(told)[0])]).view(_FOUND)[:, 0]


def _described(found, points, bounds):
    """The ellipses as scikit-image describes them."""
    found = found[np.argsort(found["pair"])]
    pair = found["pair"].astype(np.int64)
    first = ((1 + np.sqrt(1 + 8 * pair.astype(float))) / 2).astype(np.int64)
    first -= first * (first - 1) // 2 > pair
    first += (first + 1) * first // 2 <= pair
    one, other = points[first].astype(np.int64), points[pair - first * (first - 1) // 2]
    (right, down), (x, y) = (one - other).T, (one + other).T
    a = 0.5 * np.sqrt((right * right + down * down).astype(float))
    b = np.sqrt(found["bin"] * bounds["bin"])
    # the C library's arc tangent, as scikit-image's
    angle = np.array([*map(math.atan2, right.tolist(), down.tolist())])
    angle = np.where(angle != 0, math.pi - angle, angle)
    turned = angle > math.pi
    result = np.zeros(len(found), _ELLIPSE)
    result["accumulator"], result["yc"], result["xc"] = found["votes"], 0.5 * y, 0.5 * x
    result["a"], result["b"] = np.where(turned, b, a), np.where(turned, a, b)
    result["orientation"] = np.where(turned, angle - math.pi / 2, angle)
    return result


def specializations():
    """Every (source, expression) that this room launches."""
    yield from _lists(_SOURCE)
    yield _SOURCE, "ellipse_votes"
