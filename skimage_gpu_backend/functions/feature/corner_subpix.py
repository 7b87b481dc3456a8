"""skimage.feature.corner_subpix.

Cost: 1 launch, with a block for each corner, which reads the window around it.
"""

import functools

import numpy as np
from scipy import stats

from ...device.dtypes import C_NAMES, c_name
from ...device.launches import Array, Launch, Launches
from ...plan import Declined, Invalid, Plan
from ...primitives.arguments import real, refuse_but_arrays
from ...primitives.gaussian import working

_SOURCE = "feature/corner_subpix.cu"
_BLOCK = 64  # THREADS in corner_subpix.cu


def corner_subpix(image, corners, window_size=11, alpha=0.99):
    """Corners to a fraction of a pixel: `skimage.feature.corner_subpix`."""
    refuse_but_arrays(corners=corners)
    if not corners.size:
        raise Declined("corners are empty; nothing to change")
    if image.ndim != 2 or corners.ndim != 2 or corners.shape[1] != 2:
        raise Invalid("image is no plane, or corners are not pairs; give two columns")
    if type(window_size) not in (int, np.int64):
        raise Declined("window_size is not an integer; give one, as 11")
    if window_size < 1:
        raise Invalid("window_size is not above 0")
    if type(corners) is not type(image) or corners.dtype.kind not in "iu":
        raise Declined("corners is no array of integers of the image's kind; give one of NumPy's")
    if max(image.shape) + window_size > np.iinfo(corners.dtype).max:
        raise Declined("corners have few bits for this image; give corners.astype(int)")
    level = real("alpha", alpha)
    return _planned(image.shape, image.dtype, *corners.shape, corners.dtype, window_size, level)


@functools.lru_cache(maxsize=256)
def _planned(shape, dtype, count, _, kind, window_size, alpha):
    reach, redundancy = (int(window_size) - 1) // 2, float(int(window_size) ** 2 - 2)
    least_of_dot = float(stats.f.isf(1 - alpha, redundancy, redundancy))
    most_of_edge = float(stats.f.isf(alpha, redundancy, redundancy))
    computed, integer = working(dtype), np.dtype(np.int64)
    image = Array(shape, dtype, "image")
    corners = Array((count, 2), integer, "corners", converted=kind != integer)
    outside = Array((1,), np.dtype(np.int32), zero=True)
    result = Array((count, 2), computed)
    args = image, corners, *shape, count, reach, most_of_edge, least_of_dot, outside, result
    step = Launch(_SOURCE, f"refine_corners<{c_name(dtype)}>", args, _BLOCK * count, _BLOCK)
    launches = Launches((step,), (result, outside))
    return Plan(functools.partial(_refined, launches), launches=launches)


def _refined(launches, image, corners):
    result, outside = launches(image=image, corners=corners)
    if int(outside[0]):
        raise Declined(
            "corners lie on the border or outside, where scikit-image cuts windows; give inner ones"
        )
    return result


def samples():
    """Plans that together ask for every kernel of this room."""
    for dtype in C_NAMES:
        yield corner_subpix(Array((9, 9), np.dtype(dtype)), Array((2, 2), np.dtype(np.int64)))
