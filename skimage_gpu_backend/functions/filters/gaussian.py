"""skimage.filters.gaussian."""

import functools

import numpy as np

from ...plan import Declined, Invalid, Plan, Reach
from ...primitives.arguments import integer, is_writeable, truth
from ...primitives.gaussian import launches_of, modes_of, working
from ...primitives.stencils import (
    BOUNDARY,
    LEAST_SIGMA,
    NUMBERS,
    along,
    number,
    plain,
    radius,
    sigma_per_axis,
)

MOST_RADIUS = 1 << 20


def gaussian(
    image,
    sigma=1.0,
    *,
    mode="nearest",
    cval=0,
    preserve_range=False,
    truncate=4.0,
    channel_axis=None,
    out=None,
):
    """Gaussian filter: `skimage.filters.gaussian`, by `scipy.ndimage.gaussian_filter`.

    Two axes of radius up to 16 (``int(truncate * sigma + 0.5)``) are filtered by one
    launch, wherever they stand in the array; a larger radius takes one launch an axis. So a
    2-D image, with or without channels, takes 1 launch up to radius 16 and 2 above; a 3-D
    one takes 2 up to radius 16 and 3 above. Each launch reads its input once and writes its
    output once. Without any axis to filter, 1 launch converts or copies. One more launch
    makes a strided `image` contiguous; one more copies into an `out` that is strided or
    shares memory with the image.
    """
    if image.ndim == 0:
        raise Declined("image has no axes; nothing to change")
    sigmas = _sigmas(sigma, image.ndim, channel_axis)
    modes = _modes(mode, image.ndim, smooths=any(s > 1e-15 for s in sigmas))
    filtered = any(s > LEAST_SIGMA for s in sigmas)
    cval, truncate = (number(cval), _factor(truncate)) if filtered else (0.0, 4.0)
    dtype = working(image.dtype) if out is None else _written(out, image, filtered)
    args = truth("preserve_range", preserve_range), truncate, cval, modes, *sigmas
    return _planned(image.shape, image.dtype, dtype, *args)


# Typed: a float32 sigma gives SciPy other weights than a Python float does.
@functools.lru_cache(maxsize=256, typed=True)
def _planned(shape, source, into, preserve_range, truncate, cval, modes, *sigmas):
    reach = Reach(along(_halo(sigmas, modes, truncate), modes))
    args = preserve_range, truncate, modes_of(modes, sigmas), *sigmas
    return Plan(launches_of(shape, source, into, *args, cval=cval), reach)


def _sigmas(sigma, ndim, channel_axis):
    if not isinstance(sigma, (*NUMBERS, list, tuple, range, np.ndarray)):
        raise Declined(
            "sigma is neither a number nor a sequence of numbers; give a number, as 2.5, "
            "or one for each axis"
        )
    if channel_axis is not None:
        if isinstance(sigma, np.ndarray) and sigma.ndim == 0:
            raise Invalid("sigma is an array without axes beside a channel axis")
        channel_axis = integer("channel_axis", channel_axis)
    sigmas = sigma_per_axis(sigma, ndim, channel_axis)
    if len(sigmas) != ndim:
        raise Invalid(
            "sigma has another length than the image has axes; give one number, or one "
            "for each axis"
        )
    # scikit-image looks at one number also where no axis is left for it
    for s in [*sigmas, sigma] if isinstance(sigma, NUMBERS) else sigmas:
        if not isinstance(s, NUMBERS) or isinstance(s, np.complexfloating):
            raise Declined(
                "sigma is neither a number nor a sequence of numbers; give a number, as 2.5, "
                "or one for each axis"
            )
        if s < 0:
            raise Invalid("sigma is negative; give a number from 0 on")
    return sigmas


def _modes(mode, ndim, smooths):
    """Mode of each axis: None where it is no name. SciPy looks at it where it smooths."""
    if isinstance(mode, str):
        return (mode,) * ndim
    if not np.iterable(mode):
        raise (Invalid if smooths else Declined)(
            "mode is neither a name nor a sequence of names; give one, as 'reflect'"
        )
    modes = tuple(name if isinstance(name, str) else None for name in mode)
    if len(modes) != ndim:
        raise Invalid("mode has another length than the image has axes")
    return modes


def _factor(truncate):
    truncate = plain(truncate)
    if isinstance(truncate, np.complexfloating):  # NumPy warns, and leaves a part out
        raise Declined("truncate is complex; give a real number")
    if not isinstance(truncate, NUMBERS):
        raise Invalid("truncate is no number")
    return truncate


def _halo(sigmas, modes, truncate):
    """Radius along each axis; axes that are filtered have a mode that SciPy knows."""
    halo = [radius(s, truncate) if s > LEAST_SIGMA else 0 for s in sigmas]
    if min(halo) < 0:
        raise Invalid("truncate is negative")
    if max(halo) > MOST_RADIUS:
        raise Declined(
            f"sigma, with truncate, makes a Gaussian that reaches {max(halo)} pixels far, "
            f"and that of kernels at most {MOST_RADIUS}; give a smaller sigma"
        )
    if any(name not in BOUNDARY for s, name in zip(sigmas, modes, strict=True) if s > LEAST_SIGMA):
        raise Invalid("mode is unknown")
    return halo


def _written(out, image, filtered):
    """The dtype of `out`, which is one that the kernel writes."""
    if type(out) is not type(image):
        raise Declined("out is no array of the image's kind; give no out, and take the result")
    dtype = out.dtype
    if dtype.kind != "f" or out.shape != image.shape:
        raise Invalid("out has another shape than the image or no floating dtype")
    if dtype.itemsize not in (4, 8):
        raise (Invalid if filtered else Declined)(
            f"out has dtype {dtype}; give no out, and take the result"
        )
    if not is_writeable(out):
        raise Invalid("out is read-only")
    return dtype.newbyteorder("=")
