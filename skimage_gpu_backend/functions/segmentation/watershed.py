"""skimage.segmentation.watershed, equal to the last label.

Cost: 10 launches for an image without equal values; 16 bytes a pixel are held, in a frame with a
border as wide as a neighbour is far. 5 more, a sort of CuPy's among them, but for images of 8 or 16
bits or in single precision. Each pass that tells ties apart takes 14, with a sort, and 24 bytes a
pixel more: up to 11 passes in images that were tried. Ties of markers, which are left to
scikit-image, are found after 0 or 1. Where only the lowest markers are tied, the host finds their
order from what is around each of them: 24 launches and a pass more. 12 bytes come to the host, and
16 a pass. Markers that are left out, or a number, are made on the device.
"""

import functools
import math

import numpy as np

from ...device.dtypes import C_NAMES
from ...device.launches import Array
from ...devices import xp
from ...plan import Declined, Invalid, Plan
from ...primitives.arguments import is_finite, small_array
from ...primitives.frames import MOST_AXES
from ...primitives.neighbours import footprint_of, given_footprint, middle
from ...primitives.watersheds import MOST_PIXELS, Watershed
from ...scikit_image import on_host
from ..measure.label import label
from ..morphology.local_maxima import local_minima


def watershed(
    image,
    markers=None,
    connectivity=1,
    offset=None,
    mask=None,
    compactness=0,
    watershed_line=False,
):
    """Basins that are flooded from markers: `segmentation.watershed`.

    Notes
    -----
    Calls with `compactness` or `watershed_line` run in scikit-image, and so do calls in which the
    order of markers of equal value, other than the lowest, decides the label of a pixel; this is
    known only after the flood. It does not happen where markers have distinct values, as in
    smoothed distances.
    """
    _refuse_other_floods(compactness, watershed_line)
    shape, dtype = image.shape, image.dtype
    if not shape or 0 in shape:
        raise Declined("image has no axes, or no elements; nothing to change")
    if len(shape) > MOST_AXES:
        raise Declined(f"image has {len(shape)} axes; give an image of up to {MOST_AXES}")
    _refuse_masks(mask, shape)
    made = _maker(image, markers, connectivity, mask)
    around = _around(connectivity, offset, len(shape))
    of_markers = made.dtype if made else markers.dtype
    floods = _floods(shape, dtype, of_markers, mask is not None, *around)
    if floods.size > MOST_PIXELS:
        raise Declined("image has more than 2**30 pixels; give a smaller one")

    def run(image, markers=None, mask=None):
        if mask is not None:
            mask = mask.astype(bool, copy=False)
        return floods(image, made.run(image, mask) if made else markers, mask)[0]

    return Plan(run)


def _refuse_other_floods(compactness, watershed_line):
    if not isinstance(watershed_line, bool | np.bool_ | int):
        raise Declined("watershed_line is neither True nor False; give one of them")
    if watershed_line:
        raise Declined(
            "watershed_line is set; leave it out, and use find_boundaries, which changes the result"
        )
    if not is_finite(compactness):
        raise Declined("compactness is no finite number; give one, as 0")
    if compactness > 0:
        raise Declined(
            "compactness is positive; leave it out, or use slic, which changes the result"
        )


def _refuse_masks(mask, shape):
    if mask is None:
        return
    if not isinstance(getattr(mask, "dtype", None), np.dtype):
        raise Declined("mask is no array; give numpy.asarray(mask)")
    if mask.shape != shape:
        raise Invalid("mask has another shape than image; give one of image.shape")
    if mask.dtype.name not in C_NAMES:
        raise Declined("mask has a dtype that no kernel knows; give booleans")


class _Maker:
    """Markers that are made on the device, of `dtype`, by `run`, which takes image and mask."""

    def __init__(self, run, dtype):
        self.run, self.dtype = run, np.dtype(dtype)


def _maker(image, markers, connectivity, mask):
    """What makes markers of what is given, or None where that are markers."""
    if markers is None:
        return _Maker(_minima(image, connectivity), np.int32)
    if isinstance(markers, np.generic) or not isinstance(getattr(markers, "dtype", None), np.dtype):
        if not is_finite(markers):
            raise Declined("markers are neither an array nor a number; give numpy.asarray(markers)")
        return _Maker(functools.partial(_seeds, image.shape, markers), np.int64)
    if markers.shape != image.shape:
        raise _wrong_shape(markers.shape, image.shape)
    if markers.dtype.kind not in "biu":
        raise Invalid("markers are no integers; give integers, as markers.astype(numpy.int32)")
    if _is_turned(markers) and _is_turned(mask):
        raise Declined(
            "markers and mask are both Fortran-contiguous, which scikit-image does not flood; "
            "give numpy.ascontiguousarray(markers)"
        )
    return None


def _wrong_shape(lengths, shape):
    words = "markers have another shape than image; give markers of image.shape"
    try:
        broadcast = np.broadcast_shapes(lengths, shape)
    except ValueError:
        broadcast = None
    return (Declined if broadcast == shape else Invalid)(words)


def _is_turned(array):
    """Whether NumPy makes a Fortran-contiguous array of it, as far as it has its way."""
    strides = getattr(array, "strides", None)
    if not strides:
        return False
    long = [abs(each) for each, n in zip(strides, array.shape, strict=True) if n > 1]
    return len(long) > 1 and long == sorted(long)


def _minima(image, connectivity):
    """What numbers an image's minima."""
    axes = len(image.shape)
    if not is_finite(connectivity):
        raise Declined("connectivity is no number, and markers are left out; give an integer")
    found = local_minima(image, connectivity=connectivity)
    steps = min(max(int(connectivity), 1), axes)
    numbered = label(Array(image.shape, np.dtype(bool)), connectivity=steps)

    def run(image, mask):
        minima = found.run(image=image)
        return numbered.run(label_image=minima if mask is None else minima & mask)

    return run


def _seeds(shape, number, image, mask):
    """So many markers on a grid, more where the mask takes some away."""
    inside = math.prod(shape) if mask is None else int(mask.sum())
    if not inside:
        raise Declined("mask has no pixels, and markers are a number; give markers")
    number = int(number / (inside / math.prod(shape)))
    if number <= 0:
        raise Declined("markers are fewer than one; give more")
    grid = on_host("skimage.util:regular_grid", shape, number)
    seeds = xp.zeros(shape, np.int64)
    places = seeds[grid]
    places[...] = xp.arange(1, places.size + 1).reshape(places.shape)
    return seeds


def _around(connectivity, offset, axes):
    """Lengths, bytes and centre of the footprint of a pixel's neighbours."""
    if connectivity is None or np.isscalar(connectivity):
        footprint = footprint_of(None, 1 if connectivity is None else connectivity, axes)
    else:
        footprint = given_footprint("connectivity", connectivity, axes)
    if offset is None:
        centre = middle("connectivity", footprint)
    else:
        offset = small_array("offset", offset)
        if offset.shape != (axes,) or offset.dtype.kind not in "iu":
            raise Declined(
                "offset is no integer for each axis; leave it out, which changes the result"
            )
        centre = tuple(offset.tolist())
    steps = np.argwhere(footprint) - np.array(centre)
    # scikit-image drops the nearest one, which it takes for the centre
    steps = steps[np.argsort((steps**2).sum(axis=1), kind="stable")[1:]]
    if {*map(tuple, steps)} != {*map(tuple, -steps)}:
        raise Declined(
            "connectivity is not symmetric about its centre, or 0 there; give such as disk(1)"
        )
    return footprint.shape, footprint.tobytes(), centre


@functools.lru_cache(maxsize=64)
def _floods(shape, dtype, of_markers, is_masked, lengths, footprint, centre):
    footprint = np.frombuffer(footprint, bool).reshape(lengths)
    return Watershed(shape, dtype, of_markers, is_masked, footprint, centre)
