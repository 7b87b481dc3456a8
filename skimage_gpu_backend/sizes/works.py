"""How much work a call asks for, where an argument decides it: data and cheap functions.

A work is a number that the time per element grows with: a sigma, the number of elements of a
footprint, an order of interpolation. `WORK` says which argument it is; a function that is not there
takes one time per element whatever its arguments are.
"""

import functools
import itertools
from dataclasses import dataclass

import numpy as np

from ..catalog import ROOMS
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


_SIGMAS = Work("sigmas", 5, entries, ((1,), (1, 3, 5, 7, 9)))
_SIGMA = Work("sigma", 1, amount, (1, 3, 8))
_RANK = Work("footprint", 9, elements, tuple(map(square, (3, 9, 21))))
_GRAY = Work("footprint", 5, elements, tuple(map(square, (3, 7, 15))))
_ORDER = Work("order", 1, amount, (0, 1, 3))
# By functions of a module; of all others every call takes one time per element.
_WORKS = {
    "skimage.filters": {
        "difference_of_gaussians": Work("low_sigma", 1, amount, (1, 3, 8)),
        "frangi hessian meijering sato": _SIGMAS,
        "gaussian": _SIGMA,
        "median": Work("footprint", 9, elements, tuple(map(square, (3, 7, 15)))),
        "threshold_local": Work("block_size", 3, amount, (7, 35, 101)),
        "unsharp_mask": Work("radius", 1, amount, (1, 3, 8)),
    },
    "skimage.filters.rank": dict.fromkeys(ROOMS["skimage.filters.rank"][""].values(), _RANK),
    "skimage.feature": {"canny": _SIGMA},
    "skimage.morphology": {
        "binary_closing binary_dilation binary_erosion binary_opening": _GRAY,
        "black_tophat closing dilation erosion opening white_tophat": _GRAY,
    },
    "skimage.restoration": {
        "denoise_bilateral": Work("sigma_spatial", 1, amount, (1, 3, 8)),
        "denoise_nl_means": Work("patch_distance", 11, amount, (2, 6)),
        "denoise_tv_bregman": Work("max_num_iter", 100, amount, (10, 100)),
        "denoise_tv_chambolle": Work("max_num_iter", 200, amount, (20, 200)),
        "richardson_lucy": Work("num_iter", 50, amount, (10, 50)),
        "rolling_ball": Work("radius", 100, amount, (10, 30)),
    },
    "skimage.segmentation": {
        "active_contour": Work("max_num_iter", 2500, amount, (20, 200)),
        "chan_vese": Work("max_num_iter", 500, amount, (30, 500)),
        "morphological_chan_vese": Work("num_iter", 35, amount, (5, 50)),
        "morphological_geodesic_active_contour": Work("num_iter", 50, amount, (5, 50)),
        "quickshift": Work("kernel_size", 5, amount, (1, 3, 8)),
        "slic": Work("max_num_iter", 10, amount, (2, 10)),
    },
    "skimage.transform": {"rescale resize rotate swirl warp warp_polar": _ORDER},
}
WORK = {
    f"{module}:{function}": work
    for module, works in _WORKS.items()
    for functions, work in works.items()
    for function in functions.split()
}


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
    work = WORK.get(name)
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
    work = WORK.get(name)
    if work is None:
        return ((0, {}),)
    return tuple((work.measure(value), {work.parameter: value}) for value in work.values)
