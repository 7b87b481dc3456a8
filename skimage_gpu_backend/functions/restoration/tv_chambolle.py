"""skimage.restoration.denoise_tv_chambolle, equal to the last bit.

Cost: 1 launch an iteration for all channels together, which reads the image and a number of each
axis and writes one of each axis, in single precision for float16 and float32 images, else in
double. One more makes the result, one each brings other dtypes to floats and the axis of channels
to the front. The device knows itself when a channel changes no more. The host asks whether all have
stopped after 16 iterations, then 32 and each 64 more; those that are launched beyond the last
return at once.
"""

import functools
import math

import numpy as np

from ...device import launch
from ...device.dtypes import c_name
from ...device.kernels import resident_blocks
from ...device.launches import Array, Cost
from ...device.rounds import batches
from ...devices import to_host, xp
from ...plan import Declined, Idle, Invalid, Plan
from ...primitives.arguments import integer, refuse_wider
from ...primitives.gaussian import working
from ...primitives.pairwise import depth, halves, partial_sums
from ..util.img_as import img_as_float

_SOURCE = "restoration/tv_chambolle.cu"
_BLOCK, _FIRST, _MOST = 256, 16, 64  # threads; iterations before the host asks
_AXES, _MOST_CHANNELS = 4, 65535
_EXTENT = [(name, "i8", _AXES) for name in ("shape", "strides")]
_LATTICE = np.dtype([*_EXTENT, ("size", "i8"), ("depth", "i4"), ("halves", "i4")], align=True)
_CONTROL = np.dtype(
    [
        *((name, "f8") for name in ("first", "previous")),
        *((name, "u4") for name in ("arrived", "stopped", "steps", "unused")),
    ]
)
_NUMBERS = ("tau", "by_weight", "weight", "eps", "size")


def denoise_tv_chambolle(image, weight=0.1, eps=2.0e-4, max_num_iter=200, *, channel_axis=None):
    """Image of less total variation: `skimage.restoration.denoise_tv_chambolle`."""
    if image.ndim == 0 or image.size == 0:
        raise Declined("image has no axes, or no elements; nothing to change")
    value = working(image.dtype)
    axes, channels, inner = list(image.shape), 1, 1
    if channel_axis is not None:
        channel_axis = integer("channel_axis", channel_axis) % image.ndim
        inner = math.prod(image.shape[channel_axis + 1 :])
        channels = axes.pop(channel_axis)
    if not 1 <= len(axes) <= _AXES:
        raise Declined(
            f"image has {len(axes)} axes beside that of the channels; give one of 1 to {_AXES}"
        )
    if channels > _MOST_CHANNELS:
        raise Declined(f"image has more than {_MOST_CHANNELS} channels; give fewer at a time")
    most = _iterations(max_num_iter)
    numbers = _numbers(weight, eps, math.prod(axes), len(axes), value)
    lattice = _lattice(axes)
    run = functools.partial(_run, channel_axis, lattice, numbers, most, inner)
    return Plan(run, cost=_cost(image, value, most, len(axes), channels, lattice))


def _iterations(max_num_iter):
    refuse_wider("max_num_iter", max_num_iter, np.dtype(float))
    if not max_num_iter > 0:
        raise Invalid("max_num_iter allows no iteration, which gives no image; give a larger one")
    most = math.inf if float(max_num_iter) > 2**31 else math.ceil(max_num_iter)
    if most == 1:
        raise Declined(
            Idle("max_num_iter is 1, which leaves the image as it is; give a larger one")
        )
    return most


def _numbers(weight, eps, size, axes, value):
    """Numbers of the kernel, of the dtype `value`."""
    for name, number in (("weight", weight), ("eps", eps)):
        refuse_wider(name, number, value)
    if weight == 0:
        raise Declined("weight is 0, by which is divided; give another number")
    tau = 1.0 / (2.0 * axes)
    with np.errstate(all="ignore"):
        by_weight = tau / weight
        if value.itemsize < 8 and isinstance(by_weight, np.float64) and type(weight) is not float:
            raise Declined("weight makes a quotient in double precision; give float(weight)")
        try:
            numbers = [value.type(n) for n in (tau, by_weight, weight, eps, float(size))]
        except OverflowError:
            numbers = [value.type(np.inf)]
    if not np.isfinite(numbers).all():
        raise Declined("weight or eps, or what divides by it, is not finite; give finite numbers")
    return np.array([tuple(numbers)], [(name, value) for name in _NUMBERS])[0]


def _lattice(axes):
    lattice = np.zeros((), _LATTICE)
    lattice["shape"][: len(axes)] = axes
    lattice["strides"][: len(axes)] = np.cumprod([1, *axes[:0:-1]])[::-1]
    size = math.prod(axes)
    lattice["size"], lattice["depth"], lattice["halves"] = size, depth(size), halves(size)
    return lattice[()]


def _cost(image, value, most, axes, channels, lattice):
    """At most, where the number of iterations is bounded."""
    if most == math.inf:
        return None
    floats, steps = image.size * value.itemsize, most - 1
    few = channels * (2 * value.itemsize * partial_sums(int(lattice["size"])) + _CONTROL.itemsize)
    read = 8 * image.size + floats + steps * ((1 + axes) * floats + few) + (1 + 2 * axes) * floats
    written = 3 * floats + steps * (axes * floats + few)
    return Cost(steps + 3, read + few, written, (2 * axes + 2) * floats + few)


def _run(channel_axis, lattice, numbers, most, inner, image):
    shape, value = image.shape, numbers.dtype["tau"]
    if image.dtype.kind != "f":
        image = img_as_float(Array(shape, image.dtype)).run(image=image)
    if channel_axis is not None:
        image = xp.moveaxis(image, channel_axis, 0)
    image = xp.ascontiguousarray(image, value)
    channels = 1 if channel_axis is None else len(image)
    axes = len(shape) - (channel_axis is not None)
    types = f"{c_name(value)}, {axes}"
    size = int(lattice["size"])
    groups = partial_sums(size)
    even, odd = (xp.empty((channels, axes, size), value) for _ in range(2))
    partials = xp.empty((channels, groups, 2), value)
    controls = xp.zeros(channels * _CONTROL.itemsize, "uint8")
    over = {"work": groups * _BLOCK, "block": _BLOCK}
    over["grid"] = min(groups, resident_blocks(_BLOCK)), channels

    for end, numbers_of in batches(most - 1, _FIRST, _MOST):
        for number in numbers_of:
            fields = (odd, even) if number % 2 else (even, odd)
            args = (image, *fields, lattice, numbers, np.uint32(number), partials, controls)
            launch(_SOURCE, f"step<{types}>", args, **over)
        if end < most - 1 and to_host(controls).view(_CONTROL)["stopped"].all():
            break
    result = xp.empty(shape, value)
    over["grid"] = min(-(-size // _BLOCK), resident_blocks(_BLOCK)), channels
    args = (image, even, odd, lattice, controls, inner, result)
    launch(_SOURCE, f"denoised<{types}>", args, **over)
    return result


def specializations():
    """Every (source, expression) that this room launches."""
    for name in ("float", "double"):
        for axes in range(1, _AXES + 1):
            yield _SOURCE, f"step<{name}, {axes}>"
            yield _SOURCE, f"denoised<{name}, {axes}>"
