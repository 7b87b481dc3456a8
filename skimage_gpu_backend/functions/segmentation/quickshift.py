"""skimage.segmentation.quickshift, equal to the last label."""

import functools
import math

import numpy as np

from ...device import c_name
from ...device.launches import Array, Cost, Launch, Launches, added
from ...devices import xp
from ...plan import Declined, Invalid, Plan
from ...primitives.arguments import integer, real, refuse_wider, truth
from ...primitives.channels import refuse_axis
from ...primitives.components import RANK_CHUNK, RANK_WORDS
from ...primitives.gaussian import steps_in_double
from ...primitives.stencils import LEAST_SIGMA
from ..color.cie import rgb2lab
from ..util.img_as import img_as_float

_SOURCE = "segmentation/quickshift.cu"
_BLOCK = 256
_RGB = 3
_MOST_REACH, _MOST_SIGMA = 1 << 20, 1 << 18
_NOISE = 0.00001
_INT, _LONG = np.dtype(np.int32), np.dtype(np.int64)
_PLANE = np.dtype(
    [("rows", "i8"), ("columns", "i8"), ("channels", "i4"), ("reach", "i4")], align=True
)


def quickshift(
    image,
    ratio=1.0,
    kernel_size=5,
    max_dist=10,
    return_tree=False,
    sigma=0,
    convert2lab=True,
    rng=42,
    *,
    channel_axis=-1,
):
    """Segments by quick shift in colour and place: `skimage.segmentation.quickshift`.

    4 launches, and one each for the conversion to Lab, or to floats, for the Gaussian
    (`primitives/gaussian.py`) and for a `ratio` other than 1. The image is read twice, with its
    noise, which NumPy draws on the host and which goes to the device; a density and an index a
    pixel are written and read, and the result is written once. Channels along another axis than the
    last take one launch more. Each pixel looks at all of its
    window, (2 reach + 1)**2 pixels where the reach is ``ceil(3 * kernel_size)``, twice.

    Notes
    -----
    Labels of RGB images in single precision may differ, since NumPy's rounding of Lab depends on
    the CPU: a pixel that is equally near to two parents may get the other label, and later labels
    shift.
    """
    shape = _three_axes(image.shape)
    axis = integer("channel_axis", channel_axis)
    refuse_axis(Array(shape, image.dtype), axis)
    if 0 in shape:
        raise Declined("image is empty; nothing to change")
    plane = (*_without(shape, axis), shape[axis])
    in_lab = truth("convert2lab", convert2lab)
    if in_lab and plane[-1] != _RGB:
        raise Invalid("image has not three channels; give convert2lab=False")
    dtype = np.dtype(np.float32 if image.dtype.char in "ef" else np.float64)
    refuse_wider("ratio", ratio, dtype)
    sigma = real("sigma", sigma)
    if sigma < 0:
        raise Invalid("sigma is negative; give a number from 0 on")
    if not sigma < _MOST_SIGMA:
        raise Declined("sigma reaches a million pixels far; give a smaller number")
    size, farthest = _number("kernel_size", kernel_size, dtype), real("max_dist", max_dist)
    with np.errstate(over="ignore"):
        farthest = dtype.type(farthest)
    seed = integer("rng", rng)
    if not 0 <= seed < 2**31:
        raise Invalid("rng is negative, or beyond what 32 bits hold; give a smaller seed")
    wants_tree = truth("return_tree", return_tree)
    prepare, cost = _prepared(plane, image.dtype, dtype, in_lab, sigma)
    launches = _planned(plane, dtype, size, farthest, wants_tree)

    def run(image):
        image = prepare(xp.moveaxis(image.reshape(shape), axis, -1))
        if ratio != 1:
            image = image * ratio
        noise = np.random.default_rng(seed).normal(scale=_NOISE, size=plane[:2])
        return launches(image=image, noise=xp.asarray(noise.astype(dtype, copy=False)))

    cost.append(launches.cost)
    if ratio != 1:
        cost.append(_pass(plane, dtype))
    if axis % 3 != 2:  # its channels are moved
        cost.append(_pass(plane, image.dtype))
    return Plan(run, launches=launches, cost=added(*cost))


def _three_axes(shape):
    """As `numpy.atleast_3d`."""
    if not 0 < len(shape) <= 3:
        raise (Invalid if shape else Declined)(
            f"image has {len(shape)} axes; give a plane, with its channels as a third axis"
        )
    return {1: (1, *shape, 1), 2: (*shape, 1), 3: shape}[len(shape)]


def _without(shape, axis):
    shape = list(shape)
    del shape[axis]
    return shape


def _number(name, value, dtype):
    """The size of the density's kernel, in the type that is computed in."""
    value = real(name, value)
    if value < 1:
        raise Invalid(f"{name} is below 1; give a number from 1 on")
    if not 3 * value < _MOST_REACH:
        raise Declined(f"{name} makes a window of a million pixels or more; give a smaller number")
    return dtype.type(value)


def _pass(plane, dtype):
    """What it costs to read an array and write another one."""
    nbytes = math.prod(plane) * dtype.itemsize
    return Cost(1, nbytes, nbytes, nbytes)


def _prepared(plane, source, dtype, in_lab, sigma):
    """What makes the image that is segmented, and the costs of it."""
    plans = []
    if in_lab:
        plans.append(("rgb", rgb2lab(Array(plane, source))))
    elif source.kind != "f":
        plans.append(("image", img_as_float(Array(plane, source))))
    costs = [plan.cost for _, plan in plans]
    smooth = None
    if sigma > LEAST_SIGMA:
        given = Array(plane, dtype, "image")
        smooth = Launches(*steps_in_double(given, (sigma, sigma, 0), "reflect"))
        costs.append(smooth.cost)

    def prepare(image):
        for name, plan in plans:
            image = plan.run(**{name: xp.ascontiguousarray(image)})
        image = image.astype(dtype, copy=False)
        return smooth(image=image) if smooth else image

    return prepare, costs


@functools.lru_cache(maxsize=256)
def _planned(plane, dtype, size, farthest, wants_tree):
    """Launches from the image as it is segmented, and its noise, to the result."""
    rows, columns, channels = plane
    pixels = rows * columns
    index = _INT if pixels < 2**31 else _LONG
    reach = min(math.ceil(dtype.type(3) * size), max(rows, columns))
    view = np.array([(rows, columns, channels, reach)], _PLANE)[0]
    exponent = dtype.type(-0.5 / float(size * size))
    image, noise = Array(plane, dtype, "image"), Array((rows, columns), dtype, "noise")
    density, labels = Array((rows, columns), dtype), Array((rows, columns), _LONG)
    links = Array((rows, columns), index)
    tree = Array((rows, columns), _LONG), Array((rows, columns), dtype)
    chunks = -(-pixels // RANK_CHUNK)
    words = Array((chunks * RANK_WORDS,), np.dtype(np.uint64))
    bases, arrived = Array((chunks,), index), Array((1,), np.dtype(np.uint32), zero=True)
    count = Array((1,), _LONG)
    typed, name = f"{c_name(dtype)}, {channels if channels in (1, _RGB) else 0}", c_name(index)
    shifted = (image, density, view, farthest, links, *(tree if wants_tree else (None, None)))
    numbered = (words, bases, pixels, links, labels)
    ranked = (links, index.type(pixels), words, bases, arrived, count)
    steps = (
        Launch(_SOURCE, f"densities<{typed}>", (image, noise, view, exponent, density), pixels),
        Launch(_SOURCE, f"shift<{typed}, {name}>", shifted, pixels),
        Launch(_SOURCE, f"rank_roots<{name}>", ranked, chunks * _BLOCK),
        Launch(_SOURCE, f"number<{name}>", numbered, pixels, over=(links,)),
    )
    return Launches(steps, (labels, *tree) if wants_tree else labels)


def samples():
    """Plans that together ask for the kernels of this room, but for those of larger images."""
    for dtype in (np.dtype(np.float32), np.dtype(np.float64)):
        for channels in (1, 2, _RGB):
            yield quickshift(Array((4, 4, channels), dtype), convert2lab=False)
