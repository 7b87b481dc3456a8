"""skimage.filters.gabor, equal to the last bit."""

import functools
import math

import numpy as np
from skimage.filters._gabor import _sigma_prefactor

from ...device.dtypes import C_NAMES
from ...device.launches import Array, Launches
from ...plan import Declined, Invalid, Plan, Reach
from ...primitives.arguments import real
from ...primitives.correlate import correlation
from ...primitives.gaussian import working
from ...primitives.stencils import BOUNDARY, along, number, refuse_far_mirrored
from ...scikit_image import on_host

_LARGEST = 500  # pixels to one side of a kernel's centre
_LEAST = np.finfo(float).eps  # SciPy leaves out weights up to this


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

    2 launches; image read twice, results written once. scikit-image makes the weights on the
    host. One more launch makes a strided image contiguous, or single of half precision.
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
        width = _sigma_prefactor(bandwidth) / frequency
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
    steps = [
        _launch(image, result, part, mode, cval)
        for result, part in zip(results, (weights.real, weights.imag), strict=True)
    ]
    halo = [n // 2 for n in weights.shape]
    refuse_far_mirrored(mode, halo, shape)
    reach = Reach(along(halo, mode))
    return Plan(Launches(steps, results), reach)


def _launch(image, result, weights, mode, cval):
    # a convolution, as SciPy has it: the weights turned around
    weights = weights[::-1, ::-1].astype(float)
    there = np.argwhere(abs(weights) > _LEAST)
    centre = np.array(weights.shape) // 2
    return correlation(image, result, there - centre, weights[*there.T], BOUNDARY[mode], cval)


def samples():
    """Plans that together ask for every kernel of this room."""
    for dtype in C_NAMES:
        yield gabor(Array((4, 4), np.dtype(dtype)), 0.6)
