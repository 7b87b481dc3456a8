"""skimage.morphology: small objects and holes, equal to the last pixel."""

import functools
import math
import warnings

import numpy as np

from ..._warn import warn_caller
from ...device.launches import Array, Cost
from ...devices import xp
from ...plan import Declined, Invalid, Plan, warned
from ...primitives.arguments import is_real, is_writeable
from ...primitives.components import MOST_AXES, without_small
from ...primitives.of_cupy import elementwise
from ...primitives.unique import Values
from ...scikit_image import deprecation, own_function, private

DEPRECATED = private("_shared.utils").DEPRECATED

_BOOL = np.dtype(bool)
_MOST = 2**32  # labels
NEGATIVE = (
    "Negative value labels are not supported. Try "
    "relabeling the input with `scipy.ndimage.label` or "
    "`skimage.morphology.label`."
)
ONE_LABEL = (
    "Only one label was provided to `remove_small_objects`. Did you mean to use a boolean array?"
)
TO_BOOLEAN = (
    "Any labeled images will be returned as a boolean array. Did you mean to use a boolean array?"
)


def _one_limit(parameter):
    """Decorator that refuses `max_size` beside the deprecated `parameter`, the second one."""

    def decorated(function):
        @functools.wraps(function)
        def planned(*args, **kwargs):
            old = args[1] if len(args) > 1 else kwargs.get(parameter, DEPRECATED)
            if old is not DEPRECATED and "max_size" in kwargs:
                raise Invalid(f"{parameter} and max_size are both given; give max_size")
            return function(*args, **kwargs)

        return planned

    return decorated


@_one_limit("min_size")
def remove_small_objects(ar, min_size=DEPRECATED, connectivity=1, *, max_size=64, out=None):
    """An image without its small objects: `morphology.remove_small_objects`.

    Of booleans 4 launches, whatever the image shows; the image is read once, and once more along
    the borders of boxes; 8 bytes a pixel (16 from 2**31 pixels on) are written and read twice, the
    result is written once. Of labels 4 launches, and a few of CuPy's on tables of all numbers up to
    the largest; the image is read four times, the result written once; where the largest label is
    far beyond the number of pixels CuPy sorts the image. 24 bytes and the number of labels come to
    the host.
    """
    limit, tell = limit_of("remove_small_objects", "min_size", min_size, max_size)
    _refuse_odd(ar, out, ar.dtype)
    if limit is None:
        plan = _into(out, elementwise(lambda ar: ar.copy(), ar, ar.dtype, keeps_order=False))
    elif ar.dtype == _BOOL:
        plan = _of_pixels(ar.shape, False, limit, steps_of(connectivity, ar))
    else:
        plan = _into(out, Plan(functools.partial(_of_labels, limit)))
    return warned(plan, tell, FutureWarning)


@_one_limit("area_threshold")
def remove_small_holes(ar, area_threshold=DEPRECATED, connectivity=1, *, max_size=64, out=None):
    """An image without its small holes: `morphology.remove_small_holes`.

    As `remove_small_objects` of booleans; 1 launch more makes booleans of labels.
    """
    limit, tell = limit_of("remove_small_holes", "area_threshold", area_threshold, max_size)
    _refuse_odd(ar, out, _BOOL)
    if limit is None:
        plan = _into(out, elementwise(lambda ar: ar != 0, ar, _BOOL))
    else:
        plan = _of_pixels(ar.shape, True, limit, steps_of(connectivity, ar))
        plan = plan if ar.dtype == _BOOL else _of_mask(plan, ar)
    if ar.dtype != _BOOL:
        plan = warned(plan, TO_BOOLEAN)
    return warned(plan, tell, FutureWarning)


def limit_of(name, parameter, deprecated, limit):
    """Pixels of the largest region that is removed, and what is told of `parameter`.

    None: scikit-image looks for no regions, and nothing is told.
    """
    tell = None
    if deprecated is not DEPRECATED:
        limit, tell = deprecated, deprecation(f"skimage.morphology:{name}", parameter)
    if not is_real(limit):
        raise Declined(f"{parameter if tell else 'max_size'} is not a number; give one, as 64")
    if limit == 0:
        return None, tell
    if math.isnan(limit):
        return -1, tell
    whole = max(-1, min(limit, 2**62))
    if tell and not limit_belongs():
        whole -= 1
    return math.floor(whole), tell


@functools.cache
def limit_belongs():
    """Whether `min_size` is a size that is removed: so it is in 0.26, against its documentation."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        remove = own_function("skimage.morphology:remove_small_objects")
        return not remove(np.ones((1, 1), bool), min_size=1).any()


def _refuse_odd(ar, out, dtype):
    if ar.dtype.kind not in "biu":
        raise Invalid(f"ar has dtype {ar.dtype}; give booleans or integers, as ar != 0")
    if not ar.ndim:
        raise Declined("ar has no axes; nothing to change")
    if math.prod(ar.shape) == 0:
        raise Declined("ar has no elements; nothing to change")
    if ar.ndim > MOST_AXES:
        raise Declined(f"ar has {ar.ndim} axes; give an image of up to {MOST_AXES}")
    if out is None:
        return
    if not hasattr(out, "dtype") or out.dtype != dtype or out.shape != ar.shape:
        raise Declined(f"out is no array of {dtype} of the shape of ar; give such, or no out")
    if not is_writeable(out):
        raise Invalid("out is read-only; give an array that can be written")


def steps_of(connectivity, ar):
    if not is_real(connectivity) or not math.isfinite(connectivity):
        raise Declined("connectivity is not a number; give an integer, as 1")
    return int(min(max(connectivity, 1), ar.ndim))


@functools.lru_cache(maxsize=256)
def _of_pixels(shape, holes, limit, connectivity):
    return Plan(without_small(Array(shape, _BOOL, "ar"), holes, limit, connectivity))


def _of_labels(limit, ar):
    found = Values(ar)
    if found.low < 0 or found.high >= 2**63:  # as NumPy takes them
        raise ValueError(NEGATIVE)
    if found.high > _MOST:
        raise Declined(
            "ar has labels for whose counts NumPy wants much memory; give "
            "skimage.segmentation.relabel_sequential(ar)[0]"
        )
    if found.high == 1:
        warn_caller(ONE_LABEL, UserWarning)
    return found.mapped(xp.where(found.counts() <= limit, found.values.dtype.type(0), found.values))


def _of_mask(plan, ar):
    """`plan`, for which 1 launch makes a mask of labels."""
    run, cost, mask = plan.run, plan.cost, math.prod(ar.shape)
    cost = Cost(
        cost.launches + 1,
        cost.read + mask * ar.dtype.itemsize,
        cost.written + mask,
        cost.between + mask,
    )
    return Plan(lambda ar, out=None: run(ar=ar != 0, out=out), launches=plan.launches, cost=cost)


def _into(out, plan):
    """`plan`, whose result 1 launch writes into `out` where it is given."""
    if out is None:
        return plan
    make, cost = plan.run, plan.cost

    def run(ar, out):
        out[...] = make(ar=ar)
        return out

    nbytes = math.prod(out.shape) * out.dtype.itemsize
    cost = cost and Cost(cost.launches + 1, cost.read + nbytes, cost.written + nbytes, nbytes)
    return Plan(run, cost=cost)


def samples():
    """Plans that together ask for the kernels of this room, but for those of larger images."""
    yield remove_small_objects(Array((4, 4), _BOOL))
