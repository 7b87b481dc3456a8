"""Peaks that keep their distance, by the order in which they are given."""

from typing import NamedTuple

import numpy as np
from scipy.spatial import distance

from ..device import launch
from ..device.rounds import batches
from ..devices import to_host, xp
from ..trouble import Declined
from .maxima import region_of

_SOURCE = "feature/peak_spacing.cu"
_NEAR = np.dtype([("limit", "i8"), ("power", "i4"), ("reach", "i4")])
# peaks that are sooner compared with each other than looked for around each: as many, or so many
# times the pixels around
_FEW, _TIMES = 4096, 6
_BLOCK = 256
_EXACT, _MOST_POWER = 1 << 40, 40  # up to here sums of powers, and roots of them, are told apart
_FIRST, _MOST = 2, 32  # rounds before the device is asked whether there is more to do
_STAYS = 1


class Near(NamedTuple):
    """Which peaks are near, as the struct of peak_spacing.cu."""

    limit: int
    power: int
    reach: int

    @classmethod
    def below(cls, spacing, p_norm):
        """Those less than `spacing` apart, as SciPy's distances count it."""
        apart = distance.cdist([[0]], [[spacing]], "minkowski", p=_checked(spacing, p_norm))
        return cls._of(spacing, p_norm, includes=apart[0, 0] < spacing)

    @classmethod
    def up_to(cls, spacing, p_norm):
        """Those that SciPy's trees find within `spacing`."""
        return cls._of(spacing, _checked(spacing, p_norm), includes=True)

    @classmethod
    def _of(cls, spacing, p_norm, includes):
        power = 0 if p_norm == np.inf else int(p_norm)
        limit = spacing ** (power or 1) + bool(includes)
        return cls(limit, power, spacing if includes else spacing - 1)


def _checked(spacing, p_norm):
    is_whole = 1 <= p_norm <= _MOST_POWER and p_norm % 1 == 0
    if p_norm != np.inf and not (is_whole and spacing ** int(p_norm) <= _EXACT):
        raise Declined(
            f"p_norm is {p_norm}, with which rounding decides what is near; give 1, 2 or "
            "numpy.inf, which changes the result"
        )
    return p_norm


def coordinates(places, shape, numbers=None):
    """Coordinates of places in C order: 1 launch.

    Parameters
    ----------
    places : cupy.ndarray
        int64.
    shape : tuple of int
    numbers : cupy.ndarray, optional
        Of that shape, uint32 and zeros: the number of each place is written into it, from 1 on.

    Returns
    -------
    cupy.ndarray of shape (places, axes)
    """
    coords = xp.empty((places.size, len(shape)), "int64")
    args = (places, places.size, region_of(shape), coords, numbers)
    launch(_SOURCE, "peak_coordinates", args, work=places.size)
    return coords


def spaced(places, shape, near, labels=None):
    """Which peaks stay: those that are near none which came before and stays.

    1 launch and 2 rounds of one; then the host asks whether any peak waits for others, after 4, 8,
    16 rounds and each 32 more.

    Parameters
    ----------
    places : cupy.ndarray
        int64, in C order, each once, and those first that others have to give way to.
    shape : tuple of int
    near : Near
    labels : cupy.ndarray, optional
        int64, one for each place: only those of the same label have to keep their distance.

    Returns
    -------
    cupy.ndarray
        Booleans.

    Notes
    -----
    Each peak is compared with all before it, by a block, where there are up to 4096, or 6 times the
    pixels around each; else they are looked for in an image of numbers, 4 bytes a pixel.
    """
    count = places.size
    if near.reach < 1 or count < 2:
        return xp.ones(count, bool)
    in_window = count > max(_FEW, _TIMES * (2 * near.reach + 1) ** len(shape))
    numbers = xp.zeros(shape, "uint32") if in_window else None
    coords = coordinates(places, shape, numbers)
    states, told = xp.zeros(count, "uint8"), xp.zeros(1, "uint32")
    told_of = np.array(tuple(near), _NEAR)[()]
    if in_window:
        kernel, given, threads = "space_in_window", (region_of(shape), told_of, numbers), count
    else:
        kernel, given, threads = "space_all", (np.int32(len(shape)), told_of), count * _BLOCK
    for end, batch in batches(count, _FIRST, _MOST):  # a round decides one at least
        for number in batch:
            args = (coords, labels, count, *given, states, told, np.uint32(number + 1))
            launch(_SOURCE, kernel, args, work=threads, block=_BLOCK)
        if int(to_host(told)[0]) < end:
            break
    return states == _STAYS


def specializations():
    """Every (source, expression) that the functions of this module launch."""
    for kernel in ("peak_coordinates", "space_in_window", "space_all"):
        yield _SOURCE, kernel
