"""skimage.feature.CENSURE: detection on the device, scikit-image's keypoints.

Cost: 4 launches by boxes, whatever the number of scales: 2 for the integral image, which read the
image once and write, read and write the sums once; 1 for responses and extrema, which reads the
sums; 1 that reads the windows around the extrema. By octagons and stars 3: responses of all
scales, which are written once, their extrema, and these windows; 1 more converts an image that is
not float32 or float64. The image goes to the device once, and filters of 15 kB or less an
octagon's seven scales; to the host come 8 bytes a keypoint, which are sorted there. Where a low
threshold lets so many extrema pass that Gaussians of the whole image take less time than their
windows, the method goes by steps.

Keypoints and scales are equal: responses, slopes and Gaussians are rounded as scikit-image's are.
"""

import functools
import itertools
import math

import numpy as np

from ...device.dtypes import C_NAMES, c_name
from ...device.launches import Array, Launch, Launches
from ...devices import to_host
from ...plan import Declined, Invalid, Plan
from ...primitives.gaussian import DOUBLE, pair_taps, steps_in_double, working
from ...primitives.stencils import radius
from ...scikit_image import private
from ._boxes import integral
from ._derivatives import TRUNCATE

censure = private("feature.censure")

_SOURCE, _FILTERS = "feature/censure.cu", "feature/censure_filters.cu"
_U8, _I8 = np.dtype(np.uint64), np.dtype(np.int64)
_MOST_PLANES, _MOST_SCALE = 96, 95  # MOST_PLANES of censure.cu; of what its MOST_RADIUS allows
_FEW = 4096  # extrema that are few in any image
_LEAST = np.finfo(float).eps  # SciPy passes over weights that are not above it
_PLANES = (_MOST_PLANES,)
_SEARCH = np.dtype(
    [(name, "i8") for name in ("rows", "columns", "capacity")]
    + [("threshold", "f8"), ("largest", "f8"), ("planes", "i4"), ("first_scale", "i4")]
    + [("border", "i4", _PLANES), ("outer", "f8", _PLANES), ("total", "f8", _PLANES)]
)
_LINES = np.dtype(
    [(name, "i8") for name in ("rows", "columns", "capacity")]
    + [("threshold", "f8"), ("planes", "i4"), ("unused", "i4")]
    + [("radius", "i4", _PLANES), ("first", "i4", _PLANES)]
)
_RUN = np.dtype([("weight", "f8"), *((name, "i4") for name in ("row", "first", "end", "unused"))])
_TYPES = {
    "min_scale": (int,),
    "max_scale": (int,),
    "mode": (str,),
    "non_max_threshold": (float, int),
    "line_threshold": (float, int),
}
_ODD = "image has values that are not finite or very large; give smaller ones"


class CENSURE:
    """The method of `skimage.feature.CENSURE`, by its name there."""

    def detect(self, image):
        """Keypoints: `skimage.feature.CENSURE.detect`."""
        if image.ndim != 2 or min(image.shape) < 2:
            raise Invalid("image is no plane")
        numbers = [_number(name, getattr(self, name)) for name in _TYPES]
        scales = _refused(image.shape, *numbers[:3])
        launches = _planned(image.shape, image.dtype, *numbers)
        capacity = launches.result[1].size
        return Plan(
            functools.partial(_detect, self, launches, capacity, *scales), launches=launches
        )


def _number(name, value):
    if type(value) not in _TYPES[name]:
        kind = _TYPES[name][0].__name__
        raise Declined(f"self has a {name} that is no Python {kind}; give {kind}({name})")
    if type(value) is not str and not abs(value) < 1 << 62:
        raise Declined(f"self has a {name} that is very large or not finite; give a smaller one")
    return value


def _refused(shape, least, most, mode):
    """The first scale that has keypoints, and the number of planes."""
    if mode not in ("dob", "octagon", "star") or least < 1 or most - least < 2:
        raise Declined("self has a mode or scales that it cannot be made with; give others")
    if mode != "dob" and most > len(_sizes(mode)):
        raise Invalid("self has a max_scale that has no filter")
    if most > _MOST_SCALE:
        raise Declined(f"self has a max_scale above {_MOST_SCALE}; give a smaller one")
    if mode == "dob" and min(shape) <= 4 * most:  # scikit-image looks beyond its memory
        raise Declined("image is smaller than the largest box; give a smaller max_scale")
    return least + 1, most - least + 1


@functools.cache
def _sizes(mode):
    """Of the filters of each scale, as `(weights, border)` is made of them."""
    if mode == "octagon":
        outer, inner = censure.OCTAGON_OUTER_SHAPE, censure.OCTAGON_INNER_SHAPE
        return [(*outside, *inside) for outside, inside in zip(outer, inner, strict=True)]
    return [tuple(censure.STAR_SHAPE[each] for each in pair) for pair in censure.STAR_FILTER_SHAPE]


def _border(mode, scale):
    """Width within which a scale has no keypoints."""
    if mode == "dob":
        return 0
    m, n, *_ = _sizes(mode)[scale - 1]
    return (m - 1) // 2 + n if mode == "octagon" else m + m // 2


@functools.cache
def _runs(mode, scale):
    """A filter's runs of equal weights, in SciPy's order, and how far they reach."""
    make = censure._octagon_kernel if mode == "octagon" else censure._star_kernel
    turned = make(*_sizes(mode)[scale - 1])[::-1, ::-1]
    reach, runs = len(turned) // 2, []
    for row, weights in enumerate(np.where(abs(turned) > _LEAST, turned, 0)):
        ends = np.flatnonzero(np.diff(weights, prepend=0, append=0)).tolist()
        for first, end in itertools.pairwise(ends):
            if weights[first]:
                runs.append((weights[first], row - reach, first - reach, end - reach, 0))
    return np.array(runs, _RUN), reach


def _detect(owner, launches, capacity, first, planes, image):
    """Do what CENSURE.detect does."""
    told, kept = launches(image=image)
    extrema, odd, count = map(int, to_host(told))
    if odd:
        raise Declined(_ODD)
    if extrema > capacity:
        raise Declined("self has a non_max_threshold that most pixels pass; give a larger one")
    places = np.sort(to_host(kept[:count])) if count else np.empty(0, int)
    pixels, scales = np.divmod(places, planes)
    owner.keypoints = np.column_stack(np.divmod(pixels, image.shape[1]))
    owner.scales = scales + (first - 1)


@functools.lru_cache(maxsize=32, typed=True)
def _planned(shape, source, least, most, mode, weak, on_line):
    dtype, planes = working(source), most - least + 1
    capacity = _capacity(shape, planes, radius(_sigma(most), TRUNCATE))
    image = Array(shape, source, "image")
    told, places = Array((3,), _U8, zero=True), Array((capacity,), _I8)
    kept = Array((capacity,), _I8)
    limit = _compared(on_line, dtype)
    largest = (np.finfo(dtype).max / (32768 + 16384 * abs(limit))) ** 0.25
    pixels = None  # of which some may be too large
    if source.kind == "f" and source.itemsize > 2:
        pixels = image
    elif largest < (np.finfo(source).max if source.kind == "f" else 1):
        raise Declined("self has a very large line_threshold; give a smaller one")
    borders = [_border(mode, scale) for scale in range(least, most + 1)]
    numbers = (*shape, capacity, _compared(weak, DOUBLE), largest, planes, least)
    per_plane = borders, *_weights(range(least, most + 1))
    search = np.array((*numbers, *map(_filled, per_plane)), _SEARCH)[()]
    work = -(-shape[0] // 16) * -(-shape[1] // 32) * 256
    if mode == "dob":
        sums = Array(shape, DOUBLE)
        steps = integral(image, sums)
        kernel, between = "box_extrema", sums
    else:
        steps, filtered = [], image
        if source != dtype:
            steps, filtered = steps_in_double(image, (0, 0))
        between = Array((planes, *shape), dtype)
        steps = [*steps, _filters(filtered, between, mode, least)]
        kernel = "response_extrema"
    args = pixels, between, told, places, search
    steps.append(Launch(_SOURCE, f"{kernel}<{c_name(dtype)}>", args, work))
    weights, lines = _gaussians(shape, least, planes, limit, capacity)
    args = image, places, weights, told, kept, lines
    expression = f"suppress_lines<{c_name(source)}>"
    steps.append(Launch(_SOURCE, expression, args, min(capacity, _FEW) * 32, 32))
    return Launches(steps, (told, kept))


def _capacity(shape, planes, reach):
    """Extrema of which the windows take no longer than Gaussians of all planes, by and large."""
    return max(_FEW, math.prod(shape) * planes // (4 * (2 * reach + 1)))


def _sigma(scale):
    """Of the Gaussian of a scale's structure tensor."""
    return 1 + (scale - 1) / 3.0


def _compared(limit, dtype):
    """A Python number as NumPy compares an array of `dtype` with it."""
    with np.errstate(over="ignore"):
        number = float(dtype.type(limit))
    if not math.isfinite(number):
        raise Declined("self has a threshold that is very large; give a smaller one")
    return number


def _weights(scales):
    """Of the boxes of each scale: of the outer ones, and of both together."""
    outer = [1.0 / (12 * n**2 + 4 * n) for n in scales]
    return outer, [1.0 / (2 * n + 1) ** 2 + each for n, each in zip(scales, outer, strict=True)]


def _filled(values):
    return [*values, *[0] * (_MOST_PLANES - len(values))]


def _filters(image, cube, mode, least):
    """The launch that makes all responses."""
    parts = [_runs(mode, least + plane) for plane in range(cube.shape[0])]
    first = np.cumsum([0, *(len(runs) for runs, _ in parts)])
    runs = np.concatenate([runs for runs, _ in parts]).view(_I8)  # a device array has no fields
    arrays = runs, first, np.array([reach for _, reach in parts])
    planes, rows, columns = cube.shape
    args = image, *map(Array.of, arrays), cube, rows, columns, planes
    work = planes * rows * -(-columns // 4)
    return Launch(_FILTERS, f"bilevel_filters<{c_name(cube.dtype)}>", args, work)


def _gaussians(shape, least, planes, limit, capacity):
    """Weights of each plane's Gaussian up to the middle one, and the struct Lines."""
    parts = []
    for plane in range(planes):
        sigma = _sigma(least + plane)
        reach = radius(sigma, TRUNCATE)
        taps = pair_taps(sigma, None, TRUNCATE, DOUBLE, (reach, 0))
        parts.append(taps["along_a"][: reach + 1])
    radii = [len(part) - 1 for part in parts]
    firsts = np.cumsum([0, *map(len, parts[:-1])]).tolist()
    numbers = (*shape, capacity, limit, planes, 0, _filled(radii), _filled(firsts))
    return Array.of(np.concatenate(parts)), np.array(numbers, _LINES)[()]


def samples():
    """Plans that together ask for every kernel of this room."""
    for name in C_NAMES:
        for mode in ("dob", "octagon"):
            args = (16, 16), np.dtype(name), 1, 3, mode, 0.15, 10
            yield Plan(None, launches=_planned(*args))
