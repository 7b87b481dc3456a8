"""Thinning of planes and volumes by Lee's method."""

import functools
import math

import numpy as np

from ..device import launch
from ..device.rounds import batches
from ..devices import to_host, xp

_SOURCE = "morphology/lee.cu"
_SHAPE = np.dtype([("planes", "i8"), ("rows", "i8"), ("across", "i8"), ("sides", "i4")], align=True)
_EULER = np.dtype([("change", "i1", 128)])
_CONTROL = 6  # numbers of the struct Control, the first of which is the phase
_OVER = 3
_FIRST, _MOST = 16, 256  # launches before the device is asked whether it is over


def thinned(words):
    """Bits of a volume that are left after thinning.

    The device knows itself what is next: for each of the six sides in turn a launch finds
    candidates, some decide which of them go, one removes them, until no side has any. The host asks
    whether it is over after 16 launches, then 32, 64, 128 and each 256 more; those that come too
    late return at once. Memory: twice as many words again.

    Parameters
    ----------
    words : cupy.ndarray
        `bits.packed` of the volume, (planes, rows, words). It is written.
    """
    shape = np.array((*words.shape, 4 if len(words) == 1 else 6), _SHAPE)[()]
    control = xp.zeros(_CONTROL, "uint32")
    args = shape, _euler(), words, xp.empty_like(words), xp.empty_like(words), control
    for _, batch in batches(math.inf, _FIRST, _MOST):
        for _ in batch:
            launch(_SOURCE, "step", args, work=words.size)
        if int(to_host(control)[0]) == _OVER:
            return words


@functools.cache
def _euler():
    """The struct Euler of lee.cu.

    By pattern, 8 times what a voxel's removal changes Euler's number by in an octant: column 26 of
    table 2 of Lee's article, as scikit-image has it.
    """
    change = """
        1 -1 -1 1 -3 -1 -1 1 -1 1 1 -1 3 1 1 -1 -3 -1 3 1 1 -1 3 1 -1 1 1 -1 3 1 1 -1
        -3 3 -1 1 1 3 -1 1 -1 1 1 -1 3 1 1 -1 1 3 3 1 5 3 3 1 -1 1 1 -1 3 1 1 -1
        -7 -1 -1 1 -3 -1 -1 1 -1 1 1 -1 3 1 1 -1 -3 -1 3 1 1 -1 3 1 -1 1 1 -1 3 1 1 -1
        -3 3 -1 1 1 3 -1 1 -1 1 1 -1 3 1 1 -1 1 3 3 1 5 3 3 1 -1 1 1 -1 3 1 1 -1
    """
    return np.array((np.array(change.split(), "i1"),), _EULER)[()]


def specializations():
    """Every (source, expression) that the functions of this module launch."""
    yield _SOURCE, "step"
