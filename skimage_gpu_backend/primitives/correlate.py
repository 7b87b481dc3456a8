"""Correlation with any weights, product by product in the order of the weights."""

import numpy as np

from ..device.dtypes import c_name
from ..device.launches import Array, Launch
from .gaussian import DOUBLE, WEIGHT, split
from .stencils import MOST_AXES

_RUN, _APART = 4, 32  # RUN and APART in correlate.cu
_MANY = 1 << 19  # elements from which so many a thread leave enough threads
_AXES = [(name, "i8", MOST_AXES) for name in ("shape", "result", "low", "high")]
_CORRELATION = np.dtype(
    [*_AXES, ("cval", "f8"), ("ndim", "i4"), ("weights", "i4"), ("mode", "i4"), ("run", "i4")],
    align=True,
)


def correlation(image, result, steps, weights, mode, cval=0.0) -> Launch:
    """Launch of the correlation of `image`.

    Parameters
    ----------
    image, result : Array
    steps : ndarray of int, shape (N, ndim)
        For each weight, the way from an element to the one that is multiplied with it.
    weights : ndarray, shape (N,)
        Of the type in which is added up.
    mode : int
        As in `BOUNDARY`.
    cval : float
    """
    ndim = image.ndim
    struct = np.zeros((), _CORRELATION)
    for name, values in (
        ("shape", image.shape),
        ("result", result.shape),
        ("low", -steps.min(axis=0, initial=0)),
        ("high", steps.max(axis=0, initial=0)),
    ):
        struct[name][MOST_AXES - ndim :] = values
    struct["cval"], struct["ndim"] = cval, ndim
    struct["weights"], struct["mode"] = len(weights), mode
    struct["run"] = run = _RUN if result.size >= _MANY else 1
    strides = np.cumprod([1, *image.shape[:0:-1]])[::-1]
    along = np.zeros((max(1, len(steps)), MOST_AXES), np.int32)
    along[: len(steps), MOST_AXES - ndim :] = steps
    if not len(weights):  # an array of the device has elements
        steps, weights = np.zeros((1, ndim), int), np.zeros(1, weights.dtype)
    ways = (steps * strides).sum(axis=1).astype(np.int64)
    key = np.dtype(np.uint8) if image.dtype.kind == "b" else image.dtype
    types = ", ".join(map(c_name, (key, result.dtype, weights.dtype)))
    if {image.dtype.char, result.dtype.char} == {"f"} and weights.dtype == DOUBLE:
        weights = split(weights, WEIGHT).view(DOUBLE)
    arrays = Array.of(ways), Array.of(along), Array.of(weights)
    arguments = image, *arrays, struct[()], result.size, result
    threads = -(-result.size // (run * _APART)) * _APART
    return Launch("filters/correlate.cu", f"correlate<{types}>", arguments, threads)
