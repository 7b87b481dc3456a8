"""skimage.feature.corner_subpix, scikit-image's positions to the last bit.

Cost: 2 launches, the first with 9 threads for each corner, the second with one; each reads the
windows around the corners. Between them 72 bytes for each corner come to the host, where LAPACK
solves two systems of two equations for each, as scikit-image lets it, and 32 bytes or less go back:
what LAPACK takes for singular is up to its rounding.
"""

import functools

import numpy as np
from scipy import stats

from ...device.dtypes import C_NAMES, c_name
from ...device.launches import Array, Launch, Launches
from ...device.lazy import cp
from ...plan import Declined, Invalid, Plan
from ...primitives.arguments import real, refuse_but_arrays
from ...primitives.gaussian import working
from ...primitives.pairwise import depth

_SOURCE = "feature/corner_subpix.cu"
_SUMS, _BLOCK = 9, 64  # SUMS and THREADS in corner_subpix.cu
_MOST_WINDOW = 90  # whose elements fit into the buffer of NumPy's sums


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
    if window_size > _MOST_WINDOW:
        raise Declined(f"window_size is above {_MOST_WINDOW}; give a smaller one, as 11")
    if type(corners) is not type(image) or corners.dtype.kind not in "iu":
        raise Declined("corners is no array of integers of the image's kind; give one of NumPy's")
    if max(image.shape) + window_size > np.iinfo(corners.dtype).max:
        raise Declined("corners have few bits for this image; give corners.astype(int)")
    level = real("alpha", alpha)
    return _planned(image.shape, image.dtype, *corners.shape, corners.dtype, window_size, level)


@functools.lru_cache(maxsize=256)
def _planned(shape, dtype, count, _, kind, window_size, alpha):
    reach, redundancy = (int(window_size) - 1) // 2, int(window_size) ** 2 - 2
    least_of_dot = float(stats.f.isf(1 - alpha, redundancy, redundancy))
    most_of_edge = float(stats.f.isf(alpha, redundancy, redundancy))
    side, computed, integer = 2 * reach + 1, working(dtype), np.dtype(np.int64)
    image = Array(shape, dtype, "image")
    corners = Array((count, 2), integer, "corners", converted=kind != integer)
    sums = Array((count, _SUMS), np.dtype(np.float64))
    halved = np.int32(depth(side * side))
    args = image, corners, *shape, count, reach, halved, sums
    name = c_name(dtype)
    first = Launch(_SOURCE, f"gradient_sums<{name}>", args, _SUMS * count, _BLOCK)
    estimates, result = Array((count, 4), computed, "estimates"), Array((count, 2), computed)
    args = image, corners, estimates, *shape, count, reach, halved, most_of_edge, least_of_dot
    second = Launch(_SOURCE, f"refine_corners<{name}>", (*args, result), count, _BLOCK)
    steps = Launches((first,), sums), Launches((second,), result)
    both = Launches((first, second), result)
    return Plan(functools.partial(_refined, *steps, computed), launches=both)


def _refined(sums_of, refine, computed, image, corners):
    image, corners = cp.ascontiguousarray(image), cp.ascontiguousarray(corners, np.int64)
    sums = sums_of(image=image, corners=corners).get()
    if (sums[:, 0] < 0).any():
        raise Declined(
            "corners lie on the border or outside, where scikit-image cuts windows; give inner ones"
        )
    estimates = cp.asarray(_estimates(sums, computed))
    return refine(image=image, corners=corners, estimates=estimates)


def _estimates(sums, computed):
    """Both places of each corner, from the middle of its window, as LAPACK finds them."""
    xx, xy, yy, xx_x, xx_y, xy_x, xy_y, yy_x, yy_y = sums.T
    dot = np.array([[xx, -xy], [-xy, yy]]), np.array([xx_y - xy_x, yy_x - xy_y])
    edge = np.array([[yy, xy], [xy, xx]]), np.array([yy_y + xy_x, xx_x + xy_y])
    singular = np.zeros(len(sums), bool)
    places = [
        _solved(np.moveaxis(a, -1, 0).astype(computed), b.T[..., None].astype(computed), singular)
        for a, b in (dot, edge)
    ]
    estimates = np.concatenate(places, axis=1)
    estimates[singular] = np.nan
    return estimates


def _solved(a, b, singular):
    """Solutions of many systems; tells of which there is none."""
    try:
        return np.linalg.solve(a, b)[..., 0]
    except np.linalg.LinAlgError:
        if len(a) == 1:
            singular[:] = True
            return np.zeros((1, 2), a.dtype)
    low, high = slice(len(a) // 2), slice(len(a) // 2, None)
    return np.concatenate([_solved(a[part], b[part], singular[part]) for part in (low, high)])


def samples():
    """Plans that together ask for every kernel of this room."""
    for dtype in C_NAMES:
        yield corner_subpix(Array((9, 9), np.dtype(dtype)), Array((2, 2), np.dtype(np.int64)))
