"""How much work a call asks for, where an argument decides it: data and cheap functions.

A work is a number that the time per element grows with: a sigma, the number of elements of a
footprint, an order of interpolation. The catalog says which argument it is; a function without one
takes one time per element whatever its arguments are.
"""

import functools
import itertools
from dataclasses import dataclass

import numpy as np

from ..catalog import row_of
from ..scikit_image import parameter_places


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


_MEASURES = {"amount": amount, "elements": elements, "entries": entries}


def work_of(name):
    """`Work` of a function, or None."""
    row = row_of(name)
    if row.work is None:
        return None
    parameter, default, measure, values = row.work
    if measure == "elements":
        values = tuple(map(square, values))
    return Work(parameter, default, _MEASURES[measure], values)


def reader(name):
    """Function that tells the work of a call of `name` from its arguments, or None.

    Parameters
    ----------
    name : str
        As in the catalog.

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
    place = parameter_places(name).get(parameter, 1 << 30)

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
