"""skimage.morphology.medial_axis, equal to the last bit for the same random numbers."""

import functools

import numpy as np
from scipy import ndimage as ndi

from ...device import launch
from ...device.launches import Array, Launches
from ...devices import argsort, xp
from ...plan import Declined, Invalid, Plan
from ...primitives.arguments import truth
from ...primitives.distances import metric, squared_distances

_SOURCE = "morphology/medial_axis.cu"
_BLOCK = 256
_MOST_PIXELS = 2**29  # the last bits of keys in medial_axis.cu
_BOOL = np.dtype(bool)
_STAYS = np.dtype([("words", "u4", 16)])


def medial_axis(image, mask=None, return_distance=False, *, rng=None):
    """Ridges of the distance to background: `morphology.medial_axis`.

    8 launches, whatever the image shows: 2 for distances, 4 of kernels, 2 of CuPy's, which list the
    pixels of the object and sort them, 8 bytes each. NumPy draws a number for each of these, of
    which 4 bytes go to the device; how many there are comes to the host. One launch more makes
    booleans of other images, one applies a mask, one puts the image outside of it into the result,
    and one takes roots for distances.
    """
    shape = image.shape
    if len(shape) != 2:
        raise Declined(f"image has {len(shape)} axes; give a plane, as image[0]")
    if not image.size or image.size >= _MOST_PIXELS:
        raise Declined("image has no pixels, or more than 2**29; nothing to change")
    if mask is not None:
        if getattr(mask, "dtype", None) != _BOOL:
            raise Declined("mask is not boolean; give mask.astype(bool)")
        if mask.shape != shape:
            raise Declined("mask has another shape than image; give one of image.shape")
    _generator(rng)
    measured = metric(shape, (1.0, 1.0), np.inf)
    if measured.dtype.kind == "f":
        raise Declined("image has a diagonal whose square exceeds 2**31; give a smaller one")
    return Plan(functools.partial(_run, truth("return_distance", return_distance), rng))


def _generator(rng):
    try:
        return np.random.default_rng(rng)
    except (TypeError, ValueError):
        raise Invalid("rng makes no generator of random numbers; give an integer") from None


def _run(return_distance, rng, image, mask=None):
    inside = image.astype(_BOOL, copy=False)
    if mask is not None:
        inside = inside & mask
    inside = xp.ascontiguousarray(inside)
    squares, any_background = _distances(inside.shape)(inside=inside)
    keys, states, turns = (xp.empty(inside.shape, dtype) for dtype in ("uint64", "uint8", "int32"))
    sides = tuple(map(np.int32, inside.shape))
    ranked = (inside, *sides, any_background, squares, keys, states, turns)
    _launch("rank_pixels", ranked, inside.size)
    places = xp.flatnonzero(inside)
    if places.size:
        _thin(sides, places, keys, turns, states, _generator(rng))
    axis = states.view(_BOOL)
    if mask is not None:
        axis = xp.where(mask, axis, image.astype(_BOOL, copy=False))
    return (axis, xp.sqrt(squares, dtype="float64")) if return_distance else axis


def _thin(sides, places, keys, turns, states, generator):
    """Remove pixels at `places` from `states`, one after the other."""
    n, count = places.size, np.int32(places.size)
    before = generator.bit_generator.state
    drawn = generator.permutation(np.arange(n)).astype(np.uint32)
    try:
        lots, pixels = xp.empty(n, "uint64"), xp.empty(n, "int32")
        _launch("draw_lots", (places, xp.asarray(drawn), keys, count, lots), n)
        _launch("turn_pixels", (places, argsort(lots), count, pixels, turns), n)
        ticket = xp.zeros(1, "uint32")
        _launch("thin", (pixels, turns, count, *sides, _stays(), ticket, states), n)
    except Exception:  # scikit-image will draw the same numbers
        generator.bit_generator.state = before
        raise


def _launch(kernel, args, work):
    launch(_SOURCE, kernel, args, work=work, block=_BLOCK)


@functools.lru_cache(maxsize=64)
def _distances(shape):
    steps, squares, any_background = squared_distances(
        Array(shape, _BOOL, "inside"), True, metric(shape, (1.0, 1.0), np.inf)
    )
    return Launches(steps, (squares, any_background))


@functools.cache
def _stays():
    """The struct Stays of medial_axis.cu.

    A pixel stays where it connects what is around it, or has one neighbour or none.
    """
    stays = np.zeros(512, bool)
    for pattern in range(512):
        around = (pattern >> np.arange(9) & 1).reshape(3, 3)
        without = around.copy()
        without[1, 1] = 0
        parts = [ndi.label(each, np.ones((3, 3)))[1] for each in (around, without)]
        stays[pattern] = around[1, 1] and (parts[0] != parts[1] or around.sum() < 3)
    words = np.packbits(stays, bitorder="little").view("<u4")
    return np.array((words,), _STAYS)[()]


def specializations():
    """Every (source, expression) that this function launches."""
    for kernel in ("rank_pixels", "draw_lots", "turn_pixels", "thin"):
        yield _SOURCE, kernel
