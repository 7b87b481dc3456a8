"""Images made twice as large and smoothed, in one launch."""

import math

import numpy as np

from ...device.dtypes import c_name
from ...device.launches import MOST_BLOCKS, Array, Launch, Launches
from ...primitives.gaussian import pair_taps, weight_of
from ...primitives.stencils import LEAST_SIGMA, radius
from ._resampling import TRUNCATE

_SOURCE = "transform/expand.cu"
_REACH, _PITCH = 3, 128  # REACH and PITCH there
_BLOCK = 64, 4
_MOST_CHANNELS = 8  # with more the halo is more than half of a tile
_MOST_ELEMENTS = 1 << 29
_ENOUGH = 400  # tiles: some for each multiprocessor
_EXPANSION = np.dtype([(name, "i4") for name in ("rows", "columns", "inner", "height", "width")])


def doubled(image, made, sampling, sigmas) -> Launches | None:
    """The image brought to the shape `made`, mirrored, and smoothed; None where two launches do it.

    One does it for two axes beside each other that become twice as long, with Gaussians that reach
    3 elements, and up to 8 elements behind them.

    Parameters
    ----------
    image : Array
        That of the parameter ``image``.
    made : tuple of int
    sampling : Sampling
        Of order 1 and mode "reflect".
    sigmas : sequence of float
        One for each axis.
    """
    shape, into = image.shape, sampling.dtype
    axes = [axis for axis, sigma in enumerate(sigmas) if sigma > LEAST_SIGMA]
    if len(axes) != 2 or {radius(sigmas[axis], TRUNCATE) for axis in axes} != {_REACH}:
        return None
    a, b = axes
    rows, columns, inner = shape[a], shape[b], math.prod(shape[b + 1 :])
    if b != a + 1 or made != (*shape[:a], 2 * rows, 2 * columns, *shape[b + 1 :]):
        return None
    if min(rows, columns) < 2 or inner > _MOST_CHANNELS or rows * columns * inner >= _MOST_ELEMENTS:
        return None
    width, outer = _PITCH // 2 // inner - _REACH, math.prod(shape[:a])
    across = -(-columns // width)
    # of floats, which some cards make without double, more tiles fit beside each other
    for height in (20, 10, 5) if into.itemsize == 8 else (10, 5):
        down = -(-rows // height)
        if outer * down * across >= _ENOUGH:
            break
    if max(outer, down) > MOST_BLOCKS:
        return None
    result = Array(made, into)
    expansion = np.array((rows, columns, inner, height, width), _EXPANSION)
    taps = pair_taps(sigmas[a], sigmas[b], TRUNCATE, weight_of(into), most=(_REACH, _REACH))
    args = image, result, expansion[()], *sampling.scaling, taps
    size = {
        "work": result.size,
        "block": _BLOCK,
        "shared": (2 * (height + _REACH) * _PITCH + 16) * 8,  # 16: LANES in tile.cuh
        "grid": (across, down, outer),
    }
    expression = f"expand<{c_name(image.dtype)}, {c_name(into)}>"
    return Launches([Launch(_SOURCE, expression, args, **size)], result)
