"""Connected regions of equal pixels: those that nothing beside them exceeds, those of a seed."""

import numpy as np

from ..device import c_name
from ..device.dtypes import C_NAMES
from ..device.launches import Array, Launch, Launches
from .components import (
    BIT_ROOTS,
    BLOCK,
    INT,
    LONG,
    MOST_PIXELS,
    ROOTS,
    lookups,
    volumes_of,
)

_MAXIMA = "morphology/local_maxima.cu"
_FLOOD = "morphology/flood.cu"
_TOLERANCE = np.dtype([("tolerance", "f8"), ("whole", "u8"), ("kind", "i4")], align=True)
_WANTED = np.dtype([("minima", "i4"), ("within", "i4"), ("beyond", "i4")])


def extrema(image, around, minima, within, range_of=None):
    """Launches that mark local maxima, or minima.

    3 launches, whatever the image shows; the image is read once with what is around each pixel, and
    once more along the borders of boxes, an index a pixel (4 bytes, 8 above 2**30 pixels) is
    written, joined along these borders and read, the result is written once. Where the neighbours
    are those of no connectivity, each pixel is read twice with what is around it.

    Parameters
    ----------
    image : Array
        Of 1 to `components.MOST_AXES` axes, of (unsigned) integers, booleans, or floats of 32 or
        64 bits.
    around : neighbours.Neighbours
    minima : bool
    within : bool
        Whether regions at the border of the image are left out.
    range_of : Array, optional
        Minimum and maximum of the image, where the neighbours are those of no connectivity.

    Returns
    -------
    Launches
        Of the booleans, and of an array of two: whether a pixel is none of them by itself, and
        whether one is NaN.
    """
    index = INT if image.size <= MOST_PIXELS else LONG
    volumes, boxes = volumes_of(image.shape, around.connectivity or 0, index)
    typed = f"<{c_name(_numbers(image.dtype))}, {c_name(index)}>"
    wanted = np.array((minima, within, around.beyond), _WANTED)[()]
    labels, result = Array(image.shape, index), Array(image.shape, np.dtype(bool))
    told = Array((2,), LONG, zero=True)
    all_of_it = volumes, around.around, wanted, told, labels
    if around.connectivity:
        kernels, work = ("label_boxes", "join_boxes"), boxes * BLOCK
        looked_at, joined = (image, *all_of_it), (image, volumes, labels)
    else:
        kernels, work = ("label_pixels", "join_pixels"), image.size
        looked_at = image, image.size, range_of, *all_of_it
        joined = image, image.size, volumes, around.before, labels
    steps = [
        Launch(_MAXIMA, kernels[0] + typed, looked_at, work),
        Launch(_MAXIMA, kernels[1] + typed, joined, work, over=(labels,)),
    ]
    looked_up = image.size, told, bool(around.connectivity), labels, result
    steps.append(
        Launch(_MAXIMA, f"tell<{c_name(index)}>", looked_up, lookups(image.size), over=(labels,))
    )
    return Launches(steps, (result, told))


def flooded(image, seed, around, tolerance=None, value=None):
    """Launches that find the pixels connected with a seed, and about as large.

    3 launches, whatever the image shows; the image is read once, an index a pixel (4 bytes, 8 from
    2**31 pixels on) is written, joined along the borders of boxes and read, the result is written
    once.

    Parameters
    ----------
    image : Array
        As of `extrema`.
    seed : int
        Index of a pixel.
    around : neighbours.Neighbours
    tolerance : int or float, optional
        Not negative. Pixels are so much away from the seed at most; without it they are equal.
    value : int, optional
        Bits of a value, as of an unsigned integer, which takes their place.

    Returns
    -------
    Launches
        Of booleans; of the image with `value` in it where that is given.
    """
    index = INT if image.size < 2**31 else LONG
    name, dtype = c_name(index), _numbers(image.dtype)
    volumes, boxes = volumes_of(image.shape, around.connectivity or 0, index)
    limits = np.finfo(dtype) if dtype.kind == "f" else np.iinfo(dtype)
    ends = [dtype.type(end) for end in (limits.min, limits.max)]
    if image.dtype.kind == "b":
        ends[1] = dtype.type(1)
    labels, result = Array(image.shape, index), Array(image.shape, np.dtype(bool))
    wanted = seed, _tolerance(tolerance, dtype), *ends, labels
    typed = f"<{c_name(dtype)}, {name}>"
    if around.connectivity:
        work = boxes * BLOCK
        steps = [
            Launch(_FLOOD, f"label_boxes{typed}", (image, volumes, *wanted), work),
            Launch(_FLOOD, f"join_boxes<{name}>", (volumes, labels), work, over=(labels,)),
        ]
    else:
        joined = image.size, volumes, around.before, labels
        steps = [
            Launch(_FLOOD, f"label_pixels{typed}", (image, image.size, *wanted), image.size),
            Launch(_FLOOD, f"join_pixels<{name}>", joined, image.size, over=(labels,)),
        ]
    last = f"flood<{name}>", (image.size, seed, labels), BIT_ROOTS
    if value is not None:
        result = Array(image.shape, image.dtype)
        unsigned = c_name(np.dtype(f"u{dtype.itemsize}"))
        looked_up = image, image.size, seed, np.uint64(value), labels
        last = f"fill<{unsigned}, {name}>", looked_up, ROOTS
    kernel, looked_up, each = last
    steps.append(
        Launch(_FLOOD, kernel, (*looked_up, result), lookups(image.size, each), over=(labels,))
    )
    return Launches(steps, result)


def _tolerance(tolerance, dtype):
    """The struct Tolerance of morphology/flood.cu."""
    given = 0.0, 0, 0
    if tolerance is not None:
        given = tolerance, 0, 1
        if dtype.kind != "f" and isinstance(tolerance, int):
            given = 0.0, min(tolerance, 2**64 - 1), 2
    return np.array(given, _TOLERANCE)[()]


def _numbers(dtype):
    """The dtype that kernels take pixels as: booleans are numbers."""
    return np.dtype("u1") if dtype.kind == "b" else dtype


def specializations():
    """Every (source, expression) that the functions of this module launch."""
    for index in ("int", "long long"):
        for name in C_NAMES.values():
            if name in ("bool", "float16"):
                continue
            for kernel in ("label_boxes", "join_boxes", "label_pixels", "join_pixels"):
                yield _MAXIMA, f"{kernel}<{name}, {index}>"
            yield _FLOOD, f"label_boxes<{name}, {index}>"
            yield _FLOOD, f"label_pixels<{name}, {index}>"
            if name.startswith("unsigned"):
                yield _FLOOD, f"fill<{name}, {index}>"
        yield _MAXIMA, f"tell<{index}>"
        for kernel in ("join_boxes", "join_pixels", "flood"):
            yield _FLOOD, f"{kernel}<{index}>"
