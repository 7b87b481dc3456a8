"""skimage.filters.butterworth."""

import functools
import math
import operator

import numpy as np
from scipy import fft

from ...device import c_name, launch
from ...devices import xp
from ...plan import Declined, Invalid, Plan
from ...primitives.arguments import integer, real, refuse_wider, truth
from ...primitives.channels import refuse_axis
from ...primitives.gaussian import working

_SOURCE = "filters/butterworth.cu"


def butterworth(
    image,
    cutoff_frequency_ratio=0.005,
    high_pass=True,
    order=2.0,
    channel_axis=None,
    *,
    squared_butterworth=True,
    npad=0,
):
    """Frequencies above or below one: `skimage.filters.butterworth`.

    1 launch between Fourier transforms, which are CuPy's: it reads and writes the spectrum.
    """
    if image.ndim == 0 or image.size == 0:
        raise Declined("image has no axes, or is empty; nothing to change")
    factor = real("cutoff_frequency_ratio", cutoff_frequency_ratio)
    if factor < 0 or factor > 0.5:
        raise Invalid("cutoff_frequency_ratio is outside of the range; give a number up to 0.5")
    refuse_wider("order", order, image.dtype)
    order = real("order", order)
    margin = integer("npad", npad)
    if margin and np.asarray(npad).dtype.kind in "bu":
        raise Invalid("npad is of a type that NumPy does not pad by; give an int from 0 on")
    if margin < 0:
        raise Invalid("npad is negative; give a number from 0 on")
    axes = list(range(image.ndim))
    if isinstance(channel_axis, bool | np.bool_):
        raise Invalid("channel_axis is a truth value; give an integer")
    if channel_axis is not None:
        channel = integer("channel_axis", channel_axis)
        refuse_axis(image, channel)
        del axes[channel]
    if not axes:
        raise Declined("image has no axis beside that of the channels; give one that has")
    is_high, is_squared = (
        truth("high_pass", high_pass),
        truth("squared_butterworth", squared_butterworth),
    )
    dtype = working(image.dtype)

    def run(image):
        inner = tuple(slice(margin, margin + length) for length in image.shape)
        if margin:
            image = xp.pad(image, margin, mode="edge")
        lengths = [image.shape[axis] for axis in axes]
        spectrum = xp.fft.rfftn(image.astype(dtype, copy=False), axes=axes)
        spectrum = xp.ascontiguousarray(spectrum)
        _respond(spectrum, lengths, axes, factor, (dtype.type(order), is_high, is_squared))
        return xp.fft.irfftn(spectrum, s=lengths, axes=axes)[inner]

    return Plan(run)


def _respond(spectrum, lengths, axes, factor, options):
    """The kernel, in place."""
    shape, last, dtype = spectrum.shape, axes[-1], spectrum.real.dtype
    squares = []
    for length, axis in zip(lengths, axes, strict=True):
        places = np.arange(-(length - 1) // 2, (length - 1) // 2 + 1) / (length * factor)
        along = fft.ifftshift(places**2)[: shape[axis]]
        squares.append(along.reshape([-1 if k == axis else 1 for k in range(last + 1)]))
    across = functools.reduce(operator.add, squares[:-1], np.zeros((*shape[:last], 1)))
    distances = xp.asarray(np.concatenate([across.ravel(), squares[-1].ravel()]))
    across, along = distances[: across.size], distances[across.size :]
    sizes = shape[last], math.prod(shape[last + 1 :]), spectrum.size
    numbers = spectrum.view(dtype)
    args = (numbers, across, along, *sizes, *options, numbers)
    launch(_SOURCE, f"respond<{c_name(dtype)}>", args, work=spectrum.size)


def specializations():
    """Every (source, expression) that the function launches."""
    return [(_SOURCE, f"respond<{name}>") for name in ("float", "double")]
