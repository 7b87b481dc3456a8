"""skimage.segmentation.inverse_gaussian_gradient, equal to the last bit."""

import functools
import math

import numpy as np

from ...device.dtypes import c_name
from ...device.launches import Array, Launch, Launches
from ...plan import Declined, Invalid, Plan, Reach
from ...primitives.arguments import is_real, refuse_wider
from ...primitives.gaussian import weight_of
from ...primitives.hessian_lines import LINE_RADIUS, line_pitch, taps_of
from ...primitives.stencils import LEAST_SIGMA, radius, sigma_per_axis

MOST_AXES = 8
_SOURCE = "segmentation/gaussian_gradient.cu"
_BLOCK = 256
_TRUNCATE = 4.0  # SciPy's


def inverse_gaussian_gradient(image, alpha=100.0, sigma=5.0):
    """Small where an image changes: `segmentation.inverse_gaussian_gradient`.

    1 launch an axis. The image is read once, the result written once; between axes an array more
    than there are axes before is written and read: of planes two, of volumes two and three.
    """
    axes = image.ndim
    if image.dtype.char == "e":  # SciPy filters none, but by a sigma of 0
        raise Declined("image is float16; give image.astype(numpy.float32)")
    if image.dtype.kind != "f":
        raise Declined(
            "image is boolean or of integers, whose derivatives overflow; give "
            "skimage.util.img_as_float(image), which changes the result"
        )
    if not axes or image.size == 0 or axes > MOST_AXES:
        raise Declined(f"image has no elements, or not 1 to {MOST_AXES} axes; give a plane")
    refuse_wider("alpha", alpha, image.dtype)
    with np.errstate(over="ignore"):
        if not np.isfinite(image.dtype.type(alpha)):
            raise Declined("alpha is not finite in the image's dtype; give a number, as 100.0")
    if not (is_real(sigma) or isinstance(sigma, list | tuple | np.ndarray)):
        raise Declined("sigma is no number, and no list of them; give a number, as 5.0")
    sigmas = sigma_per_axis(sigma, axes, None)
    if len(sigmas) != axes:
        raise Invalid("sigma has another length than the image has axes; give one number")
    if any(isinstance(each, np.unsignedinteger | np.bool_) for each in sigmas):
        raise Declined("sigma is of unsigned integers or booleans; give floats, as 5.0")
    if not all(is_real(each) and each > LEAST_SIGMA for each in sigmas):
        raise Declined("sigma is not of positive numbers, as derivatives need; give such as 5.0")
    if max(radius(each, _TRUNCATE) for each in sigmas) > LINE_RADIUS:
        raise Declined(f"sigma is beyond {LINE_RADIUS / _TRUNCATE:g}; give a smaller one, as 5.0")
    return _planned(image.shape, image.dtype, float(alpha), *sigmas)


# Typed: a float32 sigma gives SciPy other weights than a Python float does.
@functools.lru_cache(maxsize=256, typed=True)
def _planned(shape, dtype, alpha, *sigmas):
    source, result, steps = Array(shape, dtype, "image"), Array(shape, dtype), []
    for axis, sigma in enumerate(sigmas):
        is_last = axis == len(shape) - 1
        made = result if is_last else Array((axis + 2, *shape), dtype)
        outer, inner = math.prod(shape[:axis]), math.prod(shape[axis + 1 :])
        taps = taps_of(*_weights(sigma), weight_of(dtype))
        lines, width, shared = _tile(int(taps["radius"]), axis + 2 - is_last)
        groups, members = (1, outer) if inner == 1 else (outer, inner)
        tiles = groups * -(-members // lines) * -(-shape[axis] // width)
        kernel = "inverse_gradient" if is_last else "gradient_lines"
        counts = np.int32(lines), np.int32(width), np.int32(axis)
        arguments = (source, made, outer, shape[axis], inner, *counts, taps)
        if is_last:
            arguments += (alpha,)
        expression = f"{kernel}<{c_name(dtype)}>"
        steps.append(Launch(_SOURCE, expression, arguments, tiles * _BLOCK, _BLOCK, shared))
        source = made
    halo = tuple(radius(each, _TRUNCATE) for each in sigmas)
    return Plan(Launches(steps, result), Reach(halo, arrays=2 * len(shape) + 1))


def _weights(sigma):
    """Weights of smoothing and slope from far to near, as SciPy's _gaussian_kernel1d has them."""
    reach = radius(sigma, _TRUNCATE)
    variance = sigma * sigma
    places = np.arange(-reach, reach + 1)
    smooth = np.exp(-0.5 / variance * places**2)
    smooth = smooth / smooth.sum()
    slope = places * (1.0 / -float(variance)) * smooth
    return smooth[: reach + 1], slope[: reach + 1]


@functools.cache
def _tile(reach, jobs):
    """Lines and width of a tile, and its bytes of shared memory, 48 kB at most."""
    for lines, width in ((8, 128), (8, 64), (8, 32), (4, 32)):
        size = 8 * lines * (line_pitch(width, 2 * reach) + jobs * width)
        if size <= 48 * 1024:
            break
    return lines, width, size


def samples():
    """Plans that together ask for every kernel of this room."""
    for name in ("float32", "float64"):
        yield inverse_gaussian_gradient(Array((4, 4), np.dtype(name)))
