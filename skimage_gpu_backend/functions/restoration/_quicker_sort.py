"""The order in which scikit-image's quicksort leaves edges, with that of equal keys."""

import numpy as np

from ...device import launch
from ...device.lazy import cp
from ...device.rounds import rounds
from ...plan import Declined

_SOURCE = "restoration/quicker_sort.cu"
_BLOCK = 256
_TOGETHER = 8  # depths until the host looks whether there is more to do
_MOST_DEPTH = 1024
KERNELS = "differ", "mark", "match", "swap"


def sort(keys, edges):
    """Sort both arrays in their place; the number of depths.

    4 launches a depth and CuPy's sums; every eight depths 4 bytes come to the host.

    Raises
    ------
    Declined
        Keys are in an order that a quicksort takes too long for.
    """
    n = keys.size
    if n < 2:
        return 0
    firsts, ends = cp.zeros(n, "int32"), cp.full(n, n, "int32")
    others = cp.full(n, 2**31 - 1, "int32")
    below, lefts, rights = (cp.empty(n, "int32") for _ in range(3))
    more = cp.zeros(_MOST_DEPTH, "int32")
    for depth, _ in zip(range(_MOST_DEPTH), rounds(), strict=False):
        at = np.int32(depth)
        _launch("differ", (keys, firsts, ends, n, at, more, others), n)
        _launch("mark", (keys, firsts, ends, others, n, at, more, below), n)
        sums = cp.cumsum(below, dtype="int32")
        _launch("match", (sums, firsts, ends, n, at, more, lefts, rights), n)
        moved = keys, edges, firsts, ends, others
        _launch("swap", (sums, lefts, rights, n, at, more, *moved), n)
        if (depth + 1) % _TOGETHER == 0 and not int(more[depth]):
            return int(more.sum())
    raise Declined(
        "image has reliabilities in an order that scikit-image's sort takes long for; nothing to "
        "change"
    )


def _launch(kernel, args, work):
    launch(_SOURCE, kernel, args, work=work, block=_BLOCK)
