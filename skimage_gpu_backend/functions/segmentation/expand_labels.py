"""skimage.segmentation.expand_labels, equal to the last bit."""

import functools
import math

import numpy as np

from ...device.dtypes import C_NAMES
from ...device.launches import Array, Launches
from ...plan import Declined, Invalid, Plan, Reach
from ...primitives.distances import MOST_AXES, labelled, metric, radius_of, spacings


def expand_labels(label_image, distance=1, spacing=1):
    """Labels grown into the background around them: `segmentation.expand_labels`.

    1 launch an axis, 2 for one axis, whatever the image shows; labels are read twice and written
    once, 8 bytes a pixel are written and read between axes (12 where the spacing, or the length of
    an axis, takes double precision; 4 more from 2**31 pixels on). Where the distance is more than
    32 pixels, or squares are in double precision, each axis but the first writes 4 bytes a pixel
    more. One more launch makes strided labels contiguous.
    """
    shape = label_image.shape
    if not shape:
        raise Invalid("label_image has no axes; give an image")
    if len(shape) > MOST_AXES:
        raise Declined(f"label_image has {len(shape)} axes; give an image of up to {MOST_AXES}")
    far = radius_of("distance", distance)
    far = -1.0 if math.isnan(far) else far  # nothing is within either
    return _planned(shape, label_image.dtype, far, spacings(spacing, len(shape)))


@functools.lru_cache(maxsize=256)
def _planned(shape, dtype, far, spacing):
    measured = metric(shape, spacing, far)
    steps, result = labelled(Array(shape, dtype, "label_image"), measured)
    reach = measured.reach and Reach(measured.reach, arrays=3)
    return Plan(Launches(steps, result), reach)


def samples():
    """Plans that together ask for the kernels of this room, but for those of larger images."""
    for dtype in C_NAMES:
        for spacing in (1, 0.1):
            yield expand_labels(Array((4, 4, 4), np.dtype(dtype)), 2, spacing)
