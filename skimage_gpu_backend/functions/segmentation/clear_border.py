"""skimage.segmentation.clear_border, equal to the last bit."""

import functools

import numpy as np

from ...device.dtypes import C_NAMES
from ...device.launches import Array
from ...plan import Declined, Invalid, Plan
from ...primitives.arguments import bits_of, integer, is_real
from ...primitives.components import MOST_AXES, cleared

_BOOL = np.dtype(bool)


def clear_border(labels, buffer_size=0, bgval=0, mask=None, *, out=None):
    """An image without the regions at its border: `segmentation.clear_border`.

    3 launches, whatever the image shows; the image is read twice, and once more along the borders
    of boxes, the mask once; 4 bytes a pixel (8 above 2**30 pixels) are written, joined along these
    borders and read, the result is written once. 16 bytes come to the host for floats. One more
    launch each makes strided arrays contiguous, and copies the result into labels that are out.
    """
    shape, dtype = labels.shape, labels.dtype
    axes = len(shape)
    if out is not None and out is not labels:
        raise Declined("out is another array than labels; give no out, or labels as out")
    if not axes or (dtype.kind != "b" and axes > 3):
        raise Invalid(f"labels has {axes} axes; give one to three, or labels != 0")
    if axes > MOST_AXES:
        raise Declined(f"labels has {axes} axes; give an image of up to {MOST_AXES}")
    if mask is None:
        within = inside(shape, buffer_size)
    else:
        within = ((0, 0),) * axes
        if not is_real(buffer_size):
            raise Declined("buffer_size is not a number; leave it out where a mask is given")
        if getattr(mask, "dtype", None) != _BOOL or mask.shape != shape:
            raise Invalid("mask is no boolean array of the shape of labels; give mask.astype(bool)")
    return _planned(
        shape, dtype, within, bits_of("bgval", bgval, "labels", dtype), mask is not None
    )


def inside(shape, buffer_size):
    """Along each axis the first pixel that is not at the border, and the first behind the last."""
    size = integer("buffer_size", buffer_size)
    if isinstance(buffer_size, np.unsignedinteger):
        raise Declined(
            "buffer_size is of an unsigned type, which has no negative; give int(buffer_size)"
        )
    if any(size >= length for length in shape):
        raise Invalid("buffer_size is not below each of the image's lengths; give a smaller one")
    ends = slice(size + 1), slice(-size - 1, None)  # negative ones count from the other end
    return tuple((ends[0].indices(n)[1], ends[1].indices(n)[0]) for n in shape)


@functools.lru_cache(maxsize=256)
def _planned(shape, dtype, inside, value, masked):
    image = Array(shape, dtype, "labels")
    mask = Array(shape, _BOOL, "mask") if masked else None
    launches = cleared(image, mask, inside, value)

    def run(labels, mask=None, out=None):
        result, told = launches(labels=labels, mask=mask)
        if dtype.kind == "f" and told.tolist()[1]:
            raise Declined(
                "labels has values that are NaN, infinite or of 2**63 or more; give "
                "numpy.nan_to_num(labels, posinf=0, neginf=0), which changes the result"
            )
        if out is None:
            return result
        out[...] = result
        return out

    return Plan(run, launches=launches)


def samples():
    """Plans that together ask for the kernels of this room, but for those of larger images."""
    for dtype in C_NAMES:
        yield clear_border(Array((4, 4), np.dtype(dtype)))
