"""skimage.feature: peak_local_max and corner_peaks; their order is made on the host."""

import functools
import math

import numpy as np
from scipy import spatial
from skimage._shared.coord import ensure_spacing

from ..._warn import warn_caller
from ...device import c_name
from ...device.dtypes import C_NAMES
from ...device.lazy import cp
from ...plan import Declined, Invalid, Plan
from ...primitives.arguments import refuse_but_arrays
from ...primitives.maxima import MOST_AXES, Maxima

DTYPES = tuple(name for name in C_NAMES if name not in ("bool", "float16"))


def peak_local_max(
    image,
    min_distance=1,
    threshold_abs=None,
    threshold_rel=None,
    exclude_border=True,
    num_peaks=np.inf,
    footprint=None,
    labels=None,
    num_peaks_per_label=np.inf,
    p_norm=np.inf,
):
    """Coordinates of local maxima: `skimage.feature.peak_local_max`.

    2 launches: one reads the image and marks local maxima (a bit a pixel), one reads it again
    and lists those that are peaks; the few come to the host, where scikit-image's own code
    puts them in order and thins them. Further launches: 1 for each axis before the last two;
    1 for each axis whose windows are too large for shared memory (a `min_distance` above 4 in
    float64, some 50 in uint8); 1 where more than an eighth of the pixels are peaks. With
    labels up to 2 more, for the labels' dtype and their largest.
    """
    search = _Search(
        image, min_distance, threshold_abs, threshold_rel, exclude_border, footprint, labels
    )
    search.keep(num_peaks, num_peaks_per_label, p_norm)
    return Plan(lambda image, labels=None: cp.asarray(search.peaks(image, labels)))


def corner_peaks(
    image,
    min_distance=1,
    threshold_abs=None,
    threshold_rel=None,
    exclude_border=True,
    indices=True,
    num_peaks=np.inf,
    footprint=None,
    labels=None,
    *,
    num_peaks_per_label=np.inf,
    p_norm=np.inf,
):
    """Peaks that keep their distance, ties too: `skimage.feature.corner_peaks`.

    Launches and bytes are those of `peak_local_max`; with ``indices=False`` 1 more, which
    writes the peaks into an empty mask.
    """
    search = _Search(
        image, min_distance, threshold_abs, threshold_rel, exclude_border, footprint, labels
    )
    search.keep(np.inf, num_peaks_per_label, np.inf)
    most = None if np.isinf(num_peaks) else num_peaks
    return Plan(functools.partial(_corners, search, min_distance, p_norm, most, indices))


def _corners(search, min_distance, p_norm, most, indices, image, labels=None):
    coords = search.peaks(image, labels)
    if len(coords):
        coords = _spaced(coords, min_distance, p_norm)[:most]
    if indices:
        return cp.asarray(coords)
    mask = cp.zeros(image.shape, bool)
    if len(coords):
        places = np.ravel_multi_index(tuple(coords.T), image.shape)
        mask.ravel()[cp.asarray(places)] = True
    return mask


class _Search:
    """What is searched for in an image, and which of the peaks are kept."""

    def __init__(
        self, image, min_distance, threshold_abs, threshold_rel, exclude_border, footprint, labels
    ):
        if image.size == 0 or image.ndim == 0:
            raise Invalid("image is empty")
        if image.dtype.char in "?e":
            raise Invalid(f"peaks of {image.dtype} are not found")
        if image.ndim > MOST_AXES:
            raise Declined(f"image has more than {MOST_AXES} axes")
        self.distance = _distance(min_distance)
        self.borders = borders_of(exclude_border, image.ndim, self.distance)
        self.at_least = _number("threshold_abs", threshold_abs)
        self.share = _number("threshold_rel", threshold_rel)
        _refuse_labels(labels, image)
        if footprint is not None:
            refuse_but_arrays(footprint=footprint)
        self.tells = (footprint is None or footprint.size == 1) and self.distance < 1
        self.footprint = _footprint(footprint, image.ndim, self.distance, labels is not None)

    def keep(self, most, most_per_label, p_norm):
        """Which peaks are kept; `p_norm` measures their distance."""
        self.most, self.most_per_label, self.p_norm = most, most_per_label, p_norm

    def peaks(self, image, labels):
        """Coordinates, as a NumPy array."""
        if self.tells:
            warn_caller(
                "When min_distance < 1, peak_local_max acts as finding "
                "image > max(threshold_abs, threshold_rel * max(image)).",
                RuntimeWarning,
            )
        found = Maxima(image, self.footprint, self.borders, labels)
        refuse_odd_values(found)
        threshold = threshold_of(found, self.at_least, self.share)
        limits = np.iinfo(image.dtype) if image.dtype.kind in "iu" else np.finfo(image.dtype)
        if labels is None:
            if found.all_equal:
                return np.empty((0, image.ndim), np.int64)
            peaks = found.listed(above(image.dtype, threshold))
            coords = coordinates(peaks["place"], image.shape)
            return self._highest(coords, peaks["value"], self.most)
        if limits.min > threshold:
            raise Declined("a threshold below all values makes peaks of what has no label")
        peaks = found.listed(above(image.dtype, threshold))
        if not found.has_labels:
            return np.empty((0, 2), np.int64)
        return self._highest_of_each(peaks, image.shape)

    def _highest_of_each(self, peaks, shape):
        coords = coordinates(peaks["place"], shape)
        order = np.argsort(peaks["label"], kind="stable")
        starts = np.flatnonzero(np.diff(peaks["label"][order])) + 1
        each = [
            self._highest(coords[own], peaks["value"][own], self.most_per_label)
            for own in np.split(order, starts)
        ]
        coords = np.vstack(each)
        if len(coords) > self.most:
            places = np.sort(np.ravel_multi_index(tuple(coords.T), shape))
            values = peaks["value"][np.searchsorted(peaks["place"], places)]
            coords = self._highest(coordinates(places, shape), values, self.most)
        return coords

    def _highest(self, coords, values, most):
        return highest(coords, values, most, self.distance, self.p_norm)


def _distance(min_distance):
    if not isinstance(min_distance, int | np.integer):
        raise Declined("min_distance is not an integer")
    if not 0 <= min_distance < 1 << 20:
        raise Declined("min_distance is negative, or very large")
    return min_distance


def borders_of(exclude_border, ndim, distance):
    """Widths that skimage.feature.peak._get_excluded_border_width gives."""
    if isinstance(exclude_border, bool):
        return (int(distance) if exclude_border else 0,) * ndim
    if isinstance(exclude_border, int):
        exclude_border = (exclude_border,) * ndim
    if not isinstance(exclude_border, tuple) or len(exclude_border) != ndim:
        raise Invalid("exclude_border is neither a bool nor an integer nor one for each axis")
    if not all(isinstance(width, int) and width >= 0 for width in exclude_border):
        raise Invalid("exclude_border is negative or no integer")
    return exclude_border


def _number(name, value):
    if value is None or isinstance(value, bool | int | float | np.integer | np.floating):
        return value
    raise Declined(f"{name} is not a number")


def _footprint(footprint, ndim, distance, labelled):
    """The footprint that is given, or the box of `distance`."""
    if footprint is None:
        return np.broadcast_to(True, (2 * int(distance) + 1,) * ndim)
    if footprint.ndim != ndim and footprint.size != 1:
        raise Invalid("footprint has other axes than the image")
    if footprint.dtype.kind not in "biuf":
        raise Declined(f"footprint has dtype {footprint.dtype}")
    if footprint.size > 1 and not footprint.any():
        raise Declined("footprint is empty")
    if labelled and footprint.size > 1 and not footprint.all():
        raise Declined("labels are looked at in a footprint that is no box")
    return footprint


def _refuse_labels(labels, image):
    if labels is None:
        return
    if type(labels) is not type(image):
        raise Declined("labels are no array of the image's kind")
    if not np.can_cast(labels.dtype, int, "safe"):
        raise Invalid("labels are not integers that fit into int64")
    if labels.shape != image.shape:
        raise Declined("labels have another shape than the image")


def _spaced(coords, min_distance, p_norm):
    """As the body of scikit-image's corner_peaks: the earlier of two near peaks stays."""
    tree = spatial.cKDTree(coords)
    rejected = set()
    for index, point in enumerate(coords):
        if index not in rejected:
            candidates = tree.query_ball_point(point, r=min_distance, p=p_norm)
            candidates.remove(index)
            rejected.update(candidates)
    return np.delete(coords, tuple(rejected), axis=0)


def refuse_odd_values(found):
    """Decline what SciPy's filters, which compute in double, have their own way with."""
    if found.low != found.low:
        raise Declined("image has NaN")
    if found.dtype.kind in "iu" and max(-int(found.low), int(found.high)) > 2**53:
        raise Declined("integers beyond 2**53 are not told apart by SciPy's filters")
    if found.labelled and found.dtype.kind == "f" and found.low == -math.inf:
        raise Declined("image with labels has infinities below what has no label")


def threshold_of(found, threshold_abs, threshold_rel):
    threshold = found.low if threshold_abs is None else threshold_abs
    if threshold_rel is not None:
        threshold = max(threshold, threshold_rel * found.high)
    return threshold


def above(dtype, threshold):
    """What ``image > threshold`` compares with, for `Maxima.listed`."""
    if dtype.kind == "f":
        number = np.asarray(threshold, np.result_type(dtype, threshold))
        return float(number), 0
    limits = np.iinfo(dtype)
    if threshold != threshold or threshold >= limits.max:
        return None
    if threshold < limits.min:
        return 0.0, limits.min
    return 0.0, math.floor(threshold) + 1


def coordinates(places, shape):
    return np.stack(np.unravel_index(places, shape), axis=1).astype(np.int64, copy=False)


def highest(coords, values, num_peaks, min_distance, p_norm):
    """skimage.feature.peak._get_high_intensity_peaks of peaks in the image's order."""
    coords = coords[np.argsort(-values, kind="stable")]
    most = int(num_peaks) if np.isfinite(num_peaks) else None
    if min_distance > 1:
        coords = ensure_spacing(coords, spacing=min_distance, p_norm=p_norm, max_out=most)
    return coords[:num_peaks] if len(coords) > num_peaks else coords


def specializations():
    """Every (source, expression) that these ops launch."""
    for name in DTYPES:
        kind = c_name(np.dtype(name))
        for kernel in ("line_maxima", "box_maxima", "list_peaks"):
            yield "feature/peaks.cu", f"{kernel}<{kind}>"
        for kernel in ("footprint_maxima", "list_labelled"):
            yield "feature/peaks_labels.cu", f"{kernel}<{kind}>"
