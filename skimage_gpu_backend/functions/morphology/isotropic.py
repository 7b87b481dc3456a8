"""skimage.morphology: isotropic_erosion, _dilation, _opening and _closing, equal to the last bit.

Cost of an erosion or dilation: 1 launch an axis, 2 for one axis, whatever the image shows; the
image is read and the result written once, 4 bytes a pixel are written and read between axes (8
where the spacing, or the length of an axis, takes double precision). Where the radius is more than
32 pixels, or squares are in double precision, each axis but the first writes 4 bytes a pixel more.
An opening or closing is two of them. One more launch makes a strided image contiguous, and one
copies into an `out` that is strided or of another dtype, or shares memory with the image. An image
that does not fit is cut into tiles; a first pass looks whether there is anything to measure from.
"""

import functools
import itertools
import math

import numpy as np

from ...device.dtypes import C_NAMES
from ...device.launches import Array, Cost, Launches
from ...devices import xp
from ...plan import Declined, Invalid, Passes, Plan, Reach
from ...primitives.arguments import is_writeable
from ...primitives.distances import MOST_AXES, metric, radius_of, spacings, within

_BOOL = np.dtype(bool)
_BLOCK = 2**16  # pixels of which a first pass makes a step at a time
_NO_POINTS = (
    "image does not fit on the device, and after a step it is all object or all background, which "
    "SciPy measures from a place outside; nothing to change"
)


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
    launches, halo = _of_shape(shape, dtype, far, spacing, operations)
    result, reach = launches.result, None
    if halo is not None:
        asked = far, spacing, operations
        find, make = (functools.partial(each, *asked) for each in (_refuse_odd, _of_tile))
        reach = Passes(find, make, Reach(halo))
    if written == _BOOL:
        return Plan(launches, reach)

    def run(image, out):
        out[...] = launches(image=image)
        return out

    launched, read, written_before, between = launches.cost
    copied = result.size * written.itemsize
    cost = Cost(launched + 1, read + result.size, written_before + copied, between + result.size)
    return Plan(run, reach, launches=launches, cost=cost)


@functools.lru_cache(maxsize=256)
def _of_shape(shape, dtype, far, spacing, operations, *, is_part=False):
    """Launches, and how far a pixel of the result looks; None where it looks at the whole image.

    A part of an image is `is_part` of one that has points, in each step.
    """
    result, steps, halo = Array(shape, dtype, "image"), [], (0,) * len(shape)
    any_point = Array((1,), np.dtype(np.uint32), "any_point") if is_part else None
    for operation in operations:
        is_erosion = operation == "erosion"
        # no distance is beyond a radius that is not a number, and none within it
        limit = (math.inf if is_erosion else -math.inf) if far is None else far
        measured = metric(shape, spacing, limit)
        made, result = within(result, is_erosion, measured, not is_erosion, any_point)
        steps += made
        reach = measured.reach
        halo = halo and reach and tuple(a + b for a, b in zip(halo, reach, strict=True))
    return Launches(steps, result), halo


def _of_tile(far, spacing, operations, _, image):
    launches, _ = _of_shape(image.shape, image.dtype, far, spacing, operations, is_part=True)
    return launches(image=image, any_point=xp.ones(1, "uint32"))


def _refuse_odd(far, spacing, operations, image):
    """Refuse an image, which comes in pieces, of which a step has no points.

    SciPy measures from a place outside of such an image, which a tile does not know.
    """
    first, *second = operations
    if not any(_has_points(first, part) for part in image):
        raise Declined(_NO_POINTS)
    if second and not any(
        _has_points(second[0], each)
        for part in image
        for each in _after(first, far, spacing, part, image.shape)
    ):
        raise Declined(_NO_POINTS)


def _has_points(operation, image):
    """Whether there is what distances are measured from: background, or an object."""
    return bool((image == 0).any() if operation == "erosion" else (image != 0).any())


def _after(operation, far, spacing, part, shape):
    """What a step makes of a part of an image of `shape`, but for what its surroundings decide.

    It is made block by block, as a part leaves little memory.
    """
    _, halo = _of_shape(shape, part.dtype, far, spacing, (operation,))
    side = math.ceil(_BLOCK ** (1 / part.ndim))
    lengths = [max(4 * edge + 1, side) for edge in halo]
    cuts = [
        [slice(start, start + length) for start in range(0, n, length)]
        for n, length in zip(part.shape, lengths, strict=True)
    ]
    for place in itertools.product(*cuts):
        block = xp.ascontiguousarray(part[place])
        made = _of_tile(far, spacing, (operation,), None, block)
        yield made[
            tuple(
                slice(None) if n == whole else slice(edge, max(n - edge, edge))
                for n, whole, edge in zip(block.shape, shape, halo, strict=True)
            )
        ]


def samples():
    """Plans that together ask for the kernels of this room, but for those of larger images."""
    for dtype in C_NAMES:
        for spacing in (1, 0.1):
            yield isotropic_opening(Array((4, 4, 4), np.dtype(dtype)), 2, spacing=spacing)
