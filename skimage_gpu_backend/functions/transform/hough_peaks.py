"""skimage.transform: hough_line_peaks and hough_circle_peaks, scikit-image's peaks in its order.

Cost: 3 launches for all planes together: one reads the votes and marks those that none in their
window exceeds (a bit each), one counts and one lists those above the threshold. One more for each
axis whose window is too large for shared memory, as of the usual call of `hough_line_peaks`,
one where there are more than 4096, one for the largest vote of each of several planes, and two
for each plane in which peaks are joined to a ring. The list, with its number, comes to the host.
"""

import functools

import numpy as np

from ...device import c_name
from ...devices import xp
from ...plan import Declined, Invalid, Plan
from ...primitives.arguments import truth
from ...scikit_image import private
from ._prominent_peaks import distance, most, prominent_peaks, refuse_dtype, threshold_of

_DTYPES = ("uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64")
_DTYPES += ("float32", "float64")


def hough_line_peaks(
    hspace, angles, dists, min_distance=9, min_angle=10, threshold=None, num_peaks=np.inf
):
    """Peaks of a Hough transform of lines: `skimage.transform.hough_line_peaks`."""
    if hspace.ndim != 2:
        raise Invalid("hspace is not of two axes; give what hough_line returns")
    if not hspace.size:
        raise Declined("hspace is empty; nothing to change")
    refuse_dtype("hspace", hspace)
    down, across = distance("min_distance", min_distance), distance("min_angle", min_angle)
    across = min(across, hspace.shape[1])
    for name, values, length in (
        ("angles", angles, hspace.shape[1]),
        ("dists", dists, hspace.shape[0]),
    ):
        if not isinstance(values, np.ndarray) or values.dtype.kind not in "biuf":
            raise Declined(f"{name} is no array of numbers; give numpy.asarray({name})")
        if values.ndim != 1 or len(values) < length:
            raise Declined(f"{name} is not as long as hspace; give what hough_line returns")
    chosen = down, across, threshold_of(threshold), most("num_peaks", num_peaks)
    return Plan(functools.partial(_line_peaks, angles.copy(), dists.copy(), chosen))


def _line_peaks(angles, dists, chosen, hspace):
    ((votes, columns, rows),) = prominent_peaks("hspace", hspace[np.newaxis], *chosen)
    of_peaks = (angles[columns], dists[rows]) if columns.size else (np.array([]), np.array([]))
    return tuple(map(xp.asarray, (votes, *of_peaks)))


def hough_circle_peaks(
    hspaces,
    radii,
    min_xdistance=1,
    min_ydistance=1,
    threshold=None,
    num_peaks=np.inf,
    total_num_peaks=np.inf,
    normalize=False,
):
    """Peaks of a Hough transform of circles: `skimage.transform.hough_circle_peaks`."""
    if not isinstance(getattr(hspaces, "dtype", None), np.dtype):
        raise Declined("hspaces is no array; give numpy.asarray(hspaces)")
    radii = _radii(radii)
    if hspaces.ndim != 3:  # which scikit-image sees in the first plane
        raise (Invalid if radii and hspaces.ndim and hspaces.shape[0] else Declined)(
            "hspaces is not of three axes; give what hough_circle returns"
        )
    if not hspaces.size or not radii:
        raise Declined("hspaces or radii is empty; nothing to change")
    refuse_dtype("hspaces", hspaces)
    down = distance("min_ydistance", min_ydistance)
    across = distance("min_xdistance", min_xdistance)
    if across > hspaces.shape[2]:
        raise Declined("min_xdistance is larger than hspaces; give a smaller one")
    by_radius = truth("normalize", normalize)
    if by_radius and 0 in radii:
        raise Declined(
            "radii has a 0 and normalize is set; give normalize=False, which changes the result"
        )
    chosen = down, across, threshold_of(threshold), most("num_peaks", num_peaks)
    total = most("total_num_peaks", total_num_peaks)
    return Plan(functools.partial(_circle_peaks, radii, chosen, total, by_radius))


def _radii(radii):
    """The radii, which scikit-image goes over."""
    if isinstance(radii, np.ndarray) and radii.ndim == 1 and radii.dtype.kind in "iuf":
        return list(radii)
    if not isinstance(radii, list | tuple | range):
        raise Declined("radii is no list of numbers; give numpy.asarray(radii)")
    if not all(isinstance(radius, int | float) for radius in radii):
        raise Declined("radii has what is no number; give numpy.asarray(radii, float)")
    if not all(abs(radius) < 2**31 for radius in radii):
        raise Declined("radii has very large numbers; give radii of circles in the image")
    return list(radii)


def _circle_peaks(radii, chosen, total, by_radius, hspaces):
    count = min(len(radii), len(hspaces))
    found = prominent_peaks("hspaces", xp.ascontiguousarray(hspaces[:count]), *chosen)
    of_peak = [radius for radius, peaks in zip(radii, found, strict=False) for _ in peaks[0]]
    votes, x, y = (np.array([v for each in found for v in each[k]]) for k in range(3))
    radius = np.array(of_peak)
    order = np.argsort(votes / radius if by_radius else votes)[::-1]
    votes, x, y, radius = votes[order], x[order], y[order], radius[order]
    if total == np.inf:
        total = len(votes)
    down, across = chosen[:2]
    if (across == 1 and down == 1) or not len(votes):
        kept = slice(total)
    else:
        kept = private("transform.hough_transform").label_distant_points(x, y, across, down, total)
    return tuple(xp.asarray(each[kept]) for each in (votes, x, y, radius))


def specializations():
    """Every (source, expression) that this room launches."""
    for name in _DTYPES:
        for kernel in ("line_maxima", "box_maxima", "rank_peaks", "list_peaks"):
            yield "feature/peaks.cu", f"{kernel}<{c_name(np.dtype(name))}>"
