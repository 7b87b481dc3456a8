"""skimage.transform: frt2 and ifrt2, the finite Radon transform and its inverse."""

import functools

import numpy as np

from ...device.dtypes import C_NAMES, c_name
from ...device.launches import Array, Launch, Launches
from ...plan import Declined, Invalid, Plan

_SOURCE = "transform/finite_radon.cu"


def frt2(a):
    """Sums along the lines of a torus: `skimage.transform.frt2`.

    1 launch; the plane read once, the result written once, no row rolled.
    """
    if a.ndim != 2 or a.shape[0] != a.shape[1]:
        raise Invalid("a is no square plane")
    if a.dtype.kind == "f":
        raise Declined(
            "a is of floats, whose sums are cut to integers; give integers, which changes the "
            "result"
        )
    _refuse_empty(a)
    return _planned("frt", a.shape, a.dtype, (a.shape[0] + 1, a.shape[1]), np.dtype(np.uint32))


def ifrt2(a):
    """The plane of such sums: `skimage.transform.ifrt2`.

    1 launch; the sums read once, the result written once, no row rolled.
    """
    if a.ndim != 2 or a.shape[0] != a.shape[1] + 1:
        raise Invalid("a is not of one row more than columns")
    _refuse_empty(a)
    if a.dtype.kind not in "bu":
        raise Invalid("a is of signed numbers, which NumPy adds to no unsigned ones; give uint32")
    return _planned("ifrt", a.shape, a.dtype, a.shape[1:] * 2, np.dtype(np.float64))


def _refuse_empty(a):
    if not a.size:
        raise Declined("a is empty; nothing to change")


@functools.lru_cache(maxsize=256)
def _planned(kernel, shape, source, made, dtype):
    plane, result = Array(shape, source, "a"), Array(made, dtype)
    args = plane, result, shape[1]
    return Plan(
        Launches([Launch(_SOURCE, f"{kernel}<{c_name(source)}>", args, result.size)], result)
    )


def samples():
    """Plans that together ask for every kernel of this room."""
    for dtype in map(np.dtype, C_NAMES):
        if dtype.kind != "f":
            yield frt2(Array((2, 2), dtype))
        if dtype.kind in "bu":
            yield ifrt2(Array((3, 2), dtype))
