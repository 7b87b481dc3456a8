"""skimage.color: colour differences between two Lab images.

Cost of every function here: 1 launch; both images are read once and the result is written
once. Of two images with different dtypes each that has not the type of the result is cast to
it first, one more launch.
"""

import functools
import math

import numpy as np

from ...device.dtypes import C_NAMES, c_name
from ...device.launches import Array, Launch, Launches
from ...plan import Declined, Invalid, Plan
from ...primitives.arguments import integer, refuse_but_arrays
from ._pixels import compute_type, pixels_around, pixelwise
from ._steps import bare, struct


def deltaE_cie76(lab1, lab2, channel_axis=-1):
    """Euclidean distance in Lab: `skimage.color.deltaE_cie76`."""
    return _difference("Cie76", lab1, lab2, channel_axis)


def deltaE_ciede94(lab1, lab2, kH=1, kC=1, kL=1, k1=0.045, k2=0.015, *, channel_axis=-1):
    """CIE 1994 colour difference: `skimage.color.deltaE_ciede94`.

    What agrees to the usual bound is its square: for equal colours scikit-image gives the
    square root of a rounding error.
    """
    weights = {"kH": kH, "kC": kC, "kL": kL, "k1": k1, "k2": k2}
    return _difference("Ciede94", lab1, lab2, channel_axis, **weights)


def deltaE_ciede2000(lab1, lab2, kL=1, kC=1, kH=1, *, channel_axis=-1):
    """CIEDE2000 colour difference: `skimage.color.deltaE_ciede2000`.

    The formula jumps where two hues are opposite; there a last bit decides.
    """
    refuse_but_arrays(lab1=lab1, lab2=lab2)
    if lab1.ndim == 0:
        raise Invalid("an image has no channels")
    channel_axis = integer("channel_axis", channel_axis) % lab1.ndim
    return _difference("Ciede2000", lab1, lab2, channel_axis, kL=kL, kC=kC, kH=kH)


def deltaE_cmc(lab1, lab2, kL=1, kC=1, *, channel_axis=-1):
    """CMC l:c colour difference: `skimage.color.deltaE_cmc`.

    What agrees to the usual bound is its square: for equal colours scikit-image gives the
    square root of a rounding error.
    """
    refuse_but_arrays(lab1=lab1, lab2=lab2)
    if lab1.ndim == lab2.ndim == 1 and _both_single(lab1, lab2):
        raise Declined(
            "lab1 and lab2 are single colours in float32, which are compared in another "
            "dtype than images; give them as float64"
        )
    return _difference("Cmc", lab1, lab2, channel_axis, kL=kL, kC=kC)


def _difference(formula, lab1, lab2, channel_axis, **weights):
    refuse_but_arrays(lab1=lab1, lab2=lab2)
    labs = lab1, lab2
    axes = tuple(_axis_of(lab, integer("channel_axis", channel_axis)) for lab in labs)
    shapes = tuple(lab.shape for lab in labs)
    _refuse_to_broadcast([_pixels_of(*each) for each in zip(shapes, axes, strict=True)])
    single = _both_single(lab1, lab2)
    numbers = tuple((name, _number(name, value, single)) for name, value in weights.items())
    return _planned(formula, shapes, axes, lab1.dtype, lab2.dtype, *numbers)


@functools.lru_cache(maxsize=256)
def _planned(formula, shapes, axes, dtype1, dtype2, *weights):
    w = np.result_type(compute_type(dtype1), compute_type(dtype2))
    source = dtype1 if dtype1 == dtype2 else w
    labs = [
        Array(shape, source, name, converted=source != dtype)
        for shape, name, dtype in zip(shapes, ("lab1", "lab2"), (dtype1, dtype2), strict=True)
    ]
    own = [_pixels_of(*each) for each in zip(shapes, axes, strict=True)]
    result = Array(np.broadcast_shapes(*own), w)
    pixels = result.size
    layouts = [_layout(*each, pixels) for each in zip(shapes, axes, strict=True)]
    numbers = struct(w, **dict(weights)) if weights else bare(formula).numbers
    expression = f"delta_e<{c_name(source)}, {c_name(w)}, {formula}>"
    arguments = (*labs, result, pixels, *layouts, numbers)
    reach = pixelwise(len(shapes[0]), axes[0], -1) if shapes[0] == shapes[1] else None
    step = Launch("color/delta_e.cu", expression, arguments, pixels)
    return Plan(Launches([step], result), reach)


def _layout(shape, axis, pixels):
    """Struct `LabLayout`; an image of one pixel stands still."""
    own, inner = pixels_around(shape, axis)
    return struct(np.int64, inner=inner, channels=shape[axis], step=int(own == pixels))


def _axis_of(lab, axis):
    if not -lab.ndim <= axis < lab.ndim:
        raise Invalid("channel_axis exceeds the dimensions of an image")
    if lab.shape[axis] < 3:
        raise Invalid("an image has less than 3 channels")
    return axis % lab.ndim


def _pixels_of(shape, axis):
    """Shape without the channels."""
    return shape[:axis] + shape[axis + 1 :]


def _refuse_to_broadcast(shapes):
    """Images of one shape are taken, and one pixel beside an image."""
    try:
        pixels = math.prod(np.broadcast_shapes(*shapes))
    except ValueError:
        raise Invalid("the shapes of the images do not fit together") from None
    if shapes[0] != shapes[1] and any(math.prod(shape) not in (1, pixels) for shape in shapes):
        raise Declined("images differ in shape; give numpy.broadcast_to(...) for the smaller one")


def _both_single(lab1, lab2):
    return lab1.dtype.char in "ef" and lab2.dtype.char in "ef"


def _number(name, value, single):
    """A weight; one of NumPy's would change the type of what is computed in float32."""
    if type(value) not in (int, float, bool) and (single or not isinstance(value, float)):
        raise Declined(f"{name} is no plain number; give one of Python's, as 1.0")
    try:
        return float(value)
    except OverflowError:
        raise Declined(f"{name} is larger than any float; give a smaller number") from None


def samples():
    """Plans that together ask for every kernel of this room."""
    for dtype in C_NAMES:
        labs = (Array((4, 4, 3), np.dtype(dtype)),) * 2
        for function in (deltaE_cie76, deltaE_ciede94, deltaE_ciede2000, deltaE_cmc):
            yield function(*labs)
