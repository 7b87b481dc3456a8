"""skimage.restoration.cycle_spin of scikit-image's own functions, added in scikit-image's order.

Cost: 2 launches for each shift beside those of the function, which read and write the image, its
result and the sum once each; the first shift is none and takes 1. The image comes to the device
once, and the mean goes back once. One launch more where channels are moved to the end.
"""

import functools
import itertools
import math

import numpy as np

from ..._warn import warn_caller
from ...device import c_name, launch
from ...device.launches import Array, Cost
from ...device.rounds import rounds
from ...devices import xp
from ...plan import Declined, Invalid, Plan
from ...primitives.arguments import integer
from ...primitives.channels import channels_moved, refuse_axis
from ...scikit_image import private
from ._denoiser import denoiser, refuse_many

DEPRECATED = private("_shared.utils").DEPRECATED

_SOURCE = "restoration/cycle_spin.cu"
_MOST_AXES = 8
_RINGS = np.dtype(
    [*((name, "i8", _MOST_AXES) for name in ("length", "ahead")), ("count", "i4")], align=True
)
_WORDS = {1: "unsigned char", 2: "unsigned short", 4: "unsigned int", 8: "unsigned long long"}
_NO_DASK = (
    "The optional dask dependency is not installed. The number of workers is set to 1. To silence "
    "this warning, install dask or explicitly set `workers=1` when calling the `cycle_spin` "
    "function"
)


@channels_moved()
def cycle_spin(
    x,
    func,
    max_shifts,
    shift_steps=1,
    num_workers=DEPRECATED,
    func_kw=None,
    *,
    workers=None,
    channel_axis=None,
):
    """Mean of what a function makes of a shifted image: `skimage.restoration.cycle_spin`.

    Notes
    -----
    The call runs on the device if `func` is a scikit-image function with a GPU version. Your own
    function runs on the host with NumPy arrays, and each scikit-image call in it copies its image
    to the device and back.
    """
    if x.ndim == 0 or x.size == 0:
        raise Declined("x has no axes, or no elements; nothing to change")
    if x.ndim > _MOST_AXES:
        raise Declined(f"x has {x.ndim} axes; give one of at most {_MOST_AXES}")
    if num_workers is not DEPRECATED:
        raise Declined("num_workers is deprecated in scikit-image; give workers instead")
    if workers is not None and (type(workers) is not int or workers < 1):
        raise Declined("workers is neither None nor a number from 1 on; leave it out")
    if type(func_kw) not in (dict, type(None)):
        raise Declined("func_kw is no dictionary; give one, as {'weight': 0.1}")
    if channel_axis is not None:
        refuse_axis(x, channel_axis)
    shifts = _shifts(x.ndim, channel_axis is not None, max_shifts, shift_steps)
    shape = list(x.shape)
    if channel_axis is not None:
        shape.append(shape.pop(channel_axis))
    moved = Array(tuple(shape), x.dtype)
    apply = denoiser("func", func, moved, func_kw or {})
    run = functools.partial(_run, apply, channel_axis, shifts, workers)
    return Plan(run, cost=apply.cost(len(shifts), _own_cost(moved, len(shifts))))


def _shifts(axes, multichannel, max_shifts, shift_steps):
    """All shifts, in scikit-image's order."""
    most = _each_axis("max_shifts", max_shifts, axes, multichannel, 0)
    steps = _each_axis("shift_steps", shift_steps, axes, multichannel, 1)
    if min(steps) < 1:
        raise Invalid("shift_steps is below 1; give steps from 1 on")
    if multichannel and most[-1]:
        raise Invalid("max_shifts shifts channels; give 0 for their axis")
    if min(most) < 0:
        raise Invalid("max_shifts is negative, so that there is no shift; give 0 or more")
    refuse_many("max_shifts", math.prod(n // step + 1 for n, step in zip(most, steps, strict=True)))
    ranges = (range(0, n + 1, step) for n, step in zip(most, steps, strict=True))
    return list(itertools.product(*ranges))


def _each_axis(name, value, axes, multichannel, of_channels):
    if np.isscalar(value):
        return (integer(name, value),) * (axes - multichannel) + (of_channels,) * multichannel
    if not isinstance(value, tuple | list | np.ndarray) or getattr(value, "ndim", 1) != 1:
        raise Declined(f"{name} is neither a number nor some; give an integer for each axis")
    value = tuple(integer(name, each) for each in value)
    if multichannel and len(value) == axes - 1:
        value = (*value, of_channels)
    if len(value) != axes:
        raise Invalid(f"{name} has another length than x has axes; give a number for each")
    return value


def _own_cost(image, shifts):
    """Of what stands around the calls; results may be in double precision."""
    read = image.nbytes * shifts + 8 * image.size * (2 * shifts - 1)
    written = image.nbytes * shifts + 8 * image.size * shifts
    return Cost(2 * shifts, read, written, image.nbytes + 8 * image.size)


def _run(apply, axis, shifts, workers, x):
    if workers != 1 and not private("restoration._cycle_spin").dask_available:
        warn_caller(_NO_DASK, UserWarning)
    if axis is not None:
        x = xp.moveaxis(x, axis, -1)
    x, total, count = xp.ascontiguousarray(x), None, len(shifts)
    for number in rounds(count):
        shift = shifts[number]
        made = xp.ascontiguousarray(apply(_turned(x, shift) if any(shift) else x))
        if total is None:
            total = xp.empty_like(made)
        divisor = made.dtype.type(count if number == count - 1 else 0)
        rings = _rings(made.shape, shift)
        args = (made, rings, total, not number, divisor, total, made.size)
        launch(_SOURCE, f"add_turned<{c_name(made.dtype)}>", args, work=made.size)
    return total if axis is None else xp.moveaxis(total, -1, axis)


def _turned(image, shift):
    """As `numpy.roll`."""
    result = xp.empty_like(image)
    args = (image, _rings(image.shape, [-each for each in shift]), result, image.size)
    words = tuple(each.view(f"u{image.dtype.itemsize}") for each in (args[0], result))
    args = (words[0], args[1], words[1], image.size)
    launch(_SOURCE, f"turned<{_WORDS[image.dtype.itemsize]}>", args, work=image.size)
    return result


def _rings(shape, ahead):
    """Rings in which places lie so far ahead; axes that are not turned join those before them."""
    lengths, distances = [], []
    for n, distance in zip(shape, ahead, strict=True):
        if lengths and not distance % n:
            lengths[-1] *= n
            distances[-1] *= n
        else:
            lengths.append(n)
            distances.append(distance % n)
    rings = np.zeros((), _RINGS)
    rings["length"][: len(lengths)], rings["ahead"][: len(lengths)] = lengths, distances
    rings["count"] = len(lengths)
    return rings[()]


def specializations():
    """Every (source, expression) that this room launches."""
    for name in _WORDS.values():
        yield _SOURCE, f"turned<{name}>"
    for name in ("float", "double"):
        yield _SOURCE, f"add_turned<{name}>"
