"""skimage.segmentation: chan_vese, equal to scikit-image's to the last bit, but for energies.

Cost: 1 launch an iteration, which reads image and level set and writes a level set, in single
precision for float16 and float32 images, else in double. Before them 1 launch finds the image's
range, 1 scales it and makes the first level set, behind them 1 makes booleans of the last one. The
device knows itself when the level set moves no more. The host asks whether it does after 16
iterations, then 32 and each 64 more; those that are launched beyond the last one return at once.
Energies take no launches more.
"""

import functools
import math
import sys

import numpy as np

from ...device import c_name, launch
from ...device.dtypes import C_NAMES
from ...device.launches import Cost
from ...device.rounds import batches
from ...devices import to_host, xp
from ...plan import Declined, Invalid, Plan
from ...primitives.arguments import refuse_wider, truth
from ...primitives.pairwise import depth, halves, partial_sums
from ...primitives.value_range import value_range

_SOURCE = "segmentation/chan_vese.cu"
_BLOCK, _FIRST, _MOST = 256, 16, 64  # threads; iterations before the host asks
_GIVEN, _CHECKERBOARD, _DISK = range(3)  # `kind` in the kernel
_DISKS = {"disk": (1.0, 1), "small disk": (2.0, 3)}  # divisor of the radius, slope of the cone
_SUMS, _SUMS_WITH_ENERGY = 5, 11  # numbers of the struct Sums
_WEIGHTS = ("mu", "lambda1", "lambda2", "dt", "mu_dt")
_LENGTHS, _HOW = ("rows", "columns"), ("depth", "halves", "transposed")
_PLANE = np.dtype([*((n, "i8") for n in _LENGTHS), *((n, "i4") for n in _HOW)], align=True)


def chan_vese(
    image,
    mu=0.25,
    lambda1=1.0,
    lambda2=1.0,
    tol=1e-3,
    max_num_iter=500,
    dt=0.5,
    init_level_set="checkerboard",
    extended_output=False,
):
    """Contour of regions of like brightness: `segmentation.chan_vese`."""
    if len(image.shape) != 2:
        raise Invalid(f"image has {len(image.shape)} axes; give a plane")
    if image.size == 0:
        raise Invalid("image has no elements, and so no range; give an image that has")
    value = _working(image.dtype)
    _refuse_level_set(init_level_set, image.shape)
    for name, number in (("tol", tol), ("max_num_iter", max_num_iter)):
        refuse_wider(name, number, np.dtype(float))
    with np.errstate(all="ignore"):
        goes_on = tol + 1 > tol and max_num_iter > 0
    if not goes_on:  # the other numbers are not looked at then
        raise Declined("max_num_iter or tol allows no iteration; nothing to change")
    given = {"mu": mu, "lambda1": lambda1, "lambda2": lambda2, "dt": dt}
    for name, number in given.items():
        refuse_wider(name, number, value)
        if isinstance(number, np.bool_ | np.unsignedinteger):
            raise Declined(f"{name} is of dtype {number.dtype}, without negatives; give a float")
    with np.errstate(all="ignore"):
        numbers = [float(number) for number in (*given.values(), mu * dt)]
        weights = np.array([tuple(numbers)], [(name, value) for name in _WEIGHTS])[0]
        # NumPy compares with a number of Python in the level set's own type
        is_plain = type(tol) in (int, float, bool)
        tolerance = float(value.type(tol)) if is_plain else float(tol)
    if not all(abs(number) <= float(np.finfo(value).max) for number in numbers):
        raise Declined("mu, lambda1, lambda2 or dt is not finite; give finite numbers")
    most = math.inf if float(max_num_iter) > sys.maxsize else math.ceil(max_num_iter)
    extended = truth("extended_output", extended_output)
    run = functools.partial(_run, weights, tolerance, most, init_level_set, extended)
    return Plan(run, cost=_cost(image, value, most, extended, init_level_set))


def _working(dtype):
    """Type of level sets of an image of `dtype` (Working in the kernel)."""
    return np.dtype("f4" if dtype.char in "ef" else "f8")


def _refuse_level_set(init, shape):
    if isinstance(init, str):
        if init != "checkerboard" and init not in _DISKS:
            raise Invalid("init_level_set is no known name; give 'checkerboard' or 'disk'")
        if init in _DISKS and min(shape) < 3:
            raise Declined("init_level_set is a disk without a radius; give 'checkerboard'")
        return
    if not isinstance(getattr(init, "dtype", None), np.dtype):
        raise Declined("init_level_set is neither a name nor an array; give one")
    if init.shape != shape:
        raise Invalid("init_level_set has another shape than the image; give one of image.shape")
    if init.dtype.kind not in "biuf":
        raise Declined("init_level_set holds no real numbers; give init_level_set.astype(float)")


def _cost(image, value, most, extended, init):
    """At most, where the number of iterations is bounded."""
    if most == math.inf:
        return None
    of_image, of_levels = image.size * image.dtype.itemsize, image.size * value.itemsize
    sums = _SUMS_WITH_ENERGY if extended else _SUMS
    partials = partial_sums(image.size) * sums * value.itemsize
    few = 4096 + value.itemsize * (sum(image.shape) + 4 * most)  # tables, means, energies
    converted = 0 if isinstance(init, str) else image.size * (8 + init.dtype.itemsize)
    # image, range and a level set, which is given
    read = 2 * of_image + 3 * of_levels + converted + (most + 1) * (3 * of_levels + partials + few)
    written = 2 * of_levels + image.size + converted
    written += (most + 1) * (of_levels + partials + few)
    return Cost(5 + most, read, written, 3 * of_levels)


def _run(weights, tolerance, most, init, extended, image, init_level_set=None):
    # then NumPy adds up along columns
    is_transposed = init_level_set is not None and image.flags.fnc and init_level_set.flags.fnc
    if is_transposed:
        image, init_level_set = image.T, init_level_set.T
    image = xp.ascontiguousarray(image)
    shape, value = image.shape, _working(image.dtype)
    plane = (*shape, depth(image.size), halves(image.size), is_transposed)
    plane = np.array([plane], _PLANE)[0]
    sums = _SUMS_WITH_ENERGY if extended else _SUMS
    groups = partial_sums(image.size)
    partials, control = xp.empty((groups, sums), value), xp.zeros(3, "uint32")
    means = xp.empty(4 if extended else 2, value)
    scaled, levels, spare = (xp.empty(shape, value) for _ in range(3))
    size = {"work": groups * _BLOCK, "block": _BLOCK}

    first = _first(init, init_level_set, shape, value, means)
    args = (image, value_range(image), plane, *first, scaled, levels, partials, control, means)
    launch(_SOURCE, f"prepare<{c_name(image.dtype)}, {_c_flag(extended)}>", args, **size)

    kernel = f"step<{c_name(value)}, {_c_flag(extended)}>"
    energies, made = [], 0
    for end, batch in batches(most, _FIRST, _MOST):
        count = end - made
        found = xp.empty(count if extended else 1, value)
        begin = np.uint32(made)
        for _ in batch:
            args = (scaled, levels, plane, weights, tolerance, begin, spare, partials, control)
            launch(_SOURCE, kernel, (*args, means, found), **size)
            levels, spare = spare, levels
        _, stopped, steps = to_host(control).tolist()
        if extended:
            energies.extend(to_host(found)[: steps - made])
        if (made + count - steps) % 2:  # the steps that came too late
            levels = spare
        if stopped or steps >= most:
            break
        made = steps
    levels = levels.T if is_transposed else levels
    segmentation = levels > 0
    return (segmentation, levels, energies) if extended else segmentation


def _first(init, init_level_set, shape, value, unused):
    """How the kernel makes the first level set: kind, arrays, radius and slope."""
    if init_level_set is not None and not isinstance(init, str):
        given = xp.ascontiguousarray(init_level_set, value)
        return np.int32(_GIVEN), given, unused, unused, 0.0, 1.0
    if init in _DISKS:
        divisor, height = _DISKS[init]
        radius = float(min((length - 1) // 2 for length in shape)) / divisor
        return np.int32(_DISK), unused, unused, unused, radius, radius * height
    sides = [np.arange(length, dtype=value) * value.type(np.pi / 5) for length in shape]
    rows, columns = (xp.asarray(np.sin(side)) for side in sides)
    return np.int32(_CHECKERBOARD), unused, rows, columns, 0.0, 1.0


def _c_flag(flag):
    return "true" if flag else "false"


def specializations():
    """Every (source, expression) that the function launches."""
    for energy in ("false", "true"):
        for name in C_NAMES.values():
            yield _SOURCE, f"prepare<{name}, {energy}>"
        for name in ("float", "double"):
            yield _SOURCE, f"step<{name}, {energy}>"
