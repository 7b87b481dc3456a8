"""skimage.restoration.richardson_lucy.

Cost: 1 launch an iteration for each of the two convolutions, and the convolution: where SciPy takes
a Fourier transform, CuPy's there and back and a launch between; else, of few elements, one launch.
Of a plane and a small function, of which SciPy would take a transform, these are one launch. 2 more
make the first estimate and the transfer function, 1 the result. All is computed in double. 4 bytes
come to the host behind the last iteration: of NaN that spreads through Fourier transforms, and of
what overflows, scikit-image warns.
"""

import functools
import math

import numpy as np
from scipy import signal

from ...device import launch
from ...device.dtypes import code
from ...device.launches import Array, Cost, Launches, grid_of_tiles
from ...device.rounds import rounds
from ...devices import to_host, xp
from ...plan import Declined, Invalid, Plan
from ...primitives.arguments import is_real, truth
from ...primitives.correlate import correlation
from ...primitives.gaussian import working
from ...primitives.stencils import BOUNDARY
from ...primitives.transforms import fast_length
from ._frames import SOURCE, finished, frame, placed, refuse_image, refuse_response

_SOURCE = "restoration/richardson_lucy.cu"
_TILE = 32  # TILE in richardson_lucy.cu
# Elements of a function with which product by product is no slower than transforms in double
_MOST_OF_SMALL = 121
_PLANE = np.dtype([("ny", "i8"), ("nx", "i8"), ("height", "i4"), ("width", "i4")], align=True)


def richardson_lucy(image, psf, num_iter=50, clip=True, filter_epsilon=None):
    """Image before it was blurred: `skimage.restoration.richardson_lucy`.

    Notes
    -----
    With negative values in `image` or `psf` the iteration divides by numbers near 0 and amplifies
    rounding errors: after some iterations the result may be entirely different.
    """
    refuse_image(image)
    refuse_response("psf", psf)
    try:
        iterations = max(0, num_iter.__index__())
    except (AttributeError, TypeError):
        raise Invalid("num_iter is no integer; give one") from None
    if psf.ndim != image.ndim:
        raise (Invalid if iterations else Declined)(
            "psf has another number of axes than the image; give as many"
        )
    least = -math.inf
    if truth("filter_epsilon", filter_epsilon):
        if not is_real(filter_epsilon) or math.isnan(filter_epsilon):
            raise Declined("filter_epsilon is no number; give one, as 1e-3")
        least = float(filter_epsilon)
    dtype = working(image.dtype)
    with np.errstate(over="ignore"):
        psf = psf.astype(dtype, copy=False)
    if not (np.abs(psf) < _most(dtype)).all():
        raise Declined("psf has NaN, infinities or numbers whose squares are; give finite numbers")
    options = psf, iterations, truth("clip", clip), least
    blank = np.broadcast_to(dtype.type(0), image.shape)
    transforms = signal.choose_conv_method(blank, psf, mode="same") == "fft"
    if transforms and image.ndim == 2 and psf.size <= _MOST_OF_SMALL:
        cost = _cost_of_small(image, psf, iterations)
        return Plan(functools.partial(_run_of_small, *options), cost=cost)
    run = functools.partial(_run, *options, transforms)
    return Plan(run, cost=_cost(image, psf, iterations, transforms))


def _most(dtype):
    """From where on squares are infinite in scikit-image."""
    return math.sqrt(float(np.finfo(dtype).max))


def _outer(shape, psf):
    """Of arrays in which nothing comes around the border."""
    return tuple(fast_length(n + m - 1) for n, m in zip(shape, psf.shape, strict=True))


def _cost(image, psf, iterations, transforms):
    """At most; a transform counts as a launch or two."""
    outer = _outer(image.shape, psf) if transforms else image.shape
    numbers = 8 * math.prod(outer)
    complexes = 2 * numbers + 16 * math.prod(outer[:-1])
    of_each = 5 * numbers + 5 * complexes
    bound = 2 * iterations * (of_each + 40 * psf.size * len(outer)) + 4 * of_each + 16 * psf.size
    return Cost(12 * iterations + 8, bound, bound, 6 * (numbers + complexes) + 64 * psf.size)


def _run(psf, iterations, clip, least, transforms, image):
    image = xp.ascontiguousarray(image)
    shape, dtype = image.shape, working(image.dtype)
    outer = _outer(shape, psf) if transforms else shape
    convolved, behind = (_by_transforms if transforms else _directly)(psf, shape, outer)
    plain, moved = frame(outer, shape), frame(outer, shape, behind)
    estimate = placed(xp.full(shape, 0.5), outer, float) if transforms else xp.full(shape, 0.5)
    size, most, odd = estimate.size, _most(dtype), xp.zeros(1, "uint32")
    for _ in rounds(iterations):
        blurred = convolved(estimate, False)
        args = (blurred, image, code(image.dtype), plain, least, most, size, blurred, odd)
        launch(SOURCE, "compared", args, work=size)
        factors = convolved(blurred, True)
        args = (factors, estimate, plain, moved, most, size, estimate, odd)
        launch(SOURCE, "corrected", args, work=size)
    return _result(estimate, shape, clip, dtype, iterations and odd)


def _result(estimate, shape, clip, dtype, odd):
    """The last estimate, in `dtype`; refused where something is not finite."""
    if odd and to_host(odd)[0]:
        raise Declined(
            "image, or what becomes of it, has NaN, infinities or numbers whose squares are; give "
            "finite numbers, as numpy.nan_to_num(image), which changes the result"
        )
    return finished(estimate, shape, clip, dtype)


def _cost_of_small(image, psf, iterations):
    """Halos at most double what is read of an array."""
    numbers = 8 * image.size
    read, written = iterations * (5 * numbers + image.nbytes), 2 * iterations * numbers
    return Cost(2 * iterations + 2, read + numbers, written + 2 * numbers, 3 * numbers)


def _run_of_small(psf, iterations, clip, least, image):
    """Iterations of planes with functions of few elements."""
    image = xp.ascontiguousarray(image)
    shape, dtype = image.shape, working(image.dtype)
    most, odd = _most(dtype), xp.zeros(1, "uint32")
    psf = psf.astype(float)
    back, forth = xp.asarray(np.stack([psf, np.flip(psf)]))
    plane = np.array((*shape, *psf.shape), _PLANE)[()]
    estimate, ratios = xp.full(shape, 0.5), xp.empty(shape)
    across, down = (n + _TILE - 1 for n in reversed(psf.shape))
    size = {
        "work": image.size,
        "block": (32, 8),
        "grid": grid_of_tiles(*(-(-n // _TILE) for n in shape)),
        "shared": 8 * (across * down + psf.size),
    }
    for _ in rounds(iterations):
        args = (estimate, image, code(image.dtype), forth, plane, least, most, ratios, odd)
        launch(_SOURCE, "ratios", args, **size)
        args = (ratios, back, plane, most, estimate, estimate, odd)
        launch(_SOURCE, "corrected", args, **size)
    return _result(estimate, shape, clip, dtype, iterations and odd)


def _by_transforms(psf, shape, outer):
    """A convolution of arrays of the shape `outer`, or with the mirrored function.

    And how far behind its place the latter has its elements, along each axis.
    """
    axes = tuple(range(len(shape)))
    before = tuple((n - 1) // 2 for n in psf.shape)
    transfer = xp.ascontiguousarray(xp.fft.rfftn(placed(psf, outer, float, before), axes=axes))
    transfer *= 1 / math.prod(outer)  # which the transform back leaves out

    def convolved(array, mirrored):
        spectrum = xp.ascontiguousarray(xp.fft.rfftn(array, axes=axes))
        numbers = spectrum.view(np.float64)
        args = (numbers, transfer.view(np.float64), mirrored, spectrum.size, numbers)
        launch(SOURCE, "multiplied", args, work=spectrum.size)
        return xp.ascontiguousarray(xp.fft.irfftn(spectrum, s=outer, axes=axes, norm="forward"))

    behind = tuple(n - 1 - 2 * b for n, b in zip(psf.shape, before, strict=True))
    return convolved, behind


def _directly(psf, shape, outer):
    """The same of few elements, product by product."""
    places = np.array(list(np.ndindex(psf.shape)))
    before = (np.array(psf.shape) - 1) // 2
    array, result = Array(shape, np.dtype(float), "image"), Array(shape, np.dtype(float))
    kinds = []
    for weights in (psf, np.flip(psf)):
        step = correlation(
            array, result, before - places, weights.ravel().astype(float), BOUNDARY["constant"]
        )
        kinds.append(Launches([step], result))

    def convolved(array, mirrored):
        return kinds[mirrored](image=array)

    return convolved, (0,) * len(shape)


def specializations():
    """Every (source, expression) that this room launches."""
    for name in ("placed<double>", "multiplied", "compared", "corrected"):
        yield SOURCE, name
    for name in ("float", "double"):
        yield SOURCE, f"finished<double, {name}, false>"
    yield "filters/correlate.cu", "correlate<double, double, double>"
    for name in ("ratios", "corrected"):
        yield _SOURCE, name
