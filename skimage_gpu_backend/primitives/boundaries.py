"""Boundaries of labels: launches of segmentation/boundaries.cu."""

import functools
import math

import numpy as np
from scipy import ndimage as ndi

from ..device import c_name
from ..device.dtypes import C_NAMES
from ..device.launches import Array, Launch

MOST_AXES = 8
_SOURCE = "segmentation/boundaries.cu"
_INT, _LONG = np.dtype(np.int32), np.dtype(np.int64)
_BOOL = np.dtype(bool)
_MODES = {"inner": 1, "outer": 2}


def specializations():
    """Every (source, expression) that the functions of this module launch."""
    for index in ("int", "long long"):
        for dtype in dict.fromkeys(_compared(np.dtype(name)) for name in C_NAMES):
            if dtype.char != "e":
                yield _SOURCE, f"boundaries<{c_name(dtype)}, {index}>"
        for size in (1, 2, 4, 8):
            yield _SOURCE, f"between<{c_name(np.dtype(f'u{size}'))}, {index}>"


def bounded(labels, connectivity, mode, background):
    """Launch that marks pixels around which there is another label.

    1 launch; labels are read once, the result is written once.

    Parameters
    ----------
    labels : Array
        Of 1 to `MOST_AXES` axes, of any dtype but float16.
    connectivity : int
        At most so many steps along axes lead from a pixel to its neighbours.
    mode : str
        "inner": of these the pixels that are no background. "outer": those that are, and those
        that touch another object; labels are integers. Any other: all of them.
    background : number or None
        Of the labels' dtype; None: there is none.

    Returns
    -------
    step : Launch
    result : Array
    told : Array
        One ``uint32``, not 0 where a label is not a number or one that wraps in SciPy.
    """
    kernel, index = _compared(labels.dtype), _INT if labels.size < 2**31 else _LONG
    result, told = Array(labels.shape, _BOOL), Array((1,), np.dtype(np.uint32), zero=True)
    args = (labels, index.type(labels.size), lattice(labels.shape, index))
    args += (np.int32(connectivity), np.int32(_MODES.get(mode, 0)))
    args += (_background(background, labels.dtype, kernel), _first(labels.shape, index))
    expression = f"boundaries<{c_name(kernel)}, {c_name(index)}>"
    return Launch(_SOURCE, expression, (*args, told, result), labels.size), result, told


def between(labels):
    """Launch that marks the places between pixels of several labels, and the result.

    1 launch; labels are read once, the result is written once.

    Parameters
    ----------
    labels : Array
        Integers or booleans of 1 to `MOST_AXES` axes, none of them without elements.

    Returns
    -------
    step : Launch
    result : Array
        Of twice the length along each axis, less one: every second place is that of a pixel.
    """
    result = Array(tuple(2 * length - 1 for length in labels.shape), _BOOL)
    index = _INT if result.size < 2**31 else _LONG
    kernel = np.dtype(f"u{labels.dtype.itemsize}")
    largest = 255 if labels.dtype.kind == "b" else np.iinfo(labels.dtype).max
    args = (labels, index.type(result.size), lattice(result.shape, index))
    args += (kernel.type(largest), result)
    expression = f"between<{c_name(kernel)}, {c_name(index)}>"
    return Launch(_SOURCE, expression, args, result.size), result


def _compared(dtype):
    """The dtype that the kernel takes labels as."""
    if dtype.kind == "f" or dtype.itemsize == 8:
        return dtype
    return np.dtype(f"u{dtype.itemsize}")


def lattice(shape, index):
    """The struct Lattice of common/around.cuh."""
    fields = [("length", index, MOST_AXES), ("axes", "i4")]
    struct = np.ones((), np.dtype(fields, align=True))
    struct["length"][MOST_AXES - len(shape) :] = shape
    struct["axes"] = len(shape)
    return struct[()]


def _first(shape, index):
    """The struct Line of boundaries.cu."""
    line = (shape[0], math.prod(shape[1:]))
    return np.array(line, [("length", index), ("stride", index)])[()]


def _background(background, dtype, kernel):
    """The struct Background of boundaries.cu."""
    fields = [("label", kernel), ("flip", kernel), ("wrapped", kernel)]
    struct = np.zeros((), np.dtype([*fields, ("wraps", "?"), ("there", "?")], align=True))
    struct["there"] = background is not None
    if background is not None:
        plain = kernel if dtype.kind == "b" else dtype
        struct["label"] = np.array(background, plain).view(kernel)
    if dtype.kind == "i" and dtype != kernel:
        struct["flip"] = 1 << 8 * dtype.itemsize - 1
    if dtype.kind in "iu" and dtype.itemsize == 8:
        struct["wrapped"] = wrapped = _wrapped(dtype)
        struct["wraps"] = wrapped != np.iinfo(dtype).max
    return struct[()]


@functools.cache
def _wrapped(dtype):
    """What SciPy's filters of extremes make of the largest integer; compilers differ."""
    return ndi.minimum_filter1d(np.full(3, np.iinfo(dtype).max, dtype), 3)[1]
