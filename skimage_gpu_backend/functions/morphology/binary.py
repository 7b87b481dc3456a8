"""skimage.morphology.binary_erosion, binary_dilation, binary_opening and binary_closing.

They are deprecated; launches and bytes are those of `gray` for boolean images. An image of another
dtype is made boolean first, by one more launch, and one copies into an `out` of another dtype.
"""

import functools

import numpy as np

from ...device.dtypes import C_NAMES
from ...device.launches import Array, Launches
from ...plan import Declined, Invalid, Plan, Reach, warned
from ...primitives.arguments import is_writeable
from ...primitives.flat_filters import ITSELF, MOST_AXES, Border, launches
from ...primitives.flat_tiles import Step
from ...primitives.stencils import along
from .gray import copied, flat_steps, with_out_by_name

_BOOL = np.dtype(bool)
# what is beyond the border in an erosion, and in a dilation
_BEYOND = {"max": (1, 1), "min": (0, 0), "ignore": (1, 0)}
_DEPRECATED = (
    "`binary_{0}` is deprecated since version 0.26 and will be removed in version 0.28."
    " Use `skimage.morphology.{0}` instead.{1}"
)
_SHIFTED = " Note the pixel shift by 1 for even-sized footprints (see docstring notes)."
_MIRRORED = " Note the lack of mirroring for non-symmetric footprints (see docstring notes)."


@with_out_by_name
def binary_erosion(image, footprint=None, out=None, *, mode="ignore"):
    """Whether all of each footprint is true: `skimage.morphology.binary_erosion`. 1 launch."""
    return _plan("erosion", _SHIFTED, (False,), image, footprint, out, mode)


@with_out_by_name
def binary_dilation(image, footprint=None, out=None, *, mode="ignore"):
    """Whether any of each footprint is true: `skimage.morphology.binary_dilation`. 1 launch."""
    return _plan("dilation", _MIRRORED, (True,), image, footprint, out, mode)


@with_out_by_name
def binary_opening(image, footprint=None, out=None, *, mode="ignore"):
    """A dilation of the erosion: `skimage.morphology.binary_opening`. 1 launch."""
    return _plan("opening", "", (False, True), image, footprint, out, mode)


@with_out_by_name
def binary_closing(image, footprint=None, out=None, *, mode="ignore"):
    """An erosion of the dilation: `skimage.morphology.binary_closing`. 1 launch."""
    return _plan("closing", "", (True, False), image, footprint, out, mode)


def _plan(operation, note, kinds, image, footprint, out, mode):
    if not isinstance(mode, str) or mode not in _BEYOND:
        raise Invalid("mode is unknown; give one, as 'ignore'")
    if not 1 <= image.ndim <= MOST_AXES:
        raise Declined(f"image has {image.ndim} axes; give one of 1 to {MOST_AXES}")
    if image.size == 0:
        raise Declined("image is empty; nothing to change")
    if image.dtype.char == "e":
        raise Invalid("image is float16, which SciPy refuses; give it as float32")
    flats, _ = flat_steps(footprint, image.ndim, is_binary=True)
    if out is not None:
        _check_out(out, image)
    plan = _planned(image.shape, image.dtype, kinds, flats, mode)
    if out is not None and out.dtype != _BOOL:
        plan = copied(plan, image.size, out)
    return warned(plan, _DEPRECATED.format(operation, note), FutureWarning)


def _check_out(out, image):
    if type(out) is not type(image):
        raise Declined("out is no array of the image's kind; give no out, and take the result")
    if out.shape != image.shape:
        raise Invalid("out has another shape than the image; give no out, and take the result")
    if out.dtype.name not in C_NAMES or out.dtype.char == "e" or not out.dtype.isnative:
        raise Declined(f"out has dtype {out.dtype}; give a boolean out")
    if not is_writeable(out):
        raise Invalid("out is read-only; give an array that can be written")


@functools.lru_cache(maxsize=256)
def _planned(shape, dtype, kinds, flats, mode):
    image = Array(shape, _BOOL, "image", converted=dtype != _BOOL)
    result = Array(shape, _BOOL)
    # a dilation turns its footprint round
    steps = tuple(
        Step(is_dilation, flat.mirrored if is_dilation else flat)
        for is_dilation in kinds
        for flat in flats
    )
    border = Border("constant", _BEYOND[mode])
    made = Launches(launches(image, steps, border, ITSELF, result), result)
    reach = [sum(step.footprint.reach[axis] for step in steps) for axis in range(len(shape))]
    return Plan(made, Reach(along(reach, border.mode)))
