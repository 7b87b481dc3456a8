"""skimage.segmentation.find_boundaries, equal to the last bit."""

import functools
import math

import numpy as np

from ...device.launches import Array, Launches
from ...devices import to_host
from ...plan import Declined, Invalid, Plan, Reach
from ...primitives.arguments import is_real
from ...primitives.boundaries import MOST_AXES, between, bounded

_UINT8 = np.dtype(np.uint8)


def find_boundaries(label_img, connectivity=1, mode="thick", background=0):
    """Pixels at the boundaries of labels: `segmentation.find_boundaries`.

    1 launch; labels are read once, the result is written once. 4 bytes come to the host for floats
    and integers of 64 bits, but for the mode "subpixel". One more launch makes strided labels
    contiguous.
    """
    label = background_of(label_img, mode, background)
    if not is_real(connectivity) or math.isnan(connectivity):
        raise Declined("connectivity is not a number; give an integer, as 1")
    steps = int(min(max(connectivity, 1), label_img.ndim))
    return _planned(label_img.shape, label_img.dtype, steps, mode, label)


def background_of(label_img, mode, background, name="background"):
    """The label that is background, None where none is; labels without boundaries are declined.

    `name` is the background's parameter.
    """
    shape, dtype = label_img.shape, label_img.dtype
    if len(shape) > MOST_AXES:
        raise Declined(f"label_img has {len(shape)} axes; give an image of up to {MOST_AXES}")
    if not isinstance(mode, str):
        raise Declined("mode is not a string; give a mode, as 'thick'")
    if not shape:
        is_answered = mode == "subpixel" and dtype.kind in "biu"
        raise (Declined if is_answered else Invalid)("label_img has no axes; give an image")
    if dtype.char == "e":
        if 0 in shape and mode not in ("outer", "subpixel"):
            raise Declined("label_img is float16; give integers")
        raise Invalid("label_img is float16; give integers")
    if mode in ("outer", "subpixel") and dtype.kind == "f":
        raise Invalid("label_img is of floats, which this mode does not take; give integers")
    if mode == "subpixel" and 0 in shape:
        raise Invalid("label_img has no elements; give another mode")
    return _as_label(name, background, dtype) if mode in ("inner", "outer") else None


def _as_label(name, number, dtype):
    """The label of `dtype` that NumPy finds equal to a number; None where there is none."""
    if not is_real(number):
        raise Declined(f"{name} is not a number; give a label, as 0")
    dtype = _UINT8 if dtype.kind == "b" else dtype
    if dtype.kind == "f":
        with np.errstate(over="ignore"):
            label = dtype.type(number)
        is_exact = isinstance(number, bool | int | float) or label == number
        if np.isinf(label) and not np.isinf(float(number)):
            raise Declined(f"{name} is beyond what label_img's dtype holds; give a label")
        return label if is_exact and label == label else None
    limits = np.iinfo(dtype)
    if isinstance(number, float | np.floating):
        if 2**53 <= abs(number) <= limits.max:
            raise Declined(f"{name} is a float of which digits are lost; give an integer")
        if not float(number).is_integer():
            return None
    return int(number) if limits.min <= int(number) <= limits.max else None


def outlined(labels, connectivity, mode, label):
    """Launch that marks boundaries, the boundaries, and where it tells of odd labels, or None."""
    if mode == "subpixel":
        return (*between(labels), None)
    step, result, told = bounded(labels, connectivity, mode, label)
    may_be_odd = labels.dtype.kind == "f" or labels.dtype.itemsize == 8
    return step, result, told if may_be_odd else None


def refuse_odd(told):
    """Decline labels of which a launch told that they are odd."""
    if told is not None and to_host(told)[0]:
        raise Declined(
            "label_img has labels that are NaN or the largest of 64 bits; give smaller ones, as "
            "by skimage.segmentation.relabel_sequential, which changes the result"
        )


@functools.lru_cache(maxsize=256)
def _planned(shape, dtype, connectivity, mode, label):
    labels = Array(shape, dtype, "label_img")
    step, result, told = outlined(labels, connectivity, mode, label)
    reach = None if mode == "subpixel" else Reach((1,) * labels.ndim)
    if told is None:
        return Plan(Launches([step], result), reach)
    launches = Launches([step], (result, told))

    def run(label_img):
        boundaries, told = launches(label_img=label_img)
        refuse_odd(told)
        return boundaries

    return Plan(run, reach, launches=launches)
