"""skimage.measure.label, equal to the last number."""

import functools

import numpy as np

from ...device.dtypes import C_NAMES
from ...device.launches import Array
from ...devices import xp
from ...plan import Declined, Invalid, Plan, Slabs
from ...primitives.arguments import is_real, truth
from ...primitives.components import MOST_AXES, labelled
from ...primitives.slabs import NBYTES, ODD, labelled_in_slabs

_INT32, _INT64 = np.dtype(np.int32), np.dtype(np.int64)
_SMALL = 2**31 - 2  # from so many pixels on SciPy counts in 64 bits


def label(label_image, background=None, return_num=False, connectivity=None):
    """Numbers of connected regions of equal pixels: `measure.label`.

    4 launches, whatever the image shows; the image is read once, and once more along the borders
    of boxes; 4 bytes a pixel (8 from 2**31 pixels on) are written, joined along these borders and
    read twice, a quarter of a byte a pixel is written and read, the result is written once. 16
    bytes come to the host for `return_num`, and for floats. One more launch makes a
    strided image contiguous, and an image of planes whose last axis has one element.
    An image that does not fit is labelled in slabs, which the host joins.
    """
    shape, dtype = label_image.shape, label_image.dtype
    axes = len(shape)
    if dtype.kind != "b" and not 1 <= axes <= 3:
        raise Invalid(
            f"label_image has {axes} axes and is not boolean; give up to three, or label_image != 0"
        )
    if axes > MOST_AXES:
        raise Declined(f"label_image has {axes} axes; give an image of up to {MOST_AXES}")
    connectivity = axes if connectivity is None else _number("connectivity", connectivity)
    if not 1 <= connectivity <= axes:
        raise Invalid(f"connectivity is not within 1 and {axes}, the image's axes; give such")
    value = _background(dtype, 0 if background is None else _number("background", background))
    counts = truth("return_num", return_num)
    return _planned(shape, dtype, value, int(connectivity), counts)


def _number(name, value):
    """`value`, a plain number of whatever type, which may be NaN."""
    if not is_real(value):
        raise Declined(f"{name} is not a number; give an integer, as 1")
    return value


def _background(dtype, value):
    """The value of pixels that are labelled 0, as scikit-image has it in 64 bits."""
    if dtype.kind == "b":  # turned around where it is 1, else of no meaning
        return int(value == 1)
    try:
        value = int(value)
    except (OverflowError, ValueError):
        raise Invalid("background is not finite; give an integer, as 0") from None
    if not -(2**63) <= value < 2**63:
        raise Invalid("background is beyond what 64 bits hold; give an integer within") from None
    return value


@functools.lru_cache(maxsize=256)
def _planned(shape, dtype, background, connectivity, counts):
    turned = dtype.kind != "b" and _numbers_by_columns(shape)
    seen = shape[1::-1] if turned else shape
    image = Array(seen, dtype, "label_image")
    result = _INT32 if dtype.kind == "b" and image.size < _SMALL else _INT64
    launches = labelled(image, background, connectivity, result)

    def run(label_image):
        if not isinstance(label_image, xp.ndarray):
            labels, count = labelled_in_slabs(label_image, background, connectivity, result)
            return (labels, count) if counts else labels
        labels, told = launches(label_image=label_image[..., 0].T if turned else label_image)
        if turned:
            labels = labels.T[..., xp.newaxis]
        if not counts and dtype.kind != "f":
            return labels
        count, odd = told.tolist()
        if odd:
            raise Declined(ODD)
        return (labels, count) if counts else labels

    cost = launches.cost
    if turned:  # into a copy
        copied = {"read": cost.read + image.nbytes, "written": cost.written + image.nbytes}
        cost = cost._replace(launches=cost.launches + 1, **copied)
    return Plan(run, None if turned else Slabs(NBYTES), launches=launches, cost=cost)


def _numbers_by_columns(shape):
    """Whether scikit-image swaps the last axis, of length 1, with the first."""
    return len(shape) == 3 and shape[2] == 1 and min(shape[:2]) > 1


def samples():
    """Plans that together ask for the kernels of this room, but for those of larger images."""
    for dtype in C_NAMES:
        yield label(Array((4, 4), np.dtype(dtype)))
