"""How much work a call asks for, where an argument decides it: data and cheap functions.

A work is a number that the time per element grows with: a sigma, the number of elements of a
footprint, an order of interpolation. A function that is not here takes one time per element
whatever its arguments are.
"""

import functools
import itertools
from dataclasses import dataclass

import numpy as np

from ..catalog import CATALOG


def amount(value):
    """A number as it is, of one for each axis the mean."""
    if isinstance(value, (int, float, np.number)):  # half the time of a union
        return value
    return sum(value) / len(value)


def elements(footprint):
    """Elements of a footprint, or of the footprints that it is decomposed into."""
    if isinstance(footprint, tuple):
        return sum(part.size * times for part, times in footprint)
    return footprint.size


def entries(values):
    """How many values there are."""
    return len(values)


def square(length):
    """A full square footprint."""
    return np.ones((length, length), np.uint8)


@dataclass(frozen=True)
class Work:
    """The argument that decides, and how.

    Attributes
    ----------
    parameter : str
    default : float
        Work where the argument is not given, or None.
    measure : callable
        Work of the argument's value; may raise for a value that scikit-image refuses.
    values : tuple
        Arguments with which the function is measured, by growing work.
    """

    parameter: str
    default: float
    measure: callable
    values: tuple


_SQUARES = (square(3), square(9), square(21))
_RIDGES = Work("sigmas", 5, entries, ([1], [1, 3, 5, 7, 9]))
_SIGMA = Work("sigma", 1, amount, (1, 3, 8))
_GRAY = Work("footprint", 5, elements, (square(3), square(7), square(15)))


def _order(default):
    return Work("order", default, amount, (0, 1, 3))


def _iterations(parameter, default, few, many):
    return Work(parameter, default, amount, (few, many))


WORKS = {
    "skimage.filters:difference_of_gaussians": Work("low_sigma", 1, amount, (1, 3, 8)),
    "skimage.filters:unsharp_mask": Work("radius", 1, amount, (1, 3, 8)),
    "skimage.filters:median": Work("footprint", 9, elements, (square(3), square(7), square(15))),
    "skimage.filters:threshold_local": Work("block_size", 3, amount, (7, 35, 101)),
    **{f"skimage.filters:{name}": _RIDGES for name in ("frangi", "hessian", "meijering", "sato")},
    "skimage.feature:canny": _SIGMA,
    **{
        name: Work("footprint", 9, elements, _SQUARES)
        for name in CATALOG
        if name.startswith("skimage.filters.rank:")
    },
    **{
        f"skimage.morphology:{name}": _GRAY
        for name in ("black_tophat", "closing", "dilation", "erosion", "opening", "white_tophat")
    },
    "skimage.restoration:rolling_ball": Work("radius", 100, amount, (10, 30)),
    "skimage.restoration:denoise_tv_chambolle": _iterations("max_num_iter", 200, 20, 200),
    "skimage.restoration:richardson_lucy": _iterations("num_iter", 50, 10, 50),
    "skimage.segmentation:chan_vese": _iterations("max_num_iter", 500, 30, 500),
    "skimage.segmentation:morphological_chan_vese": _iterations("num_iter", 35, 5, 50),
    "skimage.segmentation:morphological_geodesic_active_contour": _iterations(
        "num_iter", 50, 5, 50
    ),
    "skimage.transform:rotate": _order(1),
    "skimage.transform:swirl": _order(1),
    "skimage.transform:warp": _order(1),
    "skimage.transform:warp_polar": _order(1),
}


_MEASURES = {"amount": amount, "elements": elements, "entries": entries}
_VALUES = {"sigma": (1, 3, 8), "order": (0, 1, 3)}


def work_of(name):
    """`Work` of a function, or None."""
    if row := CATALOG[name].work:
        parameter, default, measure = row
        return Work(parameter, default, _MEASURES[measure], _VALUES[parameter])
    return WORKS.get(name)


def reader(name, places):
    """Function that tells the work of a call of `name` from its arguments, or None.

    Parameters
    ----------
    name : str
        As in the catalog.
    places : dict of str to int
        Position of each positional parameter.

    Returns
    -------
    callable or None
        Takes the caller's `args` and `kwargs`. Values that make no sense count as the default:
        scikit-image refuses the call whatever its size is. None: one work for all calls.
    """
    work = work_of(name)
    if work is None:
        return None
    parameter, default, measure = work.parameter, work.default, work.measure
    place = places.get(parameter, 1 << 30)

    def read(args, kwargs):
        value = args[place] if place < len(args) else kwargs.get(parameter)
        if value is None:
            return default
        try:
            return measure(value)
        except Exception:
            return default

    return read


def interpolated(points, work):
    """Value at `work` between the points of growing work; beyond them, that of the last.

    The geometric mean, weighted by nearness, of the values on either side: monotone between
    them. Where one of them is infinite or nothing, the larger.

    Parameters
    ----------
    points : sequence of (float, float)
    work : float
    """
    if work <= points[0][0]:
        return points[0][1]
    for (one, low), (other, high) in itertools.pairwise(points):
        if work < other:
            if not 0 < min(low, high) <= max(low, high) < float("inf"):
                return max(low, high)
            share = (work - one) / (other - one)
            return low ** (1 - share) * high**share
        if work == other:
            return high
    return points[-1][1]


@functools.cache
def arguments_by_work(name):
    """Pairs of work and the argument that asks for it; one pair without for most functions."""
    work = work_of(name)
    if work is None:
        return ((0, {}),)
    return tuple((work.measure(value), {work.parameter: value}) for value in work.values)
