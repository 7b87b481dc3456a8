"""skimage.measure.blur_effect."""

import functools
import itertools
import math

import numpy as np

from ...device.dtypes import c_name
from ...device.launches import Array, Launch, Launches, added
from ...devices import to_host
from ...plan import Declined, Invalid, Plan
from ...primitives.arguments import integer
from ...primitives.correlate import correlation
from ...primitives.gaussian import split, weight_of
from ...primitives.stencils import BOUNDARY, MOST_AXES
from ..color.gray import rgb2gray
from ..filters.edges import WEIGHTS
from ..util.img_as import img_as_float

_SOURCE = "measure/blur.cu"
_BLOCK = 256  # THREADS in the kernel
_LONGEST = 1 << 12
_INSIDE = np.dtype([("shape", "i8", MOST_AXES), ("strides", "i8", MOST_AXES), ("begin", "i8")])


def blur_effect(image, h_size=11, channel_axis=None, reduce_func=np.max):
    """How blurred an image is: `skimage.measure.blur_effect`.

    2 launches for each axis; the image is read twice for each, once blurred along it, which is
    written and read once. 1 launch more makes colour gray or integers floats, which is written
    once. A few numbers come to the host, where `reduce_func` is called.
    """
    if not (reduce_func is None or callable(reduce_func)):
        raise Invalid("reduce_func cannot be called; give a function, as numpy.max, or None")
    size = integer("h_size", h_size)
    if size < 1:
        raise Invalid("h_size is below 1; give an integer from 1 on, as 11")
    if size > _LONGEST:
        raise Declined(f"h_size is beyond {_LONGEST}; give a smaller one, as 11")
    before, shape, dtype = [], image.shape, image.dtype
    if channel_axis is not None:
        gray = rgb2gray(image, channel_axis=_axis(channel_axis, image))
        before.append(("rgb", gray))
        shape, dtype = gray.launches.result.shape, gray.launches.result.dtype
    if dtype.char == "e":
        raise Invalid("image is float16, which SciPy does not filter; give image.astype('float32')")
    if min(shape, default=0) < 4:
        raise Declined("image has no inside: an axis is shorter than 4; nothing to change")
    if len(shape) > MOST_AXES:
        raise Declined(f"image has {len(shape)} axes; give one of at most {MOST_AXES}")
    if dtype.kind != "f":
        before.append(("image", img_as_float(Array(shape, dtype))))
        dtype = np.dtype(float)
    measured = _measured(shape, dtype, size, inside(shape))
    cost = added(measured.cost, *(plan.cost for _, plan in before))
    between = cost.between + measured.steps[0].arguments[0].nbytes * bool(before)
    run = functools.partial(_run, tuple(before), measured, reduce_func)
    return Plan(run, launches=measured, cost=cost._replace(between=between))


def _axis(channel_axis, image):
    axis = integer("channel_axis", channel_axis)
    if not -image.ndim <= axis < image.ndim:
        raise Invalid("channel_axis exceeds the dimensions of the image")
    return axis % image.ndim


def inside(shape):
    """Along each axis the first element whose edges count, and the first behind these."""
    return tuple((2, n - 1) for n in shape)


def edges_inside(size, within, image):
    """Sums of edges of a grey image, and of what blurring takes of them, for each axis.

    Launches and reads as `blur_effect`'s.

    Parameters
    ----------
    size : int
        Of the blurring filter.
    within : tuple of tuple of int
        Elements whose edges count, as `inside` gives them; one at least.
    image : cupy.ndarray
    """
    if image.dtype.kind != "f":
        image = img_as_float(Array(image.shape, image.dtype)).run(image=image)
    return _measured(image.shape, image.dtype, size, within)(image=image)


@functools.lru_cache(maxsize=256)
def _measured(shape, dtype, size, within):
    """Launches that find the sums of edges, and of what is lost of them, for each axis."""
    image, axes = Array(shape, dtype, "image"), len(shape)
    found = Array((axes, 2), np.dtype(float))
    arrived = Array((axes, 1), np.dtype(np.uint32), zero=True)
    inner = np.zeros((), _INSIDE)
    strides = np.cumprod([1, *shape[:0:-1]])[::-1]
    inner["shape"] = 1
    inner["shape"][MOST_AXES - axes :] = [behind - first for first, behind in within]
    inner["strides"][MOST_AXES - axes :] = strides
    inner["begin"] = strides @ [first for first, _ in within]
    count = math.prod(behind - first for first, behind in within)
    steps = []
    for axis, sums, counter in zip(range(axes), found, arrived, strict=True):
        blurred = Array(shape, dtype)
        along = np.zeros((size, axes), int)
        along[:, axis] = np.arange(size) - size // 2
        weights = np.full(size, 1 / size)
        steps.append(correlation(image, blurred, along, weights, BOUNDARY["reflect"]))
        ways, weights = _edge(axis, axes)
        weights = Array.of(split(weights, weight_of(dtype)).view(float))
        arrays = Array.of((ways * strides).sum(axis=1)), weights, np.int32(len(ways))
        partials = Array((-(-count // _BLOCK), 2), np.dtype(float))
        args = image, blurred, *arrays, inner[()], count, partials, counter, sums
        steps.append(Launch(_SOURCE, f"lost_edges<{c_name(dtype)}>", args, count, _BLOCK))
    return Launches(steps, found)


def _edge(axis, axes):
    """The Sobel filter along `axis`: ways to neighbours, in SciPy's order, and their weights."""
    (middle, side), _ = WEIGHTS["sobel"]
    ways = [w for w in itertools.product((-1, 0, 1), repeat=axes) if w[axis]]
    smooth = {-1: side, 0: middle, 1: side}
    weights = [w[axis] * math.prod(smooth[s] for s in (*w[:axis], *w[axis + 1 :])) for w in ways]
    return np.array(ways), np.array(weights, float)


def _run(before, measured, reduce_func, image):
    for parameter, plan in before:
        image = plan.run(**{parameter: image})
    measures = [np.abs(sharp - lost) / sharp for sharp, lost in to_host(measured(image=image))]
    return measures if reduce_func is None else reduce_func(measures)


def samples():
    """Plans that together ask for every kernel of this room."""
    for name in ("float32", "float64"):
        yield blur_effect(Array((9, 8), np.dtype(name)))
