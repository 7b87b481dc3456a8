"""Corner responses of 2-D images that come from slopes: Harris' and his kin's, Kitchen's.

Budget of Harris', Shi and Tomasi's and Foerstner's: 1 launch for a Gaussian's radius up to 16
(``int(4 * sigma + 0.5)``); the image is read once, each result written once. Above: the
launches of `structure_tensor` and 1, which reads the tensor.
"""

import cupy as cp
import numpy as np

from ..device import c_name, launch
from ..device.dtypes import C_NAMES
from ..primitives.gaussian import fits, working
from ..primitives.stencils import BOUNDARY, sigma_per_axis
from ._structure_tensor import launch_tensors, structure_tensor

_SOURCE = "feature/corner_response.cu"
_SLOPES = "feature/kitchen_rosenfeld.cu"
# ResponseKind in corner_response.cu
HARRIS, NOBLE, SHI_TOMASI, FOERSTNER = range(4)
_RESPONSE = np.dtype([("parameter", "f8"), ("kind", "i4")], align=True)


def corner_harris(image, method="k", k=0.05, eps=1e-6, sigma=1):
    """Harris' corner measure, or Noble's: `skimage.feature.corner_harris`. 1 launch."""
    kind, parameter = (HARRIS, k) if method == "k" else (NOBLE, eps)
    return _response(image, sigma, kind, parameter)[0]


def corner_shi_tomasi(image, sigma=1):
    """The tensor's smaller eigenvalue: `skimage.feature.corner_shi_tomasi`. 1 launch."""
    return _response(image, sigma, SHI_TOMASI)[0]


def corner_foerstner(image, sigma=1):
    """Size and roundness of the error ellipse: `skimage.feature.corner_foerstner`. 1 launch."""
    return tuple(_response(image, sigma, FOERSTNER))


def corner_kitchen_rosenfeld(image, mode="constant", cval=0):
    """Curvature of isophotes times the slope: `skimage.feature.corner_kitchen_rosenfeld`.

    1 launch; image read once, result written once.
    """
    image = cp.ascontiguousarray(image)
    result = cp.empty(image.shape, working(image.dtype))
    tiles = -(-image.shape[0] // 16) * -(-image.shape[1] // 64)
    args = (image, result, *image.shape, np.int32(BOUNDARY[mode]))
    expression = f"kitchen_rosenfeld<{c_name(image.dtype)}>"
    launch(_SLOPES, expression, args, work=tiles * 256, block=(32, 8))
    return result


def _response(image, sigma, kind, parameter=0.0):
    dtype = working(image.dtype)
    result = cp.empty(image.shape, dtype)
    second = cp.empty(image.shape if kind == FOERSTNER else 1, dtype)
    response = np.array((float(parameter), kind), _RESPONSE)[()]
    sigmas = sigma_per_axis(sigma, 2, None)
    if fits(sigmas):
        arrays = (result, second)
        launch_tensors(_SOURCE, "corner_response", image, arrays, sigmas, "constant", response)
    else:
        elements = structure_tensor(image, sigmas)
        args = (*elements, result, second, image.size, response)
        launch(_SOURCE, f"respond<{c_name(dtype)}>", args, work=image.size)
    return result, second


def specializations():
    """Every specialization that these ops can ask for, as (source, expression)."""
    for image in C_NAMES.values():
        yield _SOURCE, f"corner_response<{image}>"
        yield _SLOPES, f"kitchen_rosenfeld<{image}>"
    for dtype in ("float", "double"):
        yield _SOURCE, f"respond<{dtype}>"
