"""skimage.segmentation: active contours by morphology, equal to the last pixel.

Cost of an iteration: `morphological_chan_vese` 2 launches, `morphological_geodesic_active_contour`
1; image and level set (a byte a pixel) are read once by each, a level set is written once an
iteration. Another launch for each 4 steps of smoothing in planes, 2 in volumes, beyond the first
ones. Nothing comes to the host between iterations, but for a callback, which takes the level set.
Before them 1 launch makes a level set of an array; one by its name comes from the host. With a
balloon and no threshold, a percentile is found first (`primitives/percentiles.py`).
"""

import functools
import math
import sys
import threading

import numpy as np

from ...device import c_name, launch
from ...device.dtypes import C_NAMES
from ...device.launches import Cost
from ...device.rounds import rounds
from ...devices import to_host, xp
from ...plan import Declined, Invalid, Plan
from ...primitives.arguments import integer, is_real, refuse_wider
from ...primitives.pairwise import depth, halves, partial_sums
from ...primitives.select import elements_at
from ...scikit_image import on_host, private

morphsnakes = private("segmentation.morphsnakes")

_SOURCE = "segmentation/morphsnakes.cu"
_BLOCK = 256
_MOST_STEPS = {2: 4, 3: 2}  # of smoothing in a launch
_BOX = {2: (1, 32, 64), 3: (8, 8, 32)}
_EXTENT = np.dtype([(name, "i8") for name in ("depth", "rows", "columns")])
_SMOOTHING = np.dtype([("steps", "i4"), ("dilates_first", "?")], align=True)
_MAKERS = ("checkerboard", "disk")


def _unheard(level_set):
    """The callback of who gives none."""


def morphological_chan_vese(
    image,
    num_iter,
    init_level_set="checkerboard",
    smoothing=1,
    lambda1=1,
    lambda2=1,
    iter_callback=_unheard,
):
    """Contour of what is brighter or darker: `segmentation.morphological_chan_vese`.

    Notes
    -----
    `iter_callback` gets the level set as a NumPy array, also for a CuPy image.
    """
    iterations, steps = _asked(image, num_iter, init_level_set, smoothing, iter_callback)
    for name, value in (("lambda1", lambda1), ("lambda2", lambda2)):
        if not is_real(value):  # scikit-image uses none where it does not iterate
            raise Declined(f"{name} is no number that floats have; give one, as 1")
        refuse_wider(name, value, _working(image.dtype))
    args = float(lambda1), float(lambda2)
    run = functools.partial(_chan_vese, iterations, steps, init_level_set, iter_callback, *args)
    return _plan(run, "image", image, iterations, steps, sums=True)


def morphological_geodesic_active_contour(
    gimage,
    num_iter,
    init_level_set="disk",
    smoothing=1,
    threshold="auto",
    balloon=0,
    iter_callback=_unheard,
):
    """Contour along edges: `segmentation.morphological_geodesic_active_contour`.

    Notes
    -----
    `iter_callback` gets the level set as a NumPy array, also for a CuPy image.
    """
    iterations, steps = _asked(gimage, num_iter, init_level_set, smoothing, iter_callback)
    if gimage.dtype.kind != "f":
        raise (Invalid if iterations else Declined)(
            "gimage is boolean or of integers, to which no floats are added; give "
            "skimage.util.img_as_float(gimage), which changes the result"
        )
    if type(balloon) not in (int, float) or not abs(balloon) <= sys.float_info.max:
        raise Declined("balloon is no number of Python's; give one, as 1")
    is_auto = isinstance(threshold, str) and threshold == "auto"
    if not is_auto and type(threshold) not in (int, float, np.float64):
        raise Declined("threshold is neither 'auto' nor a number of Python's; give float(...)")
    run = functools.partial(
        _geodesic, iterations, steps, init_level_set, iter_callback, threshold, balloon
    )
    return _plan(run, "gimage", gimage, iterations, steps, percentile=balloon and is_auto)


def _asked(image, num_iter, init_level_set, smoothing, iter_callback):
    """How many iterations, and steps of smoothing in each."""
    if image.ndim not in (2, 3):
        raise Invalid(f"image has {image.ndim} axes; give a plane or a volume")
    if image.dtype.char == "e":
        raise Declined("image is float16; give image.astype(numpy.float32)")
    if isinstance(init_level_set, str):
        if init_level_set not in _MAKERS:
            raise Invalid("init_level_set is no known name; give 'checkerboard' or 'disk'")
    elif not isinstance(getattr(init_level_set, "dtype", None), np.dtype):
        raise Declined("init_level_set is neither a name nor an array; give one")
    elif len(init_level_set.shape) != image.ndim:
        raise Invalid("init_level_set has another number of axes than the image")
    elif init_level_set.shape != image.shape or init_level_set.dtype.kind not in "biuf":
        raise Declined("init_level_set has another shape than the image, or no numbers; give one")
    if not callable(iter_callback):
        raise Invalid("iter_callback cannot be called; give a function, or leave it out")
    iterations, steps = integer("num_iter", num_iter), integer("smoothing", smoothing)
    if image.size == 0:
        raise Declined("image has no elements; nothing to change")
    if min(image.shape) < 2:
        raise (Invalid if iterations > 0 else Declined)(
            "image has an axis of length 1, which has no gradient; give a wider one"
        )
    return max(iterations, 0), max(steps, 0)


def _plan(run, parameter, image, iterations, steps, *, sums=False, percentile=False):
    """Plan of a call, with what it costs at most."""
    nbytes = image.size * image.dtype.itemsize
    if percentile:
        return Plan(run)
    more = max(0, -(-steps // _MOST_STEPS[image.ndim]) - 1)
    launches = 1 + iterations * (1 + sums + more)
    # boxes are read with their halo, from cache again
    read = 8 * image.size + iterations * (1 + sums) * (nbytes + image.size)
    read = 16 * (read + iterations * more * image.size)
    written = image.size + iterations * ((1 + more) * image.size + 64 * sums)
    written += iterations * sums * 24 * partial_sums(image.size)
    return Plan(run, cost=Cost(launches, read, written, 2 * image.size))


def _working(dtype):
    """Type in which images of `dtype` are computed (Working in the kernel)."""
    return dtype if dtype.kind == "f" else np.dtype(float)


def _chan_vese(
    iterations, steps, init, iter_callback, lambda1, lambda2, image, init_level_set=None
):
    image = xp.ascontiguousarray(image)
    value = _working(image.dtype)
    groups, halving = partial_sums(image.size), (depth(image.size), halves(image.size))
    partials, arrived = xp.empty(24 * groups, "uint8"), xp.zeros(1, "uint32")
    means = xp.empty(2, value)
    name = c_name(image.dtype)

    def move(levels, result, extent, smoothing):
        args = (image, levels, image.size, *map(np.int32, halving), partials, arrived, means)
        size = {"work": groups * _BLOCK, "block": _BLOCK}
        launch(_SOURCE, f"sum_sides<{name}>", args, **size)
        args = (image, levels, result, extent, smoothing, means, lambda1, lambda2)
        _launch_boxes(f"chan_vese<{image.ndim}, {name}>", args, image.shape, 1, smoothing)

    return _evolved(
        image.shape, iterations, steps, _first(init, image, init_level_set), iter_callback, move
    )


def _geodesic(
    iterations, steps, init, iter_callback, threshold, balloon, gimage, init_level_set=None
):
    image = xp.ascontiguousarray(gimage)
    most = 0.0
    if balloon:
        if isinstance(threshold, str):
            threshold = _percentile(image, 40)
        most = float(threshold / np.abs(balloon))
    pushes = np.int32((balloon > 0) - (balloon < 0))

    def move(levels, result, extent, smoothing):
        args = (image, levels, result, extent, smoothing, pushes, most)
        kernel = f"geodesic<{image.ndim}, {c_name(image.dtype)}>"
        _launch_boxes(kernel, args, image.shape, 2 if balloon else 1, smoothing)

    return _evolved(
        image.shape, iterations, steps, _first(init, image, init_level_set), iter_callback, move
    )


def _percentile(image, share):
    """As `numpy.percentile`, which computes the place in the image's own type."""
    place = (image.size - 1) * np.true_divide(share, image.dtype.type(100))
    before = min(int(np.floor(place)), image.size - 1)
    found = elements_at(image, np.array([before, min(before + 1, image.size - 1)]))
    if found is None:
        return image.dtype.type(np.nan)
    first, second = found
    part = type(place)(place - np.floor(place))
    between = second - first
    return second - between * (1 - part) if part >= 0.5 else first + between * part


def _first(init, image, init_level_set):
    """The first level set, a byte for each pixel."""
    if isinstance(init, str):
        name = f"skimage.segmentation:{init}_level_set"
        return xp.asarray(on_host(name, image.shape))
    return xp.ascontiguousarray(init_level_set > 0).view("int8")


def _evolved(shape, iterations, steps, levels, iter_callback, move):
    """The level set after all iterations.

    scikit-image's two operators take turns from call to call: whose turn it is outlasts the call.
    """
    is_heard = iter_callback is not _unheard
    axes, spare = len(shape), None
    extent = np.array((1, *shape)[-3:] if axes == 2 else shape)
    extent = np.array([tuple(extent)], _EXTENT)[0]
    most, before = _MOST_STEPS[axes], dilates_first(morphsnakes)
    if is_heard:
        levels = _told(iter_callback, levels)
    for _ in rounds(iterations):
        left, first = steps, True
        while first or left:
            part = min(left, most)
            smoothing = np.array([(part, before)], _SMOOTHING)[0]
            spare = xp.empty(shape, "int8") if spare is None else spare
            if first:
                move(levels, spare, extent, smoothing)
            else:
                args = (levels, spare, extent, smoothing)
                _launch_boxes(f"smooth<{axes}>", args, shape, 0, smoothing)
            levels, spare = spare, levels
            before, left, first = before ^ bool(part % 2), left - part, False
        if is_heard:
            levels = _told(iter_callback, levels)
    if before != dilates_first(morphsnakes):
        next(operators(morphsnakes).funcs)
    return levels


def _told(iter_callback, levels):
    """The level set after a callback has had it, as a NumPy array, which it may have changed."""
    told = to_host(levels)
    before = told.copy()
    iter_callback(told)
    return levels if np.array_equal(told, before) else xp.asarray(told)


def operators(morphsnakes):
    """The object of the module whose iterator `funcs` has the operators of smoothing in turn."""
    found = morphsnakes._curvop
    if isinstance(found, threading.local):  # from scikit-image 0.27 on each thread has its own
        if not hasattr(found, "c"):  # the first call of the thread makes it
            on_host("skimage.segmentation:morphological_chan_vese", np.zeros((2, 2)), 0)
        found = found.c
    return found


def dilates_first(morphsnakes):
    """Whether the next step of smoothing of the module dilates first, and then erodes."""
    turns = operators(morphsnakes).funcs
    operator = next(turns)
    next(turns)  # after the other one it is its turn again
    return operator.__code__.co_names[0] == "sup_inf"


def _launch_boxes(kernel, args, shape, reach, smoothing):
    axes = len(shape)
    halo = reach + 2 * int(smoothing["steps"])
    lengths = (1,) * (3 - axes) + tuple(shape)
    boxes = math.prod(-(-n // size) for n, size in zip(lengths, _BOX[axes], strict=True))
    cells = math.prod(n + 2 * halo for n in _BOX[axes][3 - axes :])
    launch(_SOURCE, kernel, args, work=boxes * _BLOCK, block=_BLOCK, shared=2 * cells)


def specializations():
    """Every (source, expression) that these functions launch."""
    for axes in (2, 3):
        yield _SOURCE, f"smooth<{axes}>"
        for dtype, name in C_NAMES.items():
            if dtype != "float16":
                yield _SOURCE, f"chan_vese<{axes}, {name}>"
        for name in ("float", "double"):
            yield _SOURCE, f"geodesic<{axes}, {name}>"
    for dtype, name in C_NAMES.items():
        if dtype != "float16":
            yield _SOURCE, f"sum_sides<{name}>"
