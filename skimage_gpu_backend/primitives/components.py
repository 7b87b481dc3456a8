"""Connected components of images, by union-find: their labels, and hysteresis thresholds."""

import functools
import math

import numpy as np

from ..device import c_name
from ..device.dtypes import C_NAMES
from ..device.launches import Array, Launch, Launches

MOST_AXES = 8
MOST_PIXELS = 1 << 30  # above a threshold
_LABEL = "measure/label.cu"
_HYSTERESIS = "filters/hysteresis.cu"
_BORDER = "segmentation/clear_border.cu"
_SMALL = "morphology/remove_small.cu"
BLOCK = 256
OUTER_AXES = 5  # as in common/components.cuh
_BOX_BITS = 11  # a box has 2**11 pixels
_BOXES = {1: (0, 0, 11), 2: (0, 6, 5), 3: (3, 3, 5)}  # bits along the last axes, by their number
_ROW_BITS = 5  # a row of a box has 2**5 pixels or more
BIT_ROOTS, ROOTS = 8, 4  # pixels a thread, as in common/roots.cuh
RANK_CHUNK, RANK_WORDS = 8192, 256  # as in common/ranks.cuh
INT, LONG = np.dtype(np.int32), np.dtype(np.int64)
_THRESHOLDS = np.dtype([("low", "f8"), ("high", "f8"), ("ceiling", "f8")])


def labelled(image, background, connectivity, dtype):
    """Launches that number the connected regions of equal pixels, in raster order.

    4 launches, whatever the image shows; the image is read once, and once more along the borders
    of boxes; an index a pixel (4 bytes, 8 from 2**31 pixels on) is written, joined along these
    borders and read twice, a quarter of a byte a pixel is written and read, and the result is
    written once.

    Parameters
    ----------
    image : Array
        Of 1 to `MOST_AXES` axes. Pixels are compared as 64-bit integers, floats without their
        fractions.
    background : int
        Pixels of this value are labelled 0. It fits into 64 bits.
    connectivity : int
        At most so many steps along axes lead from a pixel to its neighbours.
    dtype : numpy.dtype
        Of the labels: int32 or int64.

    Returns
    -------
    Launches
        Of the labels, and of an array of two: the number of labels, and whether a pixel is a
        number that no 64-bit integer holds.
    """
    index = INT if image.size < 2**31 else LONG
    volumes, boxes = volumes_of(image.shape, connectivity, index)
    name = c_name(index)
    typed = f"<{c_name(_bits(image.dtype))}, {name}>"
    chunks = -(-image.size // RANK_CHUNK)
    roots, labels = Array(image.shape, index), Array(image.shape, dtype)
    words = Array((chunks * RANK_WORDS,), np.dtype(np.uint64))
    bases, arrived = Array((chunks,), index), Array((1,), np.dtype(np.uint32), zero=True)
    told = Array((2,), LONG, zero=True)
    marked = (image, _as_bits(background, image.dtype), volumes, told, roots)
    joined = (image, volumes, roots)
    counted = (roots, index.type(image.size), words, bases, arrived, told)
    numbered = (words, bases, image.size, roots, labels)
    steps = (
        Launch(_LABEL, f"label_boxes{typed}", marked, boxes * BLOCK),
        Launch(_LABEL, f"join_boxes{typed}", joined, boxes * BLOCK, over=(roots,)),
        Launch(_LABEL, f"rank_roots<{name}>", counted, chunks * BLOCK, over=(told,)),
        Launch(
            _LABEL,
            f"number<{name}, {c_name(dtype)}>",
            numbered,
            lookups(image.size, ROOTS),
            over=(roots,),
        ),
    )
    return Launches(steps, (labels, told))


def cleared(image, mask, inside, value):
    """Launches that set connected regions of equal pixels at the border to a value.

    3 launches, whatever the image shows; the image is read twice, and once more along the borders
    of boxes, the mask once; an index a pixel (4 bytes, 8 above 2**30 pixels) is written, joined
    along these borders and read, and the result is written once.

    Parameters
    ----------
    image : Array
        Of 1 to `MOST_AXES` axes. Pixels are compared as by `labelled`; those that are 0 count as
        one region.
    mask : Array or None
        Booleans, false where the border is.
    inside : sequence of (int, int)
        Along each axis the first pixel that is not at the border, and the first one behind the
        last of them. They count where there is no mask.
    value : int
        Bits of the value, as of an unsigned integer.

    Returns
    -------
    Launches
        Of the result, and of an array of two: whether a pixel that is 0 is at the border, and
        whether a pixel is a number that no 64-bit integer holds.
    """
    index = INT if image.size <= MOST_PIXELS else LONG
    volumes, boxes = volumes_of(image.shape, image.ndim, index)
    typed = f"<{c_name(_bits(image.dtype))}, {c_name(index)}>"
    unsigned = c_name(np.dtype(f"u{image.dtype.itemsize}"))
    ranges = _inside(image.shape, tuple(inside), index)
    labels, result = Array(image.shape, index), Array(image.shape, image.dtype)
    told = Array((2,), LONG, zero=True)
    marked = (image, mask, volumes, ranges, told, labels)
    looked_up = (image, image.size, told, np.uint64(value), labels, result)
    steps = (
        Launch(_BORDER, f"label_boxes{typed}", marked, boxes * BLOCK),
        Launch(
            _BORDER, f"join_boxes{typed}", (image, volumes, labels), boxes * BLOCK, over=(labels,)
        ),
        Launch(
            _BORDER,
            f"clear<{unsigned}, {c_name(index)}>",
            looked_up,
            lookups(image.size, ROOTS),
            over=(labels,),
        ),
    )
    return Launches(steps, (result, told))


def without_small(image, holes, limit, connectivity):
    """Launches that take away connected regions of up to `limit` pixels.

    4 launches, whatever the image shows; the image is read once, and once more along the borders
    of boxes; an index a pixel (4 bytes, 8 from 2**31 pixels on) is written, joined along these
    borders and read twice; of counts, of the same size, those of regions are written and read; the
    result is written once.

    Parameters
    ----------
    image : Array
        Of booleans, of 1 to `MOST_AXES` axes.
    holes : bool
        Whether regions are holes, which are filled, or objects.
    limit : int
    connectivity : int
        As of `labelled`.

    Returns
    -------
    Launches
    """
    index = INT if image.size < 2**31 else LONG
    volumes, boxes = volumes_of(image.shape, connectivity, index)
    name = c_name(index)
    typed = f"<{c_name(_bits(image.dtype))}, {name}>"
    roots, result = Array(image.shape, index), Array(image.shape, image.dtype)
    counts = Array((image.size,), np.dtype(f"u{index.itemsize}"), zero=True)
    marked = (image, int(holes), volumes, Array((2,), LONG, zero=True), roots)
    kept = (roots, image.size, counts, limit, bool(holes), result)
    steps = (
        Launch(_LABEL, f"label_boxes{typed}", marked, boxes * BLOCK),
        Launch(_LABEL, f"join_boxes{typed}", (image, volumes, roots), boxes * BLOCK, over=(roots,)),
        Launch(
            _SMALL,
            f"count<{name}>",
            (roots, image.size, counts),
            lookups(image.size),
            over=(roots,),
        ),
        Launch(_SMALL, f"remove<{name}>", kept, lookups(image.size), over=(roots,)),
    )
    return Launches(steps, result)


def _inside(shape, inside, index):
    """The struct Inside of segmentation/clear_border.cu."""
    ranges = [each for each, length in zip(inside, shape, strict=True) if length != 1]
    short = [each for each, length in zip(inside, shape, strict=True) if length == 1]
    if any(not first <= 0 < behind for first, behind in short):  # all pixels are at the border
        ranges = [(0, 0)] * len(ranges)
        always = (0, 0)
    else:
        always = (0, 1)
    ranges = [always] * (OUTER_AXES + 3 - len(ranges)) + ranges
    struct = np.zeros(
        (), [(name, index, 2) for name in "zyx"] + [("outer", index, (OUTER_AXES, 2))]
    )
    for name, each in zip("zyx", ranges[OUTER_AXES:], strict=True):
        struct[name] = each
    struct["outer"] = ranges[:OUTER_AXES]
    return struct[()]


def _bits(dtype):
    """The dtype that a kernel takes pixels as, which only compares them."""
    return dtype if dtype.kind == "f" else np.dtype(f"u{dtype.itemsize}")


def _as_bits(value, dtype):
    """The integer `value` as `_bits` of a pixel are; -1, which is none, where it does not fit."""
    if dtype.kind == "f" or dtype.itemsize == 8:
        return value
    limits = np.iinfo(_bits(dtype) if dtype.kind == "b" else dtype)
    return value & (1 << 8 * dtype.itemsize) - 1 if limits.min <= value <= limits.max else -1


def connected(image, low, high, ceiling=math.inf, lows=None, highs=None, *, diagonal=False):
    """Launches that mark pixels above `low` connected to one above `high`.

    3 launches, whatever the image shows; the image is read once, 4 bytes a pixel are written,
    joined along the borders of tiles and read, the result is written once.

    Parameters
    ----------
    image : Array
        Of up to `MOST_AXES` axes and `MOST_PIXELS` pixels.
    low, high : float
    ceiling : float
        `low` of a pixel is at most so much.
    lows, highs : Array, optional
        Thresholds of each pixel, in double, in place of `low` and `high`; they may be NaN.
    diagonal : bool
        Whether pixels are neighbours along diagonals too.

    Returns
    -------
    Launches
    """
    volumes, boxes = volumes_of(image.shape, image.ndim if diagonal else 1, INT)
    if lows is None and highs is None:
        low, high = (_not_above(image.dtype, number) for number in (low, high))
    limits = np.array((low, high, ceiling), _THRESHOLDS)[()]
    labels = Array(image.shape, INT)
    result = Array(image.shape, np.dtype(bool))
    odd = None
    if lows is not None or highs is not None:
        odd = Array((1,), np.dtype(np.int32), zero=True)
    marked = (image, lows, highs, limits, volumes, odd, labels)
    looked_up = (labels, odd, np.int32(image.size), result)
    steps = (
        Launch(_HYSTERESIS, f"label_boxes<{c_name(image.dtype)}>", marked, boxes * BLOCK),
        Launch(_HYSTERESIS, "join_boxes", (volumes, labels), boxes * BLOCK, over=(labels,)),
        Launch(_HYSTERESIS, "above_low", looked_up, lookups(image.size)),
    )
    return Launches(steps, result)


def lookups(size, each=BIT_ROOTS):
    """Threads that look up the roots of so many pixels."""
    return -(-size // each)


def _not_above(dtype, number):
    """The largest number of what pixels are compared in that is not above this one."""
    if dtype.kind == "f" and dtype.itemsize < 8:
        with np.errstate(over="ignore"):
            nearest = np.float32(number)
        below = np.nextafter(nearest, np.float32(-np.inf))
        return float(below if float(nearest) > number else nearest)
    if dtype.itemsize == 8:
        return number
    limits = np.iinfo(np.uint8 if dtype.kind == "b" else dtype)
    return math.floor(min(max(number, limits.min - 1), limits.max))


@functools.lru_cache(maxsize=256)
def volumes_of(shape, connectivity, index):
    """The struct Volumes of common/components.cuh, and the number of boxes."""
    long = [length for length in shape if length != 1]  # a single pixel has no neighbours
    inner = [1, 1, 1, *long][-3:]
    bits = _box_bits(inner, _BOXES[min(3, max(1, len(long)))])
    volumes = np.ones((), _volumes_dtype(index))
    for name, length in zip(("depth", "rows", "columns"), inner, strict=True):
        volumes[name] = length
    outer = long[:-3]
    volumes["outer"][OUTER_AXES - len(outer) :] = outer
    for name, each in zip(("z_bits", "y_bits", "x_bits"), bits, strict=True):
        volumes[name] = each
    volumes["connectivity"] = connectivity
    boxes = math.prod(-(-length >> each) for length, each in zip(inner, bits, strict=True))
    return volumes[()], boxes * math.prod(outer)


@functools.cache
def _volumes_dtype(index):
    lengths = [(name, index) for name in ("depth", "rows", "columns")]
    rest = [(name, "i4") for name in ("z_bits", "y_bits", "x_bits", "connectivity")]
    return np.dtype([*lengths, ("outer", index, OUTER_AXES), *rest])


def _box_bits(lengths, usual):
    """Bits of a box along the last three axes: the usual ones, but for axes that are shorter."""
    needed = [(length - 1).bit_length() for length in lengths]
    needed[2] = max(needed[2], _ROW_BITS)
    bits = [min(pair) for pair in zip(usual, needed, strict=True)]
    for axis in (2, 1, 0):
        bits[axis] += min(needed[axis] - bits[axis], _BOX_BITS - sum(bits))
    bits[2] += _BOX_BITS - sum(bits)
    return tuple(bits)


def specializations():
    """Every (source, expression) that the functions of this module launch."""
    for name in C_NAMES.values():
        yield _HYSTERESIS, f"label_boxes<{name}>"
    for dtype in dict.fromkeys(_bits(np.dtype(name)) for name in C_NAMES):
        for index in ("int", "long long"):
            for source in (_LABEL, _BORDER):
                yield source, f"label_boxes<{c_name(dtype)}, {index}>"
                yield source, f"join_boxes<{c_name(dtype)}, {index}>"
            yield _BORDER, f"clear<{c_name(np.dtype(f'u{dtype.itemsize}'))}, {index}>"
    yield _HYSTERESIS, "join_boxes"
    yield _HYSTERESIS, "above_low"
    for index in ("int", "long long"):
        yield _LABEL, f"rank_roots<{index}>"
        yield _LABEL, f"number<{index}, long long>"
        yield _SMALL, f"count<{index}>"
        yield _SMALL, f"remove<{index}>"
    yield _LABEL, "number<int, int>"
