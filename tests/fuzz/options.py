"""Values of plain arguments, by class: listed, at the ends of a range, of a wrong type."""

import functools
import numbers
import re

import numpy as np

from skimage_gpu_backend.adapt.values import replace
from skimage_gpu_backend.catalog import CATALOG, Row
from tests.differential.inputs import Input
from tests.differential.sweeps import METHODS, SWEEPS

from .odd import ODD

SWEEP = {sweep.name: sweep for sweep in (*SWEEPS, *METHODS)}
ROWS = CATALOG | {sweep.name: Row(sweep.images, "") for sweep in METHODS}
CLASSES = ("listed", "boundary", "odd")
_ENDS = [0, 1, -1, 2, 0.0, 0.5, 1.0, -0.5, True, False, (), (0, 0), (1, 1), (0, 1), (1, 0)]
_ENDS += [np.int64(1), np.float32(0.5), np.float64(2), np.uint8(3), (1,), (1, 1, 1), [1, 2]]
_FAR = [255, 2**31, 2**53 + 1, 2**63, -(2**63), 1e300, 1e-300, 5e-324, -1e300]
_FAR += [np.nan, np.inf, -np.inf, (np.nan, 1), (np.inf, 1)]
_LARGEST = 40  # of what decides how much memory and time a call takes
_LARGEST_OF = {
    "classes": 4,  # powers
    "order": 8,
    "patch_distance": 4,  # of volumes, its powers
    "labels": 1000,  # as many slices are made, and of 2**62 the memory is not there
}
_LEAST_OF = {
    "tolerance": 1e-6,  # below it, scikit-image's loop has no end
    "classes": 2,  # below it, scikit-image looks beyond its memory
    "h": -np.inf,  # of NaN too
    "max_num_iter": -np.inf,  # infinity is no end
    "workers": 1,  # of NaN, scikit-image waits without an end
    "angles": -np.inf,  # of infinity, `graycomatrix` looks beyond its memory
    "distances": -np.inf,
    "window_size": 0,  # below it, `corner_moravec` writes beyond its memory
}
# Parameters of which a call of a million would not end.
_COSTLY = re.compile(
    r"sigma|radi|iter|num_|n_|size|shape|bins|levels|order|rings|histograms|orientations|layer|warp"
    r"|degree|classes|npad|width|height|scale|factor|distance|step|window|block|frequency"
    r"|bandwidth|ndim|cells|truncate|directions|spacing|output|buffer|border|workers|threads"
    r"|start|end|src|dst|strength|footprint|grid|tiles|angles|connectivity|shift|center|offset"
    r"|smoothing|upsample|coords|padding|^[mnaPRrct]$"
)


def _reasonable(parameter, value):
    if parameter in ("shape", "image_shape") and isinstance(value, tuple | list) and len(value) < 2:
        return False  # `grid_points_in_poly` and `polygon2mask` look beyond its memory
    if parameter == "offset" and any(
        isinstance(item, numbers.Real) and item < 1
        for item in (value if isinstance(value, tuple | list) else ())
    ):
        return False  # `watershed` writes beyond its memory
    if not _COSTLY.search(parameter) and parameter not in {*_LEAST_OF, *_LARGEST_OF}:
        return True
    found = []
    replace(value, lambda item: found.append(item))
    sizes = [abs(_float(item)) for item in found if isinstance(item, numbers.Real)]
    largest = _LARGEST_OF.get(parameter, _LARGEST)
    least = _LEAST_OF.get(parameter, -np.inf)
    if parameter in _LEAST_OF and not all(
        least <= _float(item) < np.inf for item in found if isinstance(item, numbers.Real)
    ):
        return False
    return not any(largest < size < np.inf for size in sizes)


def _float(number):
    """The number as a float; the largest where it is too large for one."""
    try:
        return float(number)
    except OverflowError:
        return float(np.finfo(float).max)


@functools.cache
def listed(name, parameter) -> tuple:
    """What the function's sweep has for a parameter, arrays too; the usual value first."""
    sweep = SWEEP[name]
    values = [sweep.call[parameter]] if parameter in sweep.call else []
    values += sweep.vary.get(parameter, ())
    values += [change[parameter] for change in sweep.also if parameter in change]
    return tuple(values)


@functools.cache
def wrong(parameter, kind) -> tuple:
    """Values of the class "boundary" or "odd" that a call with this parameter may have."""
    values = [*_ENDS, *_FAR] if kind == "boundary" else ODD
    parameter = parameter.removeprefix("self.")
    return tuple(value for value in values if _reasonable(parameter, value))


def holds_arrays(value) -> bool:
    """Whether there are `Input`s or arrays in a value."""
    found = []
    replace(value, lambda item: found.append(isinstance(item, Input | np.ndarray)))
    return any(found)
