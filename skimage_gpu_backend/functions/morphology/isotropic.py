"""skimage.morphology: isotropic_erosion, _dilation, _opening and _closing, equal to the last bit.

Cost of an erosion or dilation: 1 launch an axis, 2 for one axis, whatever the image shows; the
image is read and the result written once, 4 bytes a pixel are written and read between axes (8
where the spacing, or the length of an axis, takes double precision). Where the radius is more than
32 pixels, or squares are in double precision, each axis but the first writes 4 bytes a pixel more.
An opening or closing is two of them. One more launch makes a strided image contiguous, and one
copies into an `out` that is strided or of another dtype, or shares memory with the image.
"""

import functools
import math

import numpy as np

from ...device.dtypes import C_NAMES
from ...device.launches import Array, Cost, Launches
from ...plan import Declined, Invalid, Plan
from ...primitives.arguments import is_writeable
from ...primitives.distances import MOST_AXES, metric, radius_of, spacings, within

_BOOL = np.dtype(bool)


def isotropic_erosion(image, radius, out=None, spacing=None):
    """Pixels further than a radius from background: `morphology.isotropic_erosion`."""
    return _plan(image, radius, out, spacing, "erosion")


def isotropic_dilation(image, radius, out=None, spacing=None):
    """Pixels within a radius of the object: `morphology.isotropic_dilation`."""
    return _plan(image, radius, out, spacing, "dilation")


def isotropic_opening(image, radius, out=None, spacing=None):
    """Erosion, then dilation: `morphology.isotropic_opening`."""
    return _plan(image, radius, out, spacing, "erosion", "dilation")


def isotropic_closing(image, radius, out=None, spacing=None):
    """Dilation, then erosion: `morphology.isotropic_closing`."""
    return _plan(image, radius, out, spacing, "dilation", "erosion")


def _plan(image, radius, out, spacing, *operations):
    shape = image.shape
    if not shape:
        raise Declined("image has no axes; give numpy.atleast_1d(image)")
    if len(shape) > MOST_AXES:
        raise Declined(f"image has {len(shape)} axes; give an image of up to {MOST_AXES}")
    dtype = _BOOL if out is None else _written(out, image)
    far = radius_of("radius", radius)
    far = None if math.isnan(far) else far
    return _planned(shape, image.dtype, far, spacings(spacing, len(shape)), operations, dtype)


def _written(out, image):
    """The dtype of `out`, which is one that takes booleans."""
    if type(out) is not type(image):
        raise Declined("out is no array of the image's kind; give no out, and take the result")
    if out.shape != image.shape:
        raise Declined("out has another shape than the image; give no out, and take the result")
    if out.dtype.name not in C_NAMES or not out.dtype.isnative:
        raise Declined(f"out has dtype {out.dtype}; give no out, and take the result")
    if not is_writeable(out):
        raise Invalid("out is read-only; give an array that can be written")
    return out.dtype


@functools.lru_cache(maxsize=256)
def _planned(shape, dtype, far, spacing, operations, written):
    result, steps = Array(shape, dtype, "image"), []
    for operation in operations:
        is_erosion = operation == "erosion"
        # no distance is beyond a radius that is not a number, and none within it
        limit = (math.inf if is_erosion else -math.inf) if far is None else far
        measured = metric(shape, spacing, limit)
        made, result = within(result, is_erosion, measured, inside=not is_erosion)
        steps += made
    launches = Launches(steps, result)
    if written == _BOOL:
        return Plan(launches)

    def run(image, out):
        out[...] = launches(image=image)
        return out

    launched, read, written_before, between = launches.cost
    copied = result.size * written.itemsize
    cost = Cost(launched + 1, read + result.size, written_before + copied, between + result.size)
    return Plan(run, launches=launches, cost=cost)


def samples():
    """Plans that together ask for the kernels of this room, but for those of larger images."""
    for dtype in C_NAMES:
        for spacing in (1, 0.1):
            yield isotropic_opening(Array((4, 4, 4), np.dtype(dtype)), 2, spacing=spacing)
