"""skimage.restoration.unsupervised_wiener: NumPy's generator draws, the device samples.

Cost: an iteration is 1 launch, for which 16 bytes a frequency come to the device, and 48 bytes to
the host, where the precisions are drawn: what numbers come next depends on them. NumPy's draws take
most of the time. Before them transforms of image, point spread function and a regularisation that
is not the default, behind them one back. All is computed in double.
"""

import functools
import math

import numpy as np

from ...device import launch
from ...device.kernels import resident_blocks
from ...device.launches import Cost
from ...device.rounds import rounds
from ...devices import to_host, xp
from ...plan import Declined, Invalid, Plan
from ...primitives.arguments import truth
from ...primitives.gaussian import working
from ._frames import finished, refuse_image
from .wiener import on_device, regularisation_of, spectrum_shape, transfer_of
from .wiener import specializations as of_wiener

_SOURCE = "restoration/gibbs.cu"
_BLOCK = 256
_MISFIT, _ROUGHNESS, _MOVED, _MAGNITUDE, _COUNT = 0, 1, 4, 5, 6  # numbers that the kernel adds up
_PARAMETERS = {"threshold": 1e-4, "max_num_iter": 200, "min_num_iter": 30, "burnin": 15}


def unsupervised_wiener(
    image, psf, reg=None, user_params=None, is_real=True, clip=True, *, rng=None
):
    """Image before it was blurred, by Gibbs sampling: `restoration.unsupervised_wiener`."""
    refuse_image(image)
    if image.ndim != 2:
        raise Declined(f"image has {image.ndim} axes; give a plane")
    is_real, clip = truth("is_real", is_real), truth("clip", clip)
    parameters = _parameters(user_params)
    shape = spectrum_shape(image.shape, is_real)
    regularisation = regularisation_of(reg, image, shape)
    transfer = transfer_of(psf, image.shape, shape, working(image.dtype))
    try:
        np.random.default_rng(rng)
    except (TypeError, ValueError):
        raise Invalid("rng is neither a generator nor a seed; give one, as 0") from None
    run = functools.partial(_run, transfer, regularisation, parameters, is_real, clip, rng)
    return Plan(run, cost=_cost(image, psf, reg, shape, parameters["max_num_iter"]))


def _parameters(user_params):
    parameters = _PARAMETERS | {"callback": None}
    if user_params is not None:
        if not isinstance(user_params, dict):
            raise Declined("user_params is no dictionary; give one, or leave it out")
        parameters |= user_params
    if parameters["callback"]:
        raise Declined("user_params has a callback, which takes samples on the host; leave it out")
    for name in ("max_num_iter", "min_num_iter", "burnin"):
        if type(parameters[name]) is not int or not 0 <= parameters[name] < 2**31:
            raise Declined(
                f"user_params has a {name} that is no integer from 0 on; give one, as 30"
            )
    if type(parameters["threshold"]) not in (int, float):
        raise Declined("user_params has a threshold that is no number of Python's; give float(...)")
    if parameters["max_num_iter"] < parameters["burnin"] + 2:
        raise Declined("user_params leaves no sample to be averaged; give a larger max_num_iter")
    return parameters


def _cost(image, psf, reg, spectrum, iterations):
    """At most; a transform counts as a launch or two."""
    numbers, complexes = 8 * image.size, 16 * math.prod(spectrum)
    given = 32 * psf.size + (32 * reg.size if reg is not None else 16 * sum(spectrum))
    once = 8 * (numbers + complexes) + given
    partials = 8 * _COUNT * 4096
    read = once + iterations * (5 * complexes + given + partials)
    return Cost(20 + 2 * iterations, read, read, once + 4 * complexes + partials)


def _run(transfer, regularisation, parameters, is_real, clip, rng, image):
    rng = np.random.default_rng(rng)
    state = rng.bit_generator.state
    try:
        return _chain(transfer, regularisation, parameters, is_real, clip, rng, image)
    except BaseException:  # whoever answers the call then draws the same numbers
        rng.bit_generator.state = state
        raise


def _chain(transfer, regularisation, parameters, is_real, clip, rng, image):
    shape, dtype = image.shape, working(image.dtype)
    forward, back = (xp.fft.rfft2, xp.fft.irfft2) if is_real else (xp.fft.fft2, xp.fft.ifft2)
    data = xp.ascontiguousarray(forward(xp.ascontiguousarray(image, np.float64), norm="ortho"))
    fixed = on_device(transfer, regularisation, shape, np.dtype(np.float64), is_real)
    total = xp.empty_like(data)
    grid = min(-(-data.size // _BLOCK), resident_blocks(_BLOCK))
    partials, arrived = xp.empty((grid, _COUNT)), xp.zeros(1, "uint32")
    sums, normals = xp.empty(_COUNT), np.empty((2, *data.shape))
    numbers = data.view(np.float64), total.view(np.float64)
    burnin, noises, priors, delta = parameters["burnin"], [1], [1], math.nan

    for iteration in rounds(parameters["max_num_iter"]):
        for part in normals:
            rng.standard_normal(out=part)
        drawn = xp.asarray(normals.astype(dtype, copy=False).astype(np.float64, copy=False))
        counted = iteration - burnin
        args = (numbers[0], *fixed, drawn, float(noises[-1]), float(priors[-1]), counted)
        args = (*args, data.shape[1], data.size, numbers[1], numbers[1], partials, arrived, sums)
        launch(_SOURCE, "gibbs_step", args, work=data.size, block=_BLOCK, grid=(grid,))
        found = to_host(sums)
        for chain, place, count in (
            (noises, _MISFIT, image.size / 2),
            (priors, _ROUGHNESS, (image.size - 1) / 2),
        ):
            chain.append(_drawn(rng, count, _norm(found[place:], data.shape, dtype)))
        if counted > 1:
            delta = float(found[_MOVED] / found[_MAGNITUDE] / counted)
        if iteration > parameters["min_num_iter"] and delta < parameters["threshold"]:
            break
    total /= counted
    result = finished(back(total, s=shape, norm="ortho"), shape, clip, dtype)
    return result, {"noise": noises, "prior": priors}


def _norm(found, shape, dtype):
    """As uft.image_quad_norm of a spectrum of `shape`, of which half may be left out."""
    return dtype.type(found[0] if shape[0] == shape[1] else 2 * found[0] - found[2])


def _drawn(rng, count, norm):
    if not (math.isfinite(norm) and norm > 0):
        raise Declined(
            "image, psf or reg gives a sample whose norm is 0, infinite or NaN; give finite numbers"
        )
    return rng.gamma(count, 2 / norm)


def specializations():
    """Every (source, expression) that this room launches."""
    yield _SOURCE, "gibbs_step"
    yield from of_wiener()
    for name in ("true", "false"):
        yield "restoration/deconvolution.cu", f"finished<double, float, {name}>"
