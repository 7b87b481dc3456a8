"""skimage.filters.butterworth."""

import functools
import operator

import numpy as np
from scipy import fft

from ...device.lazy import cp
from ...plan import Declined, Invalid, Plan
from ...primitives.arguments import integer, real, refuse_wider, truth
from ...primitives.channels import refuse_axis
from ...primitives.gaussian import working


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

    Fourier transforms are CuPy's.
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
    response = functools.partial(
        _response,
        factor=factor,
        order=order,
        high_pass=truth("high_pass", high_pass),
        squared=truth("squared_butterworth", squared_butterworth),
    )
    dtype = working(image.dtype)

    def run(image):
        inner = tuple(slice(margin, margin + length) for length in image.shape)
        if margin:
            image = cp.pad(image, margin, mode="edge")
        lengths = [image.shape[axis] for axis in axes]
        spectrum = cp.fft.rfftn(image.astype(dtype, copy=False), axes=axes)
        spectrum *= response(lengths, axes, image.ndim, dtype)
        return cp.fft.irfftn(spectrum, s=lengths, axes=axes)[inner]

    return Plan(run)


def _response(lengths, axes, ndim, dtype, *, factor, order, high_pass, squared):
    """What frequencies are multiplied with, in an array of `ndim` axes.

    As _get_nd_butterworth_filter of skimage/filters/_fft_based.py.
    """
    squares = []
    for length, axis in zip(lengths, axes, strict=True):
        places = np.arange(-(length - 1) // 2, (length - 1) // 2 + 1) / (length * factor)
        along = fft.ifftshift(places**2)
        if axis == axes[-1]:
            along = along[: length // 2 + 1]
        squares.append(cp.asarray(along).reshape([-1 if k == axis else 1 for k in range(ndim)]))
    distance = functools.reduce(operator.add, squares).astype(dtype)
    distance = cp.power(distance, dtype.type(order))
    response = 1 / (1 + distance)
    if high_pass:
        response *= distance
    return response if squared else cp.sqrt(response)
