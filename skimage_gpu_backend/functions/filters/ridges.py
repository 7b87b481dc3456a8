"""skimage.filters: meijering, sato, frangi and hessian, ridges by the eigenvalues of the Hessian.

Cost of every function here, for each scale of a 2-D image: 2 launches. The first reads the
image and writes three arrays of derivatives down the columns; the second reads these, makes
eigenvalues and filter, and reads and writes the running maximum. Derivatives of a large
Gaussian need more of an image around each element than fits on the chip in two axes at once: so
the arrays between, in double also for float32, since slopes are small beside what they are
slopes of; planes of 8 bits have whole numbers of 8 bytes where cards are slow in double, but in
frangi and hessian, which divide by what may be nearly zero. A 3-D image takes 3 launches a scale,
and six arrays between the last two. Where the largest value of a whole scale takes part
(meijering: of each scale; frangi without gamma: of the first one) there is 1 more array beside the
maximum, and 1 more launch in all. Of floating images 4 bytes come to the host, since the Gaussians
of SciPy carry NaN and infinities farther than weights that count; of 8 bits in meijering, since
whole numbers may leave open which of two values is the larger one: then all is done again in
double.
"""

import functools
import math

import numpy as np

from ...device import c_name
from ...device.dtypes import C_NAMES
from ...device.launches import Array, Launch, Launches
from ...devices import to_host
from ...plan import Declined, Invalid, Plan, Reach, warned
from ...primitives.arguments import is_real, truth
from ...primitives.gaussian import working
from ...primitives.hessian_lines import (
    AXES,
    HELD,
    NOT_FINITE,
    SOURCE,
    halo_of,
    is_held,
    line_step,
    line_taps,
    refuse_lines,
    steps_of,
    truncation,
)
from ...primitives.stencils import BOUNDARY, along
from ...scikit_image import version

_LAST_BITS = (
    "image is not finite, or rounding decides which zeros of the result become ones; give finite "
    "numbers, as numpy.nan_to_num(image), which changes the result"
)
_OF_SCALES = (
    "Use keyword parameter `sigmas` instead of `scale_range` and "
    "`scale_range` which will be removed in version 0.17."
)
_MOST_SCALES = 1000

# RidgeKind and the flags of Ridge::order in ridge_formulas.cuh
MEIJERING, SATO, FRANGI, FRANGI_BUT_GAMMA = range(4)
_FIRST, _LAST = 1, 2
_RIDGE = np.dtype(
    [(name, "f8") for name in ("alpha", "scale", "plates", "blobs", "structure")]
    + [(name, "i4") for name in ("kind", "order", "fills", "gamma_is_half_peak")],
    align=True,
)
_DOUBLE = np.dtype(np.float64)
_DIVISORS = ("alpha", "beta", "gamma")


def meijering(image, sigmas=range(1, 10, 2), alpha=None, black_ridges=True, mode="reflect", cval=0):
    """Neuriteness: `skimage.filters.meijering`. 2-D: 2 launches a scale and 1.

    Notes
    -----
    Where two curvatures have equal size and opposite signs, as at a saddle, rounding decides which
    one is the larger, and results may differ.
    """
    if image.ndim not in (2, 3):
        raise Declined(f"image has {image.ndim} axes; give one of 2 or 3 axes")
    if alpha is not None and not _is_number(alpha):
        raise Declined("alpha is no number; give a number, as 2.5")
    alpha = alpha_of(image.ndim) if alpha is None else float(alpha)
    parameters = (("alpha", alpha),)
    return _ridges(image, sigmas, MEIJERING, black_ridges, mode, cval, parameters)


def alpha_of(ndim):
    """The alpha of `meijering` where none is given: before scikit-image 0.27 of the other sign."""
    return (-1 if version() >= (0, 27) else 1) / (ndim + 1)


def sato(image, sigmas=range(1, 10, 2), black_ridges=True, mode="reflect", cval=0):
    """Tubeness: `skimage.filters.sato`. 2-D: 2 launches a scale.

    NumPy sigmas of double precision make a float32 result double: 1 launch more.
    """
    return _ridges(image, sigmas, SATO, black_ridges, mode, cval)


def frangi(
    image,
    sigmas=range(1, 10, 2),
    scale_range=None,
    scale_step=None,
    alpha=0.5,
    beta=0.5,
    gamma=None,
    black_ridges=True,
    mode="reflect",
    cval=0,
):
    """Vesselness: `skimage.filters.frangi`. 2-D: 2 launches a scale, without gamma and 1."""
    parameters, scales = _vesselness(image, alpha, beta, gamma), _scales(scale_range, scale_step)
    plan = _ridges(image, scales or sigmas, FRANGI, black_ridges, mode, cval, parameters)
    return warned(plan, _OF_SCALES) if scales else plan


def hessian(
    image,
    sigmas=range(1, 10, 2),
    scale_range=None,
    scale_step=None,
    alpha=0.5,
    beta=0.5,
    gamma=15,
    black_ridges=True,
    mode="reflect",
    cval=0,
):
    """Hybrid Hessian filter: `skimage.filters.hessian`. 2-D: 2 launches a scale.

    Zeros become ones; 4 bytes that come to the host tell whether rounding decides somewhere
    what is zero. scikit-image then does the work.
    """
    parameters, scales = _vesselness(image, alpha, beta, gamma), _scales(scale_range, scale_step)
    parameters = (*parameters, ("fills", True))
    plan = _ridges(image, scales or sigmas, FRANGI, black_ridges, mode, cval, parameters)
    if gamma is None:
        raise Declined(
            "gamma is None, with which rounding decides which zeros become ones; give a "
            "number, as 15"
        )
    if image.dtype.kind == "f" and image.dtype.itemsize < 8:
        raise Declined(
            "image is in single precision, where rounding decides which zeros become "
            "ones; give image.astype(float)"
        )
    return warned(plan, _OF_SCALES) if scales else plan


def _scales(scale_range, scale_step):
    """Sigmas of the two deprecated parameters; none if one of them is None."""
    if scale_range is None or scale_step is None:
        return ()
    pair = isinstance(scale_range, list | tuple) and len(scale_range) == 2
    if not pair or not all(map(_is_number, (*scale_range, scale_step))) or not scale_step > 0:
        raise Declined("scale_range is no pair of numbers, or scale_step not above 0; give sigmas")
    first, end = scale_range
    if not 0 < float(end) - float(first) <= _MOST_SCALES * float(scale_step):
        raise Declined(f"scale_range has no scale, or more than {_MOST_SCALES}; give sigmas")
    return tuple(np.arange(first, end, scale_step))


def _vesselness(image, alpha, beta, gamma):
    """What the struct Ridge has of Frangi's parameters."""
    given = dict(zip(_DIVISORS, (alpha, beta, gamma), strict=True))
    if gamma is None:
        del given["gamma"]
    if not all(map(_is_number, given.values())):
        raise Declined("alpha, beta or gamma is no number; give a number, as 2.5")
    if any(isinstance(value, np.integer) and abs(int(value)) >= 2**31 for value in given.values()):
        raise Declined(
            "alpha, beta or gamma is a NumPy integer whose square wraps around; give a float"
        )
    given = {name: float(value) for name, value in given.items()}
    for name, value in given.items():
        if not 1e-150 <= abs(value) <= 1e150:  # else the square that is divided by is 0 or infinite
            raise Declined(f"{name} is {value:g}; give a number from 1e-150 to 1e150")
    plates, blobs, structure = (2 * given.get(name, 0.0) ** 2 for name in _DIVISORS)
    divisors = ("plates", plates), ("blobs", blobs), ("structure", structure)
    return (*divisors, ("gamma_is_half_peak", gamma is None))


def _is_number(value):
    return is_real(value) and not math.isnan(value)


def _ridges(image, sigmas, kind, black_ridges, mode, cval, parameters=()):
    several = sigmas.ndim if isinstance(sigmas, np.ndarray) else True
    if not isinstance(sigmas, list | tuple | range | np.ndarray) or not (several and len(sigmas)):
        raise Declined("sigmas is no sequence of numbers; give one, as range(1, 10, 2)")
    if image.ndim not in (2, 3) or image.size == 0:
        raise Invalid("image is empty or has other than 2 or 3 axes; give one of 2 or 3 axes")
    sigmas = tuple(sigmas)
    refuse_lines(sigmas, mode, cval)
    into = working(image.dtype)
    if kind == SATO:
        types = [sigma.dtype for sigma in sigmas if isinstance(sigma, np.generic)]
        into = np.result_type(into, *types)
        if into.itemsize > 8:
            raise Declined(
                f"sigmas are of a type that makes the result {into}; give Python's numbers"
            )
    black_ridges = truth("black_ridges", black_ridges)
    return _planned(image.shape, image.dtype, into, kind, black_ridges, mode, parameters, *sigmas)


def scales(kind, image, sigmas, black_ridges, mode, alpha=0.0):
    """Arrays on the device, one for each scale, of what the largest of the whole image is asked.

    Parameters
    ----------
    kind : int
        MEIJERING: values before they are normalized; FRANGI: norms of eigenvalues.
    image : cupy.ndarray
    sigmas, black_ridges, mode, alpha
        Of a call that has been planned.
    """
    options = {"alpha": alpha, "plates": 1.0, "blobs": 1.0, "gamma_is_half_peak": kind == FRANGI}
    dtype = working(image.dtype)
    refused = NOT_FINITE if image.dtype.kind == "f" else None
    call = image.shape, image.dtype, kind, black_ridges, mode, options
    for sigma in sigmas:
        launches = _launches(*call, (sigma,), folded=False, in_double=True)
        yield _filtered(launches, refused, None, dtype, image)


def reach_of(image, mode, sigmas):
    """What of an image an element depends on, where no largest value takes part."""
    return _reach(image.ndim, working(image.dtype), mode, sigmas)


# Typed: a float32 sigma gives SciPy other weights than a Python float does.
@functools.lru_cache(maxsize=256, typed=True)
def _planned(shape, source, into, kind, black_ridges, mode, parameters, *sigmas):
    options = dict(parameters)
    launches = _launches(shape, source, kind, black_ridges, mode, options, sigmas)
    dtype, cost = working(source), launches.cost
    if into != dtype:
        result = launches.result[0]
        written = result.size * into.itemsize
        cost = cost._replace(
            launches=cost.launches + 1,
            read=cost.read + result.nbytes,
            written=cost.written + written,
            between=cost.between + result.nbytes,
        )
    fills = options.get("fills", False)
    refused = again = None
    if fills or source.kind == "f":
        refused = _LAST_BITS if fills else NOT_FINITE
    elif kind == MEIJERING and is_held(source, len(shape)):
        arguments = shape, source, kind, black_ridges, mode, options, sigmas
        again = functools.partial(_launches, *arguments, in_double=True)
    run = functools.partial(_filtered, launches, refused, again, into)
    # the largest value of a whole scale takes part
    whole = kind == MEIJERING or options.get("gamma_is_half_peak", False)
    reach = None if whole else _reach(len(shape), dtype, mode, sigmas)
    return Plan(run, reach, launches=launches, cost=cost)


def _filtered(launches, refused, again, into, image):
    """Where something was odd, `again` makes launches that do it again, or scikit-image does it."""
    result, odd = launches(image=image)
    if (refused or again) and to_host(odd)[0]:
        if refused:
            raise Declined(refused)
        result, _ = again()(image=image)
    return result.astype(into, copy=False)


def _reach(ndim, dtype, mode, sigmas):
    widest = max(halo for sigma in sigmas for halo in halo_of([sigma]))
    between = 3 if ndim == 2 else 9  # in double
    halo = along([widest] * ndim, mode)
    return Reach(halo, arrays=2 + between * (8 // dtype.itemsize))


def _launches(
    shape, source, kind, black_ridges, mode, options, sigmas, *, folded=True, in_double=False
):
    """Launches that make the result, and a flag: whether something was odd.

    Where it is not folded, in place of the result what is beside it. In double: on every card.
    """
    dtype, mode = working(source), BOUNDARY[mode]
    half_peak = options.get("gamma_is_half_peak", False)
    image, result = Array(shape, source, "image"), Array(shape, dtype)
    beside, unused = Array(shape, dtype), Array((1,), dtype)
    odd = Array((1,), np.dtype(np.uint32), zero=True)
    peaks = list(Array((len(sigmas), 1), np.dtype(np.uint64), zero=True))
    *before, last = AXES["rc", len(shape)]
    stacks = [Array((int(jobs["count"]), *shape), _DOUBLE) for jobs in before]
    scaling = (1.0 if black_ridges else -1.0, -math.inf)
    held = HELD if not in_double and kind != FRANGI and is_held(source, len(shape)) else None
    types = f"{c_name(dtype)}, {int(last['count'])}" + (f", {held}" if held else "")
    of_bytes = held and kind == SATO
    kernel = "sato_lines" if of_bytes else f"ridge_lines<{types}>"
    steps = []
    for k, sigma in enumerate(sigmas):
        is_first, is_last = k == 0, k == len(sigmas) - 1
        folds = is_first and half_peak
        struct = np.zeros((), _RIDGE)
        for name, value in options.items():
            struct[name] = value
        struct["kind"] = FRANGI_BUT_GAMMA if folds else kind
        struct["scale"] = sigma**2
        struct["order"] = _FIRST * is_first + _LAST * is_last
        ridge = struct[()]

        taps = line_taps(sigma, truncation([sigma]))
        weights = [taps] * len(before)
        derived = steps_of(image, scaling, before, stacks, weights, mode, odd, held)
        # the peak that counts: of the scale before, or of the first one
        known = k - 1 if kind == MEIJERING and k else 0
        here = beside if folds or kind == MEIJERING else unused
        if of_bytes:
            arrays, after = (stacks[-1], result), (struct["scale"], np.int32(is_first))
        else:
            arrays, after = (stacks[-1], result, here, odd, peaks[k], peaks[known]), (ridge,)
        filtered = line_step(shape, mode, kernel, len(shape) - 1, arrays, (), last, taps, after)
        if not is_first:  # what the scale before has written, of which the maximum is read, too
            derived = [
                step._replace(over=(stack,)) for step, stack in zip(derived, stacks, strict=True)
            ]
            filtered = filtered._replace(over=(result, here))
        steps += [*derived, filtered]
        if folded and (folds or (kind == MEIJERING and is_last)):
            arguments = (result, beside, peaks[k], image.size, ridge)
            fold = f"ridge_fold<{c_name(dtype)}>"
            steps.append(Launch(SOURCE, fold, arguments, image.size, over=(result,)))
    return Launches(steps, (result if folded else beside, odd))


def samples():
    """Plans that together ask for every kernel of this room."""
    for name in C_NAMES:
        for shape in ((4, 4), (4, 4, 4)):
            yield meijering(Array(shape, np.dtype(name)), [1])
    yield sato(Array((4, 4), np.dtype(np.uint8)), [1])
