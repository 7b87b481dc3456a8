"""feature.peak_local_max and corner_peaks: candidates on the device, their order on the host."""

import math

import cupy as cp
import numpy as np
from scipy import spatial
from skimage._shared.coord import ensure_spacing

from .._warn import warn_caller
from ..availability import Declined
from ..device import c_name
from ..device.dtypes import C_NAMES
from ._maxima import Maxima

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
    coords = _peaks(
        image,
        min_distance,
        threshold_abs,
        threshold_rel,
        exclude_border,
        num_peaks,
        footprint,
        labels,
        num_peaks_per_label,
        p_norm,
    )
    return cp.asarray(coords)


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
    if np.isinf(num_peaks):
        num_peaks = None
    coords = _peaks(
        image,
        min_distance,
        threshold_abs,
        threshold_rel,
        exclude_border,
        np.inf,
        footprint,
        labels,
        num_peaks_per_label,
        np.inf,
    )
    if len(coords):
        coords = _spaced(coords, min_distance, p_norm)[:num_peaks]
    if indices:
        return cp.asarray(coords)
    mask = cp.zeros(image.shape, bool)
    if len(coords):
        places = np.ravel_multi_index(tuple(coords.T), image.shape)
        mask.ravel()[cp.asarray(places)] = True
    return mask


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


def _peaks(
    image,
    min_distance,
    threshold_abs,
    threshold_rel,
    exclude_border,
    num_peaks,
    footprint,
    labels,
    num_peaks_per_label,
    p_norm,
):
    """peak_local_max of a device array, as a NumPy array."""
    if (footprint is None or footprint.size == 1) and min_distance < 1:
        warn_caller(
            "When min_distance < 1, peak_local_max acts as finding "
            "image > max(threshold_abs, threshold_rel * max(image)).",
            RuntimeWarning,
        )
    if footprint is None:
        size = 2 * int(min_distance) + 1
        footprint = np.broadcast_to(True, (size,) * image.ndim)
    found = Maxima(image, footprint, _borders(image, min_distance, exclude_border), labels)
    _refuse_odd_values(found)
    threshold = _threshold(found, threshold_abs, threshold_rel)
    limits = np.iinfo(image.dtype) if image.dtype.kind in "iu" else np.finfo(image.dtype)
    if labels is None:
        if found.all_equal:
            return np.empty((0, image.ndim), np.int64)
        peaks = found.listed(_above(image.dtype, threshold))
        coords = _coordinates(peaks["place"], image.shape)
        return _highest(coords, peaks["value"], num_peaks, min_distance, p_norm)

    if limits.min > threshold:
        raise Declined("a threshold below all values makes peaks of what has no label")
    peaks = found.listed(_above(image.dtype, threshold))
    if not found.has_labels:
        return np.empty((0, 2), np.int64)
    coords = _coordinates(peaks["place"], image.shape)
    order = np.argsort(peaks["label"], kind="stable")
    starts = np.flatnonzero(np.diff(peaks["label"][order])) + 1
    each = [
        _highest(coords[own], peaks["value"][own], num_peaks_per_label, min_distance, p_norm)
        for own in np.split(order, starts)
    ]
    coords = np.vstack(each)
    if len(coords) > num_peaks:
        places = np.sort(np.ravel_multi_index(tuple(coords.T), image.shape))
        values = peaks["value"][np.searchsorted(peaks["place"], places)]
        coords = _coordinates(places, image.shape)
        coords = _highest(coords, values, num_peaks, min_distance, p_norm)
    return coords


def _refuse_odd_values(found):
    """Decline what SciPy's filters, which compute in double, have their own way with."""
    if found.low != found.low:
        raise Declined("image has NaN")
    if found.dtype.kind in "iu" and max(-int(found.low), int(found.high)) > 2**53:
        raise Declined("integers beyond 2**53 are not told apart by SciPy's filters")
    if found.labelled and found.dtype.kind == "f" and found.low == -math.inf:
        raise Declined("image with labels has infinities below what has no label")


def _borders(image, min_distance, exclude_border):
    """Widths that skimage.feature.peak._get_excluded_border_width gives."""
    if isinstance(exclude_border, bool):
        return (int(min_distance) if exclude_border else 0,) * image.ndim
    return exclude_border if isinstance(exclude_border, tuple) else (exclude_border,) * image.ndim


def _threshold(found, threshold_abs, threshold_rel):
    threshold = found.low if threshold_abs is None else threshold_abs
    if threshold_rel is not None:
        threshold = max(threshold, threshold_rel * found.high)
    return threshold


def _above(dtype, threshold):
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


def _coordinates(places, shape):
    return np.stack(np.unravel_index(places, shape), axis=1).astype(np.int64, copy=False)


def _highest(coords, values, num_peaks, min_distance, p_norm):
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
