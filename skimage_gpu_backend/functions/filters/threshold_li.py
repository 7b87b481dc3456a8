"""skimage.filters.threshold_li.

Of integers the histogram tells all: scikit-image iterates on it too. Of floating images
the device sums what lies above and below the threshold, once for each iteration.
"""

import functools

import numpy as np

from ...device import c_name, launch
from ...device.rounds import rounds
from ...devices import to_host, xp
from ...plan import Declined, Plan, Sums
from ...primitives import histogram
from ...primitives.reduce import BLOCK, blocks_for, in_memory_order, scratch
from ...primitives.value_range import value_range

_SOURCE = "filters/li.cu"
_NUMBERS = (int, float, np.floating, np.integer)


def threshold_li(image, *, tolerance=None, initial_guess=None, iter_callback=None):
    """Threshold by Li's minimum cross entropy: `skimage.filters.threshold_li`.

    Integers: 1 launch for 8 bits, else 2; each reads the image once. Floating images: 2
    launches (range, mean) and one for each iteration, each of which reads the image once;
    without a tolerance one more and a sort, since then scikit-image takes half the smallest
    difference of two values.

    References
    ----------
    C.H. Li and P.K.S. Tam, "An Iterative Algorithm for Minimum Cross Entropy Thresholding",
    Pattern Recognition Letters 18 (1998).
    """
    if image.size == 0:
        raise Declined("image is empty; nothing to change")
    if image.dtype.kind == "b":
        raise Declined("image is boolean; give image.astype(numpy.uint8)")
    if image.dtype.char == "e":
        raise Declined(
            "image is float16, which is too coarse for the same steps; give "
            "image.astype(numpy.float32)"
        )
    if tolerance is not None and not isinstance(tolerance, _NUMBERS):
        raise Declined("tolerance is not a number; give one, as 0.5")
    if callable(initial_guess):
        raise Declined(
            "initial_guess is a Python function, which no kernel calls; give a number, which "
            "changes the result"
        )
    if initial_guess is not None and not isinstance(initial_guess, _NUMBERS):
        raise Declined("initial_guess is not a number; give one, or leave it out")
    run = functools.partial(_threshold, tolerance, initial_guess, iter_callback)
    if image.dtype.kind == "f":  # the order of the sums would show in the last bits
        return Plan(run)
    return Plan(run, Sums, cost=histogram.cost(image, None))


def _threshold(tolerance, initial_guess, iter_callback, image):
    if image.dtype.kind in "iu":
        bins = histogram.bins_of(image)
        pixels = Integers(bins.host_counts, bins.host_centers, image.dtype)
    else:
        pixels = _Floats(image)
    return threshold_of(pixels, tolerance, initial_guess, iter_callback)


def threshold_of(pixels, tolerance, initial_guess, iter_callback):
    """The threshold of `Integers` or floats."""
    if pixels.first is not None:
        return pixels.first
    tolerance = tolerance or pixels.default_tolerance()
    low = pixels.low
    level = pixels.mean() if initial_guess is None else _start(initial_guess, pixels)
    if iter_callback is not None:
        iter_callback(level + low)
    previous = -2 * tolerance
    for _ in rounds():
        if not abs(level - previous) > tolerance:
            break
        previous = level
        above, below = pixels.means_around(level)
        if below == 0:
            break
        level = (below - above) / (np.log(below) - np.log(above))
        if iter_callback is not None:
            iter_callback(level + low)
    return level + low


def _start(guess, pixels):
    level = guess - float(pixels.low)
    if not 0 < level < pixels.largest:
        raise ValueError(
            f"The initial guess for threshold_li must be within the range of the image. Got"
            f" {guess} for image min {pixels.low} and max {pixels.largest + pixels.low}."
        )
    return pixels.dtype.type(level)


class Integers:
    """The histogram of an image of integers, with its minimum taken off.

    Parameters
    ----------
    counts, centers : array
        Of bins, on the host.
    dtype : numpy.dtype
        Of the image.
    """

    def __init__(self, counts, centers, dtype):
        self.dtype = dtype
        seen = centers[counts > 0].astype(dtype)
        self.low = seen[0]
        self.first = self.low if len(seen) == 1 else None
        # as scikit-image does it: in the image's dtype, where large ones wrap around
        shifted = centers.astype(dtype) - self.low
        present = shifted[counts > 0].astype(np.int64)
        self.largest = self.dtype.type(present.max())
        self._centers = np.arange(present.min(), present.max() + 1)
        self._counts = np.zeros(self._centers.size, np.intp)
        self._counts[present - present.min()] = counts[counts > 0]
        self._weights = self._counts.astype(np.float32)

    def default_tolerance(self):
        return 0.5

    def mean(self):
        return np.float64(self._centers @ self._counts) / self._counts.sum()

    def means_around(self, level):
        above = self._centers > level
        return (
            np.average(self._centers[above], weights=self._weights[above]),
            np.average(self._centers[~above], weights=self._weights[~above]),
        )


class _Floats:
    """A floating image, with its minimum taken off."""

    def __init__(self, image):
        (self._image,) = in_memory_order(image)
        self.dtype = image.dtype
        self.low, high, first = to_host(value_range(self._image))
        if not (np.isfinite(self.low) and np.isfinite(high)):
            raise Declined(
                "image has NaN or infinities; give finite numbers, as numpy.nan_to_num(image), "
                "which changes the result"
            )
        self.largest = high - self.low
        self.first = first if self.low == high else None
        self._blocks = blocks_for(image)

    def default_tolerance(self):
        ordered = xp.sort(self._image.ravel())
        least = xp.empty(1, self.dtype)
        self._launch("least_gap", ordered, np.finfo(self.dtype).max, 1, least)
        return to_host(least)[0] / 2

    def mean(self):
        total, count = self._sums(-1)[:2]
        return self.dtype.type(total / count)

    def means_around(self, level):
        above, above_count, below, below_count = self._sums(level)
        with np.errstate(invalid="ignore"):
            return self.dtype.type(above / above_count), self.dtype.type(below / below_count)

    def _sums(self, level):
        sums = xp.empty(4, "float64")
        self._launch("split_sums", self._image, self.dtype.type(level), 4, sums)
        return to_host(sums)

    def _launch(self, kernel, image, number, values, result):
        partials, arrived = scratch(self._blocks, values, result.dtype)
        args = (image, image.size, self.low, number, partials, arrived, result)
        expression = f"{kernel}<{c_name(self.dtype)}>"
        launch(_SOURCE, expression, args, work=image.size, block=BLOCK, grid=(self._blocks,))


def specializations():
    """Every (source, expression) that this function launches, besides those of primitives."""
    for name in ("float32", "float64"):
        yield _SOURCE, f"split_sums<{c_name(np.dtype(name))}>"
        yield _SOURCE, f"least_gap<{c_name(np.dtype(name))}>"
