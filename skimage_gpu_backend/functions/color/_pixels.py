"""What rooms of colour conversions share: the axis of the channels, one launch for each image."""

import functools
import math

import numpy as np

from ...device.dtypes import c_name
from ...device.launches import Array, Launch, Launches
from ...plan import Declined, Invalid, Plan, Reach
from ...primitives.arguments import integer
from ...primitives.channels import refuse_axis

_FLOAT32, _FLOAT64 = np.dtype(np.float32), np.dtype(np.float64)


def channels_moved(function):
    """`function` as scikit-image's `channel_as_last_axis` makes it: `channel_axis` is a number.

    The decorator moves the channels of images that are given by position; with those given by
    keyword it does nothing.
    """

    @functools.wraps(function)
    def planned(*args, channel_axis=-1, **kwargs):
        axis = one_axis(channel_axis)
        if not args and axis != -1:
            raise Declined(
                "channel_axis is given and the image by its name, where scikit-image does "
                "not look at channel_axis; give the image by position"
            )
        return function(*args, channel_axis=axis, **kwargs)

    return planned


def one_axis(axis) -> int:
    """The axis of the channels as scikit-image's decorator takes it: None is the last."""
    if type(axis) is int:
        return axis
    if axis is None:
        return -1
    if isinstance(axis, tuple | list):
        if len(axis) > 1:
            raise Invalid("only a single channel axis is supported")
        if not axis:
            raise Declined("channel_axis is empty; give an integer, as -1")
        (axis,) = axis
    if not isinstance(axis, int | np.integer):
        raise Declined("channel_axis is not an integer; give one, as -1")
    return integer("channel_axis", axis)


def compute_type(dtype):
    """Type that scikit-image computes in: float32 for float16 and float32, else float64."""
    return _FLOAT32 if dtype.char in "ef" else _FLOAT64


def axis_of(image, axis, least=3, most=3):
    """The axis of the channels, counted from the front."""
    refuse_axis(image, axis)
    channels = image.shape[axis]
    if channels < least or (most and channels > most):
        wanted = least if most else f"{least} or more"
        raise Invalid(f"the image has {channels} channels, not {wanted}")
    return axis % image.ndim


def pixels_around(shape, axis):
    """Pixels of an image with channels at `axis`, and how many of them follow the axis."""
    inner = math.prod(shape[axis + 1 :])
    return math.prod(shape[:axis]) * inner, inner


def pixelwise(ndim, axis, added=0) -> Reach:
    """Reach where channels at `axis` stay together and leave `added` (0, -1) axes more."""
    halo = tuple(None if a == axis else 0 for a in range(ndim))
    return Reach(halo, tuple(a + added * (a > axis) for a in range(ndim)), arrays=1)


def conversion(name, image, axis, *steps, into=None) -> Plan:
    """Plan that sends each pixel of `image` through `steps`; see `converted`."""
    return Plan(*converted(name, image.shape, image.dtype, axis, *steps, into=into))


@functools.lru_cache(maxsize=256)
def converted(name, shape, dtype, axis, *steps, into=None, clipped=False):
    """Each pixel sent through `steps` in one launch.

    Parameters
    ----------
    name : str
        Parameter of the image.
    shape : tuple of int
    dtype : numpy.dtype
    axis : int
        Of the channels, counted from the front.
    *steps : tuple
        A function of ``_steps`` and what it takes besides the type to compute in. The first step
        takes the channels of the image, the last gives those of the result; one channel leaves
        the axis out. Further channels are passed on.
    into : numpy.dtype, optional
        Type to compute in, where it is not `compute_type` of the image's.
    clipped : bool
        Whether the result is a pair: the pixels that a step clipped are counted, too.

    Returns
    -------
    launches : Launches
    reach : Reach
    """
    pixels, inner = pixels_around(shape, axis)
    w = into or compute_type(dtype)
    steps = [step(w, *args) for step, *args in steps]
    kept = shape[axis] - steps[0].inputs + steps[-1].outputs
    result = Array((*shape[:axis], *([kept] if kept > 1 else []), *shape[axis + 1 :]), w)
    counter = (Array((1,), np.dtype(np.uint64), zero=True),) if clipped else ()
    functors = ", ".join(step.functor for step in steps)
    expression = f"convert{'_counted' * clipped}<{c_name(dtype)}, {c_name(w)}, {functors}>"
    arrays = Array(shape, dtype, name), result, *counter
    numbers = pixels, inner, shape[axis], *(step.numbers for step in steps)
    step = Launch("color/convert.cu", expression, (*arrays, *numbers), pixels)
    launches = Launches([step], (result, *counter) if clipped else result)
    return launches, pixelwise(len(shape), axis, -(kept == 1))
