"""What optical flows share: pyramids of both images, and flows from a level to the next."""

import functools
import itertools
import math

import numpy as np
from scipy import ndimage

from ...device import c_name, launch
from ...device.launches import Array, Cost, Launches
from ...devices import xp
from ...plan import Declined, Invalid
from ...primitives.arguments import integer, refuse_but_arrays
from ...primitives.gaussian import in_double, steps_in_double
from ..filters.median import median
from ..transform.resize import resize
from ..util.img_as import img_as_float32, img_as_float64

_SOURCE = "registration/ilk.cu"
_SIGMA = 2 * 2 / 6.0  # of what is made half as large
_MOST_LEVELS, _LEAST = 10, 16  # levels, and length of the shortest axis of the coarsest one


def checked(reference_image, moving_image, num_warp, dtype):
    """Type of the flow, and how often it is made anew on a level."""
    refuse_but_arrays(reference_image=reference_image, moving_image=moving_image)
    if reference_image.shape != moving_image.shape:
        raise Invalid("moving_image has another shape than reference_image; give one of the same")
    try:
        value = np.dtype(dtype)
    except TypeError:
        raise Invalid("dtype is none; give numpy.float32 or numpy.float64") from None
    if value.char not in "fd" or not value.isnative:
        raise Invalid("dtype is neither float32 nor float64; give one of them")
    if reference_image.ndim not in (2, 3):
        raise Declined("reference_image is neither a plane nor a volume; nothing to change")
    warps = integer("num_warp", num_warp)
    if warps < 1:
        raise Declined("num_warp is below 1, so that nothing moves; nothing to change")
    if min(reference_image.shape) < 2:
        raise Invalid("reference_image has an axis without a slope; give a wider one")
    return value, warps


def shapes_of(shape):
    """Shapes of a pyramid's images, the finest one first."""
    shapes = [shape]
    while len(shapes) < _MOST_LEVELS and min(shapes[-1]) > 2 * _LEAST:
        shapes.append(tuple(math.ceil(length / 2) for length in shapes[-1]))
    return shapes


def pyramid(image, value):
    """The images of a pyramid, the finest one first."""
    if image.dtype != value:
        image = _floating(image, value).run(image=image)
    images = [xp.ascontiguousarray(image)]
    for shape in shapes_of(image.shape)[1:]:
        # as pyramid_reduce, rounded where SciPy rounds: iterations magnify what differs
        smooth = in_double(images[-1], (_SIGMA,) * image.ndim, "reflect")
        images.append(_smaller(smooth, shape).run(image=smooth))
    return images


def _floating(image, value):
    return (img_as_float32 if value.itemsize == 4 else img_as_float64)(image)


def _smaller(image, shape):
    return resize(image, shape, order=1, mode="reflect", anti_aliasing=False, clip=False)


@functools.lru_cache(maxsize=64)
def cost(shape, dtype, value, warps, of_warp, kept, smooths):
    """At most, of a flow between two images.

    Parameters
    ----------
    shape : tuple of int
    dtype, value : numpy.dtype
        Of the images and of the flow.
    warps : int
        On each level.
    of_warp : tuple of int
        Its launches, and the numbers for each pixel that they read and write.
    kept : int
        Numbers for each pixel that a level has beside the flow.
    smooths : bool
        Whether medians of the flow are taken before a warp.
    """
    axes, shapes = len(shape), shapes_of(shape)
    parts = [] if dtype == value else [_floating(Array(shape, dtype, "image"), value).cost]
    for larger, smaller in itertools.pairwise(shapes):
        image = Array(larger, value, "image")
        steps = steps_in_double(image, (_SIGMA,) * axes, "reflect")
        parts += [Launches(*steps).cost, _smaller(image, smaller).cost]
    launches, read, written, _ = (2 * sum(each) for each in zip(Cost(0, 0, 0), *parts, strict=True))
    medians = (1 if axes == 2 else axes + 1, 2 * axes, 2 * axes) if smooths else (0, 0, 0)
    of_warp = [one + more for one, more in zip(of_warp, medians, strict=True)]
    numbers = value.itemsize * sum(map(math.prod, shapes))
    between = numbers * (2 + axes) + value.itemsize * math.prod(shape) * (kept + medians[1])
    launches += len(shapes) * warps * of_warp[0] + len(shapes) - 1
    few = 8 * sum(map(sum, shapes)) + warps * axes * sum(map(math.prod, shapes)) // 8
    read += numbers * (axes + warps * of_warp[1]) + few
    written += numbers * (axes + warps * of_warp[2]) + few
    return Cost(launches, read, written, between)


def resized(flow, shape):
    """The flow for images of `shape`, as _resize_flow of skimage/registration."""
    axes, before = flow.shape[0], flow.shape[1:]
    scales = [new / old for new, old in zip(shape, before, strict=True)]
    places = [
        ndimage.zoom(np.arange(old, dtype=float), scale, order=0, mode="nearest", prefilter=False)
        for old, scale in zip(before, scales, strict=True)
    ]
    table = xp.asarray(np.concatenate(places).astype(np.int64))
    struct = np.zeros((), [("from", "i8", axes), ("to", "i8", axes), ("scale", "f8", axes)])
    struct["from"], struct["to"], struct["scale"] = before, shape, scales
    result = xp.empty((axes, *shape), flow.dtype)
    kernel = f"resized_flow<{axes}, {c_name(flow.dtype)}>"
    launch(_SOURCE, kernel, (flow, table, struct[()], result), work=math.prod(shape))
    return result


def without_outliers(flow):
    """Medians of each component over its neighbours."""
    axes = flow.ndim - 1
    if axes == 2:
        return _median(flow, (1, 3, 3))
    return xp.stack([_median(component, (3, 3, 3)) for component in flow])


def _median(image, extent):
    plan = median(Array.given("image", image), np.ones(extent, bool), mode="reflect")
    return plan.run(image=image)
