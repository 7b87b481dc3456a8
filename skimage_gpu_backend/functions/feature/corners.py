"""skimage.feature: corner responses of planes, by the structure tensor or by slopes.

Cost of Harris', Shi and Tomasi's and Foerstner's: 1 launch for a Gaussian's radius up to 16
(``int(4 * sigma + 0.5)``); the image is read once, each result written once. Above: the
launches of `structure_tensor` and 1, which reads the tensor.
"""

import functools

import numpy as np

from ...device import c_name
from ...device.dtypes import C_NAMES
from ...device.launches import Array, Launch, Launches
from ...plan import Declined, Plan
from ...primitives.arguments import refuse_wider
from ...primitives.gaussian import fits, working
from ...primitives.stencils import BOUNDARY, refuse_constants, sigma_per_axis
from ._derivatives import smoothed
from ._tensor import tensor_step
from .structure_tensor import structure_tensor

_SOURCE = "feature/corner_response.cu"
_SLOPES = "feature/kitchen_rosenfeld.cu"
# ResponseKind in corner_response.cu
HARRIS, NOBLE, SHI_TOMASI, FOERSTNER = range(4)
_RESPONSE = np.dtype([("parameter", "f8"), ("kind", "i4")], align=True)


def corner_harris(image, method="k", k=0.05, eps=1e-6, sigma=1):
    """Harris' corner measure, or Noble's: `skimage.feature.corner_harris`. 1 launch."""
    tensor = _tensor(image, sigma)
    if not isinstance(method, str):
        raise Declined("method is not a text; give method='k' or method='eps'")
    kind, name, parameter = (HARRIS, "k", k) if method == "k" else (NOBLE, "eps", eps)
    refuse_wider(name, parameter, image.dtype)
    return _response(image, sigma, tensor, kind, float(parameter))


def corner_shi_tomasi(image, sigma=1):
    """The tensor's smaller eigenvalue: `skimage.feature.corner_shi_tomasi`. 1 launch."""
    return _response(image, sigma, _tensor(image, sigma), SHI_TOMASI)


def corner_foerstner(image, sigma=1):
    """Size and roundness of the error ellipse: `skimage.feature.corner_foerstner`. 1 launch."""
    return _response(image, sigma, _tensor(image, sigma), FOERSTNER)


def corner_kitchen_rosenfeld(image, mode="constant", cval=0):
    """Curvature of isophotes times the slope: `skimage.feature.corner_kitchen_rosenfeld`.

    1 launch; image read once, result written once.
    """
    _refuse_but_planes(image)
    refuse_constants(mode, cval)
    return _of_slopes(image.shape, image.dtype, mode)


def _refuse_but_planes(image):
    if image.ndim != 2 or 0 in image.shape:
        raise Declined("image is empty or not 2-D; give a plane, as image[0]")


def _tensor(image, sigma):
    """Plan of the structure tensor, which refuses what it does not take."""
    _refuse_but_planes(image)
    return structure_tensor(image, sigma)


def _response(image, sigma, tensor, kind, parameter=0.0):
    sigmas = sigma_per_axis(sigma, 2, None)
    return _of_tensor(image.shape, image.dtype, tensor.launches, kind, parameter, *sigmas)


# Typed: a float32 sigma gives SciPy other weights than a Python float does.
@functools.lru_cache(maxsize=256, typed=True)
def _of_tensor(shape, dtype, tensor, kind, parameter, *sigmas):
    image, made = Array(shape, dtype, "image"), working(dtype)
    result, second = Array(shape, made), Array(shape if kind == FOERSTNER else (1,), made)
    response = np.array((parameter, kind), _RESPONSE)[()]
    if fits(sigmas):
        arrays = result, second
        steps = [
            tensor_step(_SOURCE, "corner_response", image, arrays, sigmas, "constant", response)
        ]
    else:
        arguments = (*tensor.result, result, second, image.size, response)
        steps = [*tensor.steps, Launch(_SOURCE, f"respond<{c_name(made)}>", arguments, image.size)]
    launches = Launches(steps, (result, second) if kind == FOERSTNER else result)
    return Plan(launches, smoothed(shape, sigmas, 1, arrays=8))


@functools.lru_cache(maxsize=256)
def _of_slopes(shape, dtype, mode):
    image, result = Array(shape, dtype, "image"), Array(shape, working(dtype))
    tiles = -(-shape[0] // 16) * -(-shape[1] // 64)
    arguments = (image, result, *shape, np.int32(BOUNDARY[mode]))
    expression = f"kitchen_rosenfeld<{c_name(dtype)}>"
    step = Launch(_SLOPES, expression, arguments, tiles * 256, (32, 8))
    return Plan(Launches([step], result), smoothed(shape, (0, 0), 2, mode, arrays=1))


def samples():
    """Plans that together ask for every kernel of this room."""
    for dtype in map(np.dtype, C_NAMES):
        image = Array((4, 4), dtype)
        yield from (corner_kitchen_rosenfeld(image), corner_harris(image))
        yield corner_harris(image, sigma=6)
