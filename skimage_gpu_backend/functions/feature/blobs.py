"""skimage.feature: blobs; scale space and maxima on the device, the few blobs on the host.

`blob_dog` and `blob_log`, whatever the number of scales: 2 launches for the scale space of a
plane, 3 for that of a volume, and those of `Maxima` for one axis more: 4 for a plane, 5 for a
volume. The image is read once; each array between is written once and read once.
The weights of the filters go to the device, the peaks come to the host.
"""

import functools
import math

import numpy as np
from scipy import ndimage

from ...device import c_name
from ...device.dtypes import C_NAMES
from ...device.launches import Array, Launch, Launches
from ...devices import xp
from ...plan import Declined, Invalid, Plan
from ...primitives.arguments import truth
from ...primitives.gaussian import conversion, working
from ...primitives.maxima import Maxima
from ...primitives.pruning import pruned
from ...primitives.stencils import LEAST_SIGMA, NUMBERS, radius
from ._boxes import MOST_SCALES, determinants
from ._peaks import above, borders_of, refuse_odd_values, threshold_of
from ._prescale import prescaled

_SOURCE = "feature/scales.cu"
_MOST_RADIUS = 4096
_MOST_LAYERS = 1 << 12  # of a scale space: what Python counts in little time
_MOST_TERMS = 3  # MOST_TERMS of scales.cu
_TERMS = np.dtype(
    [(name, "i4") for name in ("count", "sources", "kinds")]
    + [(name, "i4", _MOST_TERMS) for name in ("source", "kind")]
)
_SHAPE = np.dtype([(name, "i8") for name in ("scales", "outer", "length", "inner")])

# What each axis does, the first one first, as (source, kind of filter): smoothing (0) or the
# second derivative (1). The last axis adds up the terms of the Laplacian.
_LAPLACE = {
    2: (((0, 1), (0, 0)), ((0, 0), (1, 1))),
    3: (((0, 1), (0, 0)), ((0, 0), (1, 1), (1, 0)), ((0, 0), (1, 0), (2, 1))),
}
# The last axis takes the difference of two scales.
_DIFFERENCE = {
    2: (((0, 0),), ((0, 0), (0, 0))),
    3: (((0, 0),), ((0, 0),), ((0, 0), (0, 0))),
}


@prescaled
def blob_dog(
    image,
    min_sigma=1,
    max_sigma=50,
    sigma_ratio=1.6,
    threshold=0.5,
    overlap=0.5,
    *,
    threshold_rel=None,
    exclude_border=False,
    prescale="legacy",
):
    """Blobs by differences of Gaussians: `skimage.feature.blob_dog`. 2-D: 6 launches."""
    if not _is_number(sigma_ratio):
        raise Declined("sigma_ratio is not a number; give one, as 1.6")
    if not sigma_ratio > 1:
        raise Invalid("sigma_ratio is not above 1")
    listing = _listing(image, threshold, overlap, threshold_rel, exclude_border)
    ends = _ends(image, min_sigma, max_sigma)
    scales = _differences(image.shape, image.dtype, sigma_ratio, *ends)
    return _in_scales(scales, _columns(image, min_sigma, max_sigma), listing)


@prescaled
def blob_log(
    image,
    min_sigma=1,
    max_sigma=50,
    num_sigma=10,
    threshold=0.2,
    overlap=0.5,
    log_scale=False,
    *,
    threshold_rel=None,
    exclude_border=False,
    prescale="legacy",
):
    """Blobs by Laplacians of Gaussians: `skimage.feature.blob_log`. 2-D: 6 launches."""
    if not isinstance(num_sigma, int | np.integer) or num_sigma < 1:
        raise Declined("num_sigma is no positive integer; give one, as 10")
    listing = _listing(image, threshold, overlap, threshold_rel, exclude_border)
    ends = _ends(image, min_sigma, max_sigma)
    args = int(num_sigma), truth("log_scale", log_scale)
    scales = _laplacians(image.shape, image.dtype, *args, *ends)
    return _in_scales(scales, _columns(image, min_sigma, max_sigma), listing)


@prescaled
def blob_doh(
    image,
    min_sigma=1,
    max_sigma=30,
    num_sigma=10,
    threshold=0.01,
    overlap=0.5,
    log_scale=False,
    *,
    threshold_rel=None,
    prescale="legacy",
):
    """Blobs by determinants of the Hessian: `skimage.feature.blob_doh`, by Bay et al.

    7 launches, whatever the number of scales: 2 for the integral image, which reads the image
    once and writes, reads and writes the sums once (the second launch in place); 1 for all
    scales; 3 for their maxima. The peaks come to the host.
    """
    if image.ndim != 2:
        raise Invalid("image has another number of axes than two")
    if not isinstance(num_sigma, int | np.integer) or not 0 < num_sigma <= MOST_SCALES:
        raise Declined(f"num_sigma is no integer from 1 to {MOST_SCALES}; give one, as 10")
    if not _is_number(min_sigma) or not _is_number(max_sigma):
        raise Declined("min_sigma or max_sigma is not a number; give numbers, as 1 and 30")
    if any(isinstance(s, np.floating) and s.dtype != float for s in (min_sigma, max_sigma)):
        # scikit-image's compiled code takes sigmas in double alone
        raise Declined("min_sigma or max_sigma is not in double precision; give Python's numbers")
    listing = _listing(image, threshold, overlap, threshold_rel, False)
    args = int(num_sigma), truth("log_scale", log_scale), min_sigma, max_sigma
    cube, sigmas = _boxes(image.shape, image.dtype, *args)
    return Plan(lambda image: listing(cube.run(image=image), sigmas, 1))


def _is_number(value):
    """Whether it is a number that has a place among floating ones."""
    if not isinstance(value, NUMBERS) or isinstance(value, np.complexfloating | np.longdouble):
        return False
    return not isinstance(value, int) or abs(value) < 1 << 1023


def _ends(image, min_sigma, max_sigma):
    """The least and the largest sigma of each axis."""
    _refuse_images(image)
    for sigma in (min_sigma, max_sigma):
        if _is_number(sigma):
            continue
        if not isinstance(sigma, list | tuple) or not all(map(_is_number, sigma)):
            raise Declined(
                "min_sigma or max_sigma is neither a number nor a list of numbers; give a "
                "number, or one for each axis"
            )
        if len(sigma) != image.ndim:
            raise Declined(
                "sigma has another length than the image has axes; give one number, or one "
                "for each axis"
            )
    with np.errstate(all="ignore"):  # in single precision they may be infinite
        return [
            tuple(np.full(image.ndim, sigma, working(image.dtype)).tolist())
            for sigma in (min_sigma, max_sigma)
        ]


def _columns(image, min_sigma, max_sigma):
    """How many of the axes' sigmas the list has."""
    return 1 if np.isscalar(min_sigma) and np.isscalar(max_sigma) else image.ndim


def _refuse_images(image):
    if image.ndim not in (2, 3) or image.size == 0:
        raise Declined(
            "image is neither a plane nor a volume, or is empty; give one of 2 or 3 axes"
        )


def _refuse_many(count):
    if count > _MOST_LAYERS:
        raise Declined(
            "min_sigma and max_sigma are so far apart that there are more than "
            f"{_MOST_LAYERS} scales; give fewer"
        )


def _listing(image, threshold, overlap, threshold_rel, exclude_border):
    """What lists the blobs of a cube."""
    _refuse_images(image)
    for value in (threshold, threshold_rel):
        if value is not None and not _is_number(value):
            raise Declined("threshold or threshold_rel is not a number; give one, as 0.1")
    if not _is_number(overlap):
        raise Declined("overlap is not a number; give one, as 0.5")
    borders = borders_of(exclude_border, image.ndim, 1)
    return functools.partial(
        _listed,
        threshold=threshold,
        overlap=overlap,
        threshold_rel=threshold_rel,
        borders=(0, *borders),
    )


def _listed(cube, sigmas, columns, *, threshold, overlap, threshold_rel, borders):
    """What scikit-image makes of the peaks of a cube whose scales are its last axis."""
    ndim = cube.ndim - 1
    found = Maxima(cube, (3,) * cube.ndim, None, borders)
    refuse_odd_values(found)
    if found.all_equal:
        return xp.empty((0, ndim + columns))
    limit = above(cube.dtype, threshold_of(found, threshold, threshold_rel))
    places, values = found.listed(limit)
    scales, *axes = np.unravel_index(places, cube.shape)
    peaks_at = np.stack([*axes, scales], axis=1)
    peaks_at = peaks_at[np.lexsort([*peaks_at.T[::-1], -values])]  # the highest first
    if not len(peaks_at):
        return xp.empty((0, ndim + columns))
    blobs = [peaks_at[:, :-1].astype(cube.dtype), sigmas[peaks_at[:, -1]][:, :columns]]
    return xp.asarray(pruned(np.hstack(blobs), overlap, ndim))


def _in_scales(scales, columns, listing):
    """Plan of the blobs in a scale space, whose sigmas have their axes as columns."""
    launches, sigmas = scales
    return Plan(lambda image: listing(launches(image=image), sigmas, columns))


# Typed here and below: NumPy's own numbers have types that count in arithmetic.
@functools.lru_cache(maxsize=64, typed=True)
def _differences(shape, dtype, sigma_ratio, low, high):
    """Launches and sigmas of the differences of scales."""
    low, high = (np.array(end, working(dtype)) for end in (low, high))
    _refuse_sigmas(low, high)
    with np.errstate(all="ignore"):
        # as scikit-image counts them
        count = np.mean(np.log(high / low) / np.log(sigma_ratio) + 1)
        factor = float(low.dtype.type(1 / (sigma_ratio - 1)))
    if not np.isfinite(count):
        raise Invalid("the number of scales is not finite")
    count = int(count)
    if count < 1:
        raise Declined(
            "max_sigma is not above min_sigma, so that there is no scale; give a larger max_sigma"
        )
    _refuse_many(count)
    with np.errstate(all="ignore"):
        sigmas = np.array([low * (sigma_ratio**i) for i in range(count + 1)])
    return _scales(shape, dtype, sigmas, [factor] * len(sigmas), _DIFFERENCE, count)


@functools.lru_cache(maxsize=64)
def _laplacians(shape, dtype, num_sigma, log_scale, low, high):
    """Launches and sigmas of the Laplacians of scales."""
    low, high = (np.array(end, working(dtype)) for end in (low, high))
    _refuse_sigmas(low, high)
    _refuse_many(num_sigma)
    with np.errstate(all="ignore"):
        if log_scale:
            sigmas = np.logspace(np.log10(low), np.log10(high), num_sigma)
        else:
            sigmas = np.linspace(low, high, num_sigma)
        factors = [-float(np.mean(sigma) ** 2) for sigma in sigmas]
    return _scales(shape, dtype, sigmas, factors, _LAPLACE, len(sigmas))


def _refuse_sigmas(*sigmas):
    for each in sigmas:
        if not np.isfinite(each).all() or each.min() <= LEAST_SIGMA:
            raise Declined("min_sigma or max_sigma is not a positive number; give numbers above 0")


@functools.lru_cache(maxsize=64, typed=True)
def _boxes(shape, dtype, num_sigma, log_scale, min_sigma, max_sigma):
    """Plan of determinants at all scales, and the scales."""
    if log_scale:
        if not (min_sigma > 0 and max_sigma > 0):
            is_nan = min_sigma != min_sigma or max_sigma != max_sigma
            raise (Declined if is_nan else Invalid)(
                "min_sigma or max_sigma has no logarithm; give numbers above 0"
            )
        min_sigma, max_sigma = math.log(min_sigma, 10), math.log(max_sigma, 10)
    with np.errstate(all="ignore"):
        make = np.logspace if log_scale else np.linspace
        sigmas = make(min_sigma, max_sigma, num_sigma)
        fits = sigmas.min() * 3 >= 1 and sigmas.max() < 1 << 20
    if not fits:
        raise Declined(
            "min_sigma or max_sigma makes boxes of no pixel or of very many; give sigmas from 1 on"
        )
    return determinants(shape, dtype, 3 * sigmas, working(dtype)), sigmas[:, None]


def _scales(shape, dtype, sigmas, factors, axes, count):
    """Launches for the arrays of `count` scales, one behind the other, and the sigmas."""
    _refuse_sigmas(sigmas)
    if radius(sigmas.max(), 4.0) > _MOST_RADIUS:
        raise Declined(
            f"max_sigma makes a Gaussian that reaches farther than {_MOST_RADIUS} pixels; "
            "give a smaller one"
        )
    table = _table(sigmas, factors, kinds=1 + (axes is _LAPLACE))
    return _cube(shape, dtype, table, axes[len(shape)], count), sigmas


def _cube(shape, source, table, axes, count):
    """Launches that make the arrays, by what each axis does."""
    dtype, (_, scales, kinds, width) = working(source), table.shape
    here, sources, steps = Array(shape, source, "image"), 1, []
    for axis, (terms, filters) in enumerate(zip(axes, Array.of(table), strict=True)):
        last = axis == len(shape) - 1
        made = count if last else scales
        view = math.prod(shape[:axis]), shape[axis], math.prod(shape[axis + 1 :])
        sizes = np.array((made, *view), _SHAPE)[()]
        there = Array((made, *([] if last else [len(terms)]), *shape), dtype)
        jobs = _terms(terms, sources, kinds)
        if last:
            expression = f"scale_sums<{c_name(dtype)}>"
            rest = (kinds == 1, sizes, jobs)
        else:
            expression = f"scale_lines<{c_name(here.dtype)}, {c_name(dtype)}>"
            rest = (axis > 0, sizes, jobs, *conversion(here.dtype, preserve_range=False))
        arguments = (here, there, filters, width, *rest)
        steps.append(Launch(_SOURCE, expression, arguments, made * math.prod(shape)))
        here, sources = there, len(terms)
    return Launches(steps, here)


def _table(sigmas, factors, kinds):
    """For each axis and each scale the filters that scales.cu has rows of."""
    reach = radius(sigmas.max(), 4.0)
    table = np.zeros((sigmas.shape[1], len(sigmas), kinds, reach + 3))
    for k, axis in np.ndindex(sigmas.shape):
        own = radius(sigmas[k, axis], 4.0)
        impulse = np.zeros(2 * own + 1)
        impulse[own] = 1
        for kind in range(kinds):
            # SciPy's weights to the last bit are its response to an impulse
            weights = ndimage.gaussian_filter1d(
                impulse, sigmas[k, axis], order=2 * kind, mode="constant"
            )
            table[axis, k, kind, : own + 3] = (own, factors[k], *weights[own:])
    return table


def _terms(terms, sources, kinds):
    """The struct ScaleTerms of scales.cu."""
    struct = np.zeros((), _TERMS)
    struct["count"], struct["sources"], struct["kinds"] = len(terms), sources, kinds
    struct["source"][: len(terms)], struct["kind"][: len(terms)] = np.transpose(terms)
    return struct[()]


def specializations():
    """Every specialization that these functions can ask for, as (source, expression)."""
    for dtype in map(np.dtype, C_NAMES):
        yield from determinants((4, 4), dtype, [3], working(dtype)).launches.kernels
        yield from _cube((4, 4), dtype, np.zeros((2, 2, 1, 4)), _DIFFERENCE[2], 1).kernels
