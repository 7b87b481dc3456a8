"""skimage.filters.gabor, equal to the last bit."""

import functools
import math

import numpy as np

from ...device.dtypes import C_NAMES, c_name
from ...device.launches import Array, Launch, Launches, grid_of_tiles
from ...device.shared import most_dynamic
from ...plan import Declined, Invalid, Plan, Reach
from ...primitives.arguments import real
from ...primitives.correlate import correlation
from ...primitives.gaussian import working
from ...primitives.stencils import BOUNDARY, along, number, refuse_far_mirrored
from ...scikit_image import on_host

_LARGEST = 500  # pixels to one side of a kernel's centre
_LEAST = np.finfo(float).eps  # SciPy leaves out weights up to this
_WIDTH, _HEIGHT = 64, 16  # of a tile in gabor.cu
# The structs Tap and Gabor there.
_FLOATS = [(name, "f4") for name in ("real_float", "imaginary_float", "size")]
_TAP = np.dtype([("real", "f8"), ("imaginary", "f8"), *_FLOATS, ("way", "i4")])
_NUMBERS = [(name, "i4") for name in ("mode", "taps", "down", "across", "pitch")]
_GABOR = np.dtype(
    [("ny", "i8"), ("nx", "i8"), ("cval", "f8"), *_NUMBERS, ("apart", "f4", 2)], align=True
)


def gabor(
    image,
    frequency,
    theta=0,
    bandwidth=1,
    sigma_x=None,
    sigma_y=None,
    n_stds=3,
    offset=0,
    mode="reflect",
    cval=0,
):
    """Real and imaginary response to a Gabor filter: `skimage.filters.gabor`.

    1 launch; image read once, results written once. 2 where a kernel is larger than tiles, as of
    a frequency below 0.09, for which the image is read twice. scikit-image makes the weights on
    the host. One more launch makes a strided image contiguous, or single of half precision.
    """
    if image.ndim != 2 or image.size == 0:
        raise Invalid("image is no plane, or is empty; give an image of two axes")
    numbers = {"frequency": frequency, "theta": theta, "bandwidth": bandwidth}
    numbers |= {"n_stds": n_stds, "offset": offset}
    widths = {"sigma_x": sigma_x, "sigma_y": sigma_y}
    given = numbers | {name: width for name, width in widths.items() if width is not None}
    plain = {name: real(name, value) for name, value in given.items()}
    if not isinstance(mode, str) or mode not in BOUNDARY:
        raise Invalid("mode is unknown; give 'reflect', 'constant', 'nearest', 'mirror' or 'wrap'")
    _refuse_large(**plain)
    beyond = number(cval)
    if BOUNDARY[mode] != BOUNDARY["constant"]:
        beyond = 0.0
    return _planned(image.shape, image.dtype, mode, beyond, **numbers, **widths)


def _refuse_large(frequency, bandwidth, n_stds, sigma_x=None, sigma_y=None, **others):
    try:
        octave = 2.0**bandwidth
        width = math.sqrt(math.log(2) / 2) * (octave + 1) / (octave - 1) / (math.pi * frequency)
        widest = max(abs(n_stds * (width if s is None else s)) for s in (sigma_x, sigma_y))
    except (ArithmeticError, ValueError):
        widest = 0  # whether scikit-image refuses them too is seen there
    if widest > _LARGEST and not math.isinf(widest):
        raise Declined(
            f"n_stds times sigma is above {_LARGEST} pixels; give a larger frequency, or smaller "
            "sigma_x and sigma_y"
        )


@functools.lru_cache(maxsize=256, typed=True)
def _planned(shape, dtype, mode, cval, **kernel):
    single = working(dtype) == np.float32
    into = np.dtype(np.complex64 if single else np.complex128)
    try:
        with np.errstate(all="ignore"):
            weights = on_host("skimage.filters:gabor_kernel", **kernel, dtype=into)
    except Exception as error:
        raise Invalid(f"{type(error).__name__}: {error}") from None
    kept = np.dtype(np.float32) if dtype.char == "e" else dtype
    image = Array(shape, kept, "image", converted=kept != dtype)
    results = Array(shape, kept), Array(shape, kept)
    # a convolution, as SciPy has it: the weights turned around
    parts = [part[::-1, ::-1].astype(float) for part in (weights.real, weights.imag)]
    halo = [n // 2 for n in weights.shape]
    pitch = -(-(_WIDTH + 2 * halo[1] - 16) // 32) * 32 + 16
    elements = (_HEIGHT + 2 * halo[0]) * pitch
    if 8 * elements <= most_dynamic("gabor") and _is_held(cval, kept):
        steps = [_both(image, results, parts, mode, cval, pitch, elements)]
    else:
        steps = [_one(image, *each, mode, cval) for each in zip(results, parts, strict=True)]
    refuse_far_mirrored(mode, halo, shape)
    reach = Reach(along(halo, mode))
    return Plan(Launches(steps, results), reach)


def _is_held(cval, dtype):
    """Whether the image's tiles, which may be of floats, hold what stands beyond the ends."""
    with np.errstate(over="ignore"):
        single = float(np.float32(cval))
    if dtype.itemsize == 1:
        return abs(cval) <= 255 and single == cval
    return dtype.char != "f" or single == cval


def _both(image, results, parts, mode, cval, pitch, elements):
    """One launch for both parts."""
    struct = np.zeros((), _GABOR)
    struct["ny"], struct["nx"] = image.shape
    struct["cval"], struct["mode"], struct["pitch"] = cval, BOUNDARY[mode], pitch
    struct["down"], struct["across"] = (n // 2 for n in parts[0].shape)
    taps, struct["taps"], struct["apart"] = _taps(parts, pitch)
    # a list of what is in doubt lies behind a tile of floats, or in the room of one of doubles
    shared = 4 * elements + 4 * _WIDTH * _HEIGHT if image.dtype.itemsize == 1 else 8 * elements
    down, across = -(-image.shape[0] // _HEIGHT), -(-image.shape[1] // _WIDTH)
    size = {"block": (_WIDTH, 256 // _WIDTH), "grid": grid_of_tiles(down, across), "shared": shared}
    key = np.dtype(np.uint8) if image.dtype.kind == "b" else image.dtype
    types = f"{c_name(key)}, {c_name(image.dtype)}"
    arguments = image, Array.of(taps.view(float)), struct[()], *results
    return Launch("filters/gabor.cu", f"gabor<{types}>", arguments, down * across * 256, **size)


def _taps(parts, pitch):
    """Weights, how many they are, and how far sums of 8-bit integers in float may be off."""
    kept = [np.where(abs(part) > _LEAST, part, 0) for part in parts]
    there = np.argwhere((kept[0] != 0) | (kept[1] != 0))
    taps = np.zeros(max(1, len(there)), _TAP)  # an array of the device has elements
    used = taps[: len(there)]
    used["way"] = there @ [pitch, 1]
    with np.errstate(all="ignore"):
        for name, part in zip(("real", "imaginary"), kept, strict=True):
            used[name] = used[f"{name}_float"] = part[*there.T]
        used["size"] = np.maximum(abs(used["real_float"]), abs(used["imaginary_float"]))
        # a rounding of each sum and of its weight, SciPy's own, and these numbers'
        roundings = 1.01 * 2.0**-24 * (len(there) + 3)
        return taps, len(there), [roundings * 255 * abs(part).sum() for part in kept]


def _one(image, result, weights, mode, cval):
    there = np.argwhere(abs(weights) > _LEAST)
    centre = np.array(weights.shape) // 2
    return correlation(image, result, there - centre, weights[*there.T], BOUNDARY[mode], cval)


def samples():
    """Plans that together ask for every kernel of this room."""
    for dtype in C_NAMES:
        for frequency in (0.6, 0.05):
            yield gabor(Array((40, 40), np.dtype(dtype)), frequency)
