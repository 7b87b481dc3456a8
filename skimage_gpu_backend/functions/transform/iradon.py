"""skimage.transform.iradon: Fourier transforms are CuPy's, the rest are three or four launches."""

import functools
import math
from typing import NamedTuple

import numpy as np

from ...device import launch
from ...device.dtypes import C_NAMES, c_name
from ...device.launches import Cost
from ...devices import xp
from ...plan import Declined, Invalid, Plan
from ...primitives.arguments import integer, refuse_wrapping, truth
from ...primitives.gaussian import conversion, working
from ...scikit_image import private
from ._angles import angles_of

_SOURCE = "transform/iradon.cu"
_WAYS = {"linear": "LINEAR", "nearest": "NEAREST_NEIGHBOUR", "cubic": "CUBIC"}
_FILTERS = ("ramp", "shepp-logan", "cosine", "hamming", "hann", None)
_MOST_ROWS = 1 << 30
_FEWEST_OF_CUBIC = 4
_SETTLED = 32  # factors of the elimination, which are equal from about the 15th on


def iradon(
    radon_image,
    theta=None,
    output_size=None,
    filter_name="ramp",
    interpolation="linear",
    circle=True,
    preserve_range=True,
):
    """The plane of a sinogram by filtered back-projection: `skimage.transform.iradon`.

    3 launches, 4 for cubic interpolation, and two Fourier transforms of all projections
    together, each padded to a power of two of at least twice their length: the spectra are
    written and read in double. Cosines and sines of the angles and the filter are the host's,
    16 bytes an angle and 8 a frequency.
    """
    if radon_image.ndim != 2:
        raise Invalid("radon_image is not of two axes")
    if not radon_image.size:
        raise Declined("radon_image is empty; nothing to change")
    rows, count = radon_image.shape
    theta = angles_of(theta)
    if theta is None:
        theta = np.linspace(0, 180, count, endpoint=False)
    if len(theta) != count:
        raise Invalid("theta has another number of angles than radon_image")
    if not isinstance(interpolation, str) or interpolation not in _WAYS:
        raise Invalid("interpolation is unknown")
    if not isinstance(filter_name, str | None) or filter_name not in _FILTERS:
        raise Invalid("filter_name is unknown")
    circle, keep = truth("circle", circle), truth("preserve_range", preserve_range)
    if isinstance(output_size, bool | np.bool_):
        raise Declined("output_size is a truth value; give an integer")
    if output_size is None:
        side = rows if circle else math.floor(np.sqrt(rows**2 / 2.0))
    else:
        refuse_wrapping("output_size", output_size)
        side = integer("output_size", output_size)
    if side < 0:
        raise Invalid("output_size is negative")
    if not 0 < side <= _MOST_ROWS or rows > _MOST_ROWS:
        raise Declined("output_size is 0, or larger than any plane; give an integer, as 256")
    sizes = _sizes(rows, count, side, circle)
    if interpolation == "cubic" and sizes.inside < _FEWEST_OF_CUBIC:
        raise Invalid("radon_image has too few rows for a cubic spline; give 'linear'")
    return _planned(
        sizes,
        radon_image.dtype,
        interpolation,
        filter_name,
        keep,
        theta.dtype,
        theta.tobytes(),
    )


class _Sizes(NamedTuple):
    rows: int  # of the sinogram
    angles: int
    side: int  # of the result
    circle: bool
    inside: int  # elements of a projection
    before: int  # of those, before the sinogram's
    length: int  # elements of a line

    @property
    def frequencies(self):
        return self.length // 2 + 1


def _sizes(rows, angles, side, circle):
    inside = math.ceil(np.sqrt(2) * rows) if circle else rows
    length = max(64, int(2 ** np.ceil(np.log2(2 * inside))))
    return _Sizes(rows, angles, side, circle, inside, inside // 2 - rows // 2, length)


@functools.lru_cache(maxsize=64)
def _planned(sizes, source, interpolation, filter_name, keep, dtype, theta):
    turns = np.empty((sizes.angles, 2))
    for turn, angle in zip(turns, np.deg2rad(np.frombuffer(theta, dtype)), strict=True):
        turn[:] = np.cos(angle), np.sin(angle)  # of arrays they may be others
    run = functools.partial(
        _reconstructed, sizes, interpolation, _response(sizes.length, filter_name), turns, keep
    )
    return Plan(run, cost=_cost(sizes, source, interpolation))


def _response(length, filter_name):
    """What frequencies of real lines are multiplied with.

    The windows are no mirror images of themselves. scikit-image takes the real part of what
    they give: that of the filter's even part.
    """
    whole = private("transform.radon_transform")._get_fourier_filter(length, filter_name)[:, 0]
    places = np.arange(length // 2 + 1)
    return (whole[places] + whole[-places]) / 2


def _factors():
    factors = [0.25]
    while len(factors) < _SETTLED:
        factors.append(1 / (4 - factors[-1]))
    return np.array(factors)


def _cost(sizes, source, interpolation):
    """What each launch reads and writes, in their order."""
    real = working(source).itemsize
    lines, spectrum = sizes.angles * sizes.length, 2 * sizes.angles * sizes.frequencies
    bent = sizes.angles * sizes.inside * 8 if interpolation == "cubic" else 0
    read = sizes.rows * sizes.angles * source.itemsize + lines * real + spectrum * real
    read += 8 * (sizes.frequencies + spectrum + lines) + 16 * sizes.angles
    between = (lines + spectrum) * (real + 8) + bent
    if bent:
        read += 8 * lines + 8 * _SETTLED + bent
    written = between + sizes.side**2 * real
    return Cost(6 if bent else 5, read, written, between)


def _reconstructed(sizes, interpolation, response, turns, keep, radon_image):
    sinogram = xp.ascontiguousarray(radon_image)
    real = working(sinogram.dtype)
    here, there = c_name(sinogram.dtype), c_name(real)
    shape, counts = (sizes.angles, sizes.length), (sizes.length, sizes.inside)

    lines = xp.empty(shape, real)
    args = (sinogram, lines, sizes.rows, sizes.angles, sizes.length, sizes.before)
    args = (*args, *conversion(sinogram.dtype, keep))
    launch(_SOURCE, f"lines<{here}, {there}>", args, work=lines.size)

    spectrum = xp.ascontiguousarray(xp.fft.rfft(lines))
    product = xp.empty(spectrum.shape, "complex128")
    args = (spectrum.view(real), xp.asarray(response), product.view("float64"))
    args = (*args, product.size, sizes.frequencies)
    launch(_SOURCE, f"filtered<{there}>", args, work=product.size)
    lines = xp.ascontiguousarray(xp.fft.irfft(product, n=sizes.length))

    bent = None
    if interpolation == "cubic":
        bent = xp.empty((sizes.angles, sizes.inside))
        args = (lines, xp.asarray(_factors()), bent, sizes.angles, *counts, _SETTLED)
        launch(_SOURCE, "bend", args, work=sizes.angles, block=32)
    plane = xp.empty((sizes.side, sizes.side), real)
    args = (lines, bent, xp.asarray(turns), plane, sizes.side, sizes.angles, *counts)
    args = (*args, sizes.circle, float(np.pi), float(2 * sizes.angles))
    launch(_SOURCE, f"back_project<{_WAYS[interpolation]}, {there}>", args, work=plane.size)
    return plane


def specializations():
    """Every (source, expression) that this room launches."""
    yield _SOURCE, "bend"
    for real in ("float", "double"):
        yield _SOURCE, f"filtered<{real}>"
        for way in _WAYS.values():
            yield _SOURCE, f"back_project<{way}, {real}>"
    for dtype, name in C_NAMES.items():
        yield _SOURCE, f"lines<{name}, {c_name(working(np.dtype(dtype)))}>"
