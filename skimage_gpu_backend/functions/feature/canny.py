"""skimage.feature.canny: edges in four launches."""

import functools
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ...device import c_name
from ...device.dtypes import C_NAMES
from ...device.launches import Array, Launch, Launches
from ...plan import Declined, Invalid, Plan
from ...primitives.arguments import truth
from ...primitives.components import MOST_PIXELS, connected
from ...primitives.gaussian import DOUBLE, pair_taps, working
from ...primitives.percentiles import percentiles_of
from ...primitives.smooth_tile import smooth_tiles
from ...primitives.stencils import BOUNDARY, LEAST_SIGMA, number, radius, sigma_per_axis
from ..filters.gaussian import gaussian

_SOURCE = "feature/canny.cu"
_MARGIN = 2  # neighbours on each side of which a magnitude beside is made
_MOST_RADIUS = 16  # PAIR_RADIUS in gaussian_pair.cuh
_SMOOTHING = np.dtype(  # with SmoothSize
    [*((name, "i4") for name in ("height", "width", "margin", "divides")), ("whole", "f8")]
)
_THRESHOLDS = (int, float, np.integer, np.floating)


def canny(
    image,
    sigma=1.0,
    low_threshold=None,
    high_threshold=None,
    mask=None,
    use_quantiles=False,
    *,
    mode="constant",
    cval=0.0,
):
    """Canny's edges: `skimage.feature.canny`.

    4 launches, whatever the image shows: the first reads image and mask and writes 1 byte a
    pixel, above which threshold it lies, if it is on a ridge at all; those of
    `apply_hysteresis_threshold` read this byte, write 4 bytes a pixel, join and read them and
    write the result. Quantiles as thresholds: 1 launch more, which reads image and mask and
    writes magnitudes, and those of `elements_at`. One more launch makes a mask of another dtype
    than bool or 8-bit integers bool.
    """
    dtype = image.dtype
    if image.ndim != 2 or dtype.char in "lqLQ":
        raise Invalid("image is not 2-D, or of integers of 64 bits")
    if not 0 < image.size <= MOST_PIXELS:
        raise Declined(f"image has {image.size} pixels; give one of 1 to {MOST_PIXELS}")
    masked = None if mask is None else _dtype_of(mask, image)
    quantiles = truth("use_quantiles", use_quantiles)
    low, high = _both_thresholds(dtype, low_threshold, high_threshold, quantiles)
    if not isinstance(mode, str):
        raise Declined(
            "mode is a list, one for each axis; give one mode, as 'reflect', which changes the "
            "result"
        )
    gaussian(image, sigma, mode=mode, cval=cval)  # refuses what it does not take
    sigmas = sigma_per_axis(sigma, 2, None)
    if any(s > LEAST_SIGMA and radius(s, 4.0) > _MOST_RADIUS for s in sigmas):
        raise Declined(
            f"sigma makes a Gaussian that reaches farther than {_MOST_RADIUS} pixels; "
            "give a smaller one"
        )
    cval = number(cval)
    with np.errstate(over="ignore"):
        if dtype.kind == "f" and dtype.itemsize < 8 and float(np.float32(cval)) != cval:
            raise Declined(
                "cval has more digits than single precision holds; give float(numpy.float32(cval))"
            )
    return _planned(image.shape, dtype, masked, quantiles, low, high, mode, cval, *sigmas)


def _dtype_of(mask, image):
    if type(mask) is not type(image) or mask.dtype.kind not in "biuf":
        raise Declined(
            "mask is no array of the image's kind; give numpy.asarray(mask) with a NumPy "
            "image, cupy.asarray(mask) with a CuPy one"
        )
    if mask.shape != image.shape:
        raise Invalid(
            "mask has another shape than the image; give numpy.broadcast_to(mask, image.shape)"
        )
    return mask.dtype


def _both_thresholds(dtype, low, high, quantiles):
    """The thresholds as scikit-image divides them by the largest value of the image's type."""
    largest = 1 if quantiles or dtype.kind not in "iu" else int(np.iinfo(dtype).max)
    for threshold in (low, high):
        if not (threshold is None or isinstance(threshold, _THRESHOLDS)):
            raise Declined(
                "low_threshold or high_threshold is no number; give numbers, as 0.1 and 0.2"
            )
        if quantiles and threshold is not None and not 0.0 <= threshold <= 1.0:
            raise Invalid("a quantile is not between 0 and 1")
        if isinstance(threshold, int) and abs(threshold) >= 1 << 1023:
            raise Invalid("a threshold is larger than any float")
    low = 0.1 if low is None else low / largest
    high = 0.2 if high is None else high / largest
    if high < low:
        raise Invalid("high_threshold is below low_threshold")
    return low, high


# Typed: NumPy's numbers are compared in their own type, and give SciPy other weights.
@functools.lru_cache(maxsize=256, typed=True)
def _planned(shape, source, masked, quantiles, low, high, mode, cval, *sigmas):
    dtype, image = working(source), Array(shape, source, "image")
    mask = None
    if masked is not None:
        converted = masked.itemsize > 1
        mask = Array(shape, np.dtype(bool) if converted else masked, "mask", converted=converted)
    divides = masked is not None or mode == "constant"
    size, taps, grid = smooth_tiles(shape, dtype, _MARGIN, int(divides), *sigmas)
    smoothing = np.array((*size.item(), divides, whole_share(dtype, sigmas)), _SMOOTHING)[()]
    mode = np.int32(BOUNDARY.get(mode, 0))  # any, where nothing is smoothed
    way = (*shape, mode, cval, smoothing, taps)

    def launches(kernel, result, *limits):
        arguments = (image, mask, result, *way, *limits)
        return Launches([Launch(_SOURCE, f"{kernel}<{c_name(source)}>", arguments, **grid)], result)

    def edges(low, high):
        classes = Array(shape, np.dtype(np.uint8))
        above = launches("canny_classes", classes, _lower(low), _upper(high, dtype))
        joined = connected(classes, 0.5, 1.5, diagonal=True)
        return Launches([*above.steps, *joined.steps], joined.result)

    if quantiles:
        magnitude = launches("canny_magnitude", Array(shape, dtype))
        return Plan(_OfQuantiles(magnitude, edges, low, high))
    return Plan(edges(low, high))


def whole_share(dtype, sigmas):
    """Sum of all weights, as SciPy's filters along both axes add them up and round them."""
    share = dtype.type(1)
    taps = pair_taps(*(s if s > LEAST_SIGMA else None for s in sigmas), 4.0, DOUBLE)
    for axis in "ab":
        reach, one = int(taps[f"radius_{axis}"]), float(share)
        weights = taps[f"along_{axis}"].tolist()
        total = weights[reach] * one
        for weight in weights[:reach]:
            total += weight * (one + one)
        share = dtype.type(total)
    return float(share)


class _OfQuantiles(NamedTuple):
    """Edges between quantiles of the magnitudes, which `magnitude` launches."""

    magnitude: Launches
    edges: Callable
    low: float
    high: float

    def __call__(self, **arrays):
        percentiles = percentages(self.low, self.high)
        low, high = percentiles_of(self.magnitude(**arrays), percentiles)
        return self.edges(low, high)(**arrays)


def percentages(low, high):
    """Percentiles of the magnitudes that are the thresholds; quantiles may be left out."""
    return [100.0 * (0.1 if low is None else low), 100.0 * (0.2 if high is None else high)]


def _lower(low):
    """As scikit-image's compiled part takes it: single precision, and never zero."""
    with np.errstate(over="ignore"):
        low = np.float32(low)
    return float(low if low != 0 else np.float32(1e-14))


def _upper(high, dtype):
    """The least number of `dtype` that NumPy finds not below it in a comparison.

    Python's numbers take the array's type, others are compared with it in double.
    """
    with np.errstate(over="ignore"):
        least = dtype.type(high)
        if isinstance(high, np.generic) and float(least) < float(high):
            least = np.nextafter(least, dtype.type(np.inf))
    return float(least)


def specializations():
    """Every specialization that `canny` can ask for, as (source, expression)."""
    for dtype, image in C_NAMES.items():
        if dtype not in ("int64", "uint64"):
            yield _SOURCE, f"canny_magnitude<{image}>"
            yield _SOURCE, f"canny_classes<{image}>"
