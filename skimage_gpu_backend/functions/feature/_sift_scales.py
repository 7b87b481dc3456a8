"""SIFT's scale space, which stays on the device, and the extrema in it."""

import functools
import math

import numpy as np

from ...device.dtypes import c_name
from ...device.launches import Array, Launch, Launches
from ...devices import to_host, xp
from ...plan import Declined
from ...primitives.gaussian import conversion, steps_in_double
from ...primitives.stencils import radius
from ...primitives.value_range import number_range
from ..filters.gaussian import MOST_RADIUS

_SPACE, _EXTREMA = "feature/sift_scales.cu", "feature/sift_extrema.cu"
_U8, _I8, _F8 = np.dtype(np.uint64), np.dtype(np.int64), np.dtype(np.float64)
_FEW = 4096  # extrema for which there is room at first
_ODD = (
    "image has extrema of which scikit-image's arithmetic makes no finite number, or is not "
    "finite; nothing to change"
)


class Scales:
    """The scale space of a detector and an image of a shape and dtype.

    Parameters
    ----------
    numbers : Numbers
        The detector's, see `sift`.
    shape : tuple of int
    source : numpy.dtype
        Of the image.
    dtype : numpy.dtype
        Of the scale space.

    Attributes
    ----------
    octaves : int
    deltas, sigmas : numpy.ndarray
        As the attributes `deltas` and `scalespace_sigmas` of `SIFT`.
    shapes : list of tuple
        Of the octaves, scales first.
    launches : Launches
        Which make the octaves of the parameters ``image`` and ``range``.
    """

    def __init__(self, numbers, shape, source, dtype):
        self.numbers, self.shape, self.dtype = numbers, shape, dtype
        most = int(math.log2(min(shape) * numbers.upsampling / 12) + 1)
        self.octaves = min(most, numbers.n_octaves)
        self.deltas = numbers.delta_min * np.power(2, np.arange(self.octaves), dtype=dtype)
        tmp = np.power(2, np.arange(numbers.n_scales + 3) / numbers.n_scales)
        tmp *= numbers.sigma_min
        self.sigmas = self.deltas[:, np.newaxis] / self.deltas[0] * tmp[np.newaxis, :]
        var_diff = np.diff(self.sigmas * self.sigmas, axis=1)
        self._apart = np.sqrt(var_diff) / self.deltas[:, np.newaxis]
        self._first = numbers.upsampling * math.sqrt(numbers.sigma_min**2 - numbers.sigma_in**2)
        reaches = radius(max(self._first, float(self._apart.max())), 4.0)
        if reaches > MOST_RADIUS:
            raise Declined("self has a very large sigma_min; give a smaller one")
        self._scaling = conversion(source, preserve_range=False)
        self.shapes, steps = [], []
        image = self._enlarged(Array(shape, source, "image"), steps)
        arrays = []
        for octave in range(self.octaves):
            whole = Array((numbers.n_scales + 3, *image.shape), dtype)
            planes = list(whole)
            if octave:
                name = c_name(dtype)
                args = image.before, planes[0], *image.before.shape
                steps.append(Launch(_SPACE, f"halve<{name}>", args, planes[0].size))
            else:
                steps += _smoothed(image, planes[0], self._first)
            for scale, sigma in enumerate(self._apart[octave].tolist(), start=1):
                steps += _smoothed(planes[scale - 1], planes[scale], sigma)
            arrays.append(whole)
            self.shapes.append(whole.shape)
            image = _Halved(planes[numbers.n_scales])
        self.launches = Launches(steps, tuple(arrays))

    def _enlarged(self, image, steps):
        factor = self.numbers.upsampling
        if factor == 1:
            return image
        result = Array(tuple(factor * side for side in image.shape), self.dtype)
        args = image, Array((2,), _F8, "range"), result, *image.shape, factor
        expression = f"enlarge<{c_name(image.dtype)}, {c_name(self.dtype)}>"
        steps.append(Launch(_SPACE, expression, args, result.size))
        return result

    def of(self, image):
        """The octaves of an image, on the device."""
        image = xp.ascontiguousarray(image)
        arrays = {"image": image}
        if self.numbers.upsampling > 1:
            arrays["range"] = number_range(image, self._scaling)
        return self.launches(**arrays)

    def extrema(self, octaves):
        """Those that scikit-image keeps, up to the borders, in its order.

        Returns
        -------
        octave : numpy.ndarray
        keys : numpy.ndarray
            (row, column, scale) of each.
        offsets : numpy.ndarray
            How far from there the extremum is, along the same axes.
        has_any : list of bool
            Whether an octave has an extremum, kept or not.
        """
        capacity = _FEW
        while True:
            told = xp.zeros(3, _U8)
            places, offsets = xp.empty((capacity, 5), _I8), xp.empty((capacity, 3), self.dtype)
            steps = self._searches(capacity)
            for octave, step in zip(octaves, steps, strict=True):
                step(octave=octave, told=told, places=places, offsets=offsets)
            count, odd, seen = map(int, to_host(told))
            if odd:
                raise Declined(_ODD)
            if count <= capacity:
                break
            capacity = count
        places, offsets = to_host(places[:count]), to_host(offsets[:count])
        order = np.lexsort((places[:, 1], places[:, 0]))
        places = places[order]
        has_any = [bool(seen >> octave & 1) for octave in range(self.octaves)]
        return places[:, 0], places[:, 2:], offsets[order], has_any

    @functools.cache  # noqa: B019 - lives as long as what is planned
    def _searches(self, capacity):
        return [
            Launches(
                [search(shape, self.dtype, self.numbers, octave, capacity)],
                Array((3,), _U8, "told"),
            )
            for octave, shape in enumerate(self.shapes)
        ]


class _Halved:
    """Every second pixel of a plane, before there is an array of them."""

    def __init__(self, before):
        self.before = before
        self.shape = tuple((side + 1) // 2 for side in before.shape)


def _smoothed(image, result, sigma):
    """Steps that make the plane `result` of an image by a Gaussian, as SciPy rounds it."""
    steps, made = steps_in_double(image, (sigma, sigma), "reflect")
    exchanged = {made: result}
    return [
        step._replace(
            arguments=tuple(exchanged.get(a, a) if type(a) is Array else a for a in step.arguments),
            over=tuple(exchanged.get(a, a) for a in step.over),
        )
        for step in steps
    ]


def search(shape, dtype, numbers, octave, capacity):
    """The launch that looks for the extrema of an octave."""
    scales, rows, columns = shape
    args = (
        Array(shape, dtype, "octave"),
        Array((3,), _U8, "told"),
        Array((capacity, 5), _I8, "places"),
        Array((capacity, 3), dtype, "offsets"),
        *(rows, columns, scales - 3),
        numbers.c_dog * 0.8,
        *(compared(limit, dtype) for limit in (numbers.c_dog, numbers.edge)),
        *(octave, capacity),
    )
    work = max(0, (scales - 3) * (rows - 2) * (columns - 2))
    return Launch(_EXTREMA, f"extrema<{c_name(dtype)}>", args, work)


def compared(limit, dtype):
    """A number as NumPy compares an array of `dtype` with it."""
    return float(np.asarray(limit, np.result_type(np.empty(1, dtype), limit)))
