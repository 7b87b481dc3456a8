"""skimage.feature: peak_local_max and corner_peaks; their order is made on the host."""

import functools
import math
from typing import NamedTuple

import numpy as np
from scipy import spatial

from ..._warn import warn_caller
from ...device import c_name
from ...device.dtypes import C_NAMES
from ...device.launches import Cost
from ...device.lazy import cp
from ...plan import Declined, Invalid, Plan
from ...primitives.arguments import integer, is_real, refuse_wrapping, truth
from ...primitives.maxima import MOST_AXES, Maxima, most_cost
from ._peaks import above, borders_of, coordinates, highest, refuse_odd_values, threshold_of

_DTYPES = tuple(name for name in C_NAMES if name not in ("bool", "float16"))


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
    search = _search(
        image, min_distance, threshold_abs, threshold_rel, exclude_border, footprint, labels
    )
    kept = _kept(num_peaks, num_peaks_per_label, p_norm)
    return Plan(functools.partial(_peaks, search, kept), cost=_cost(search, image, labels))


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
    search = _search(
        image, min_distance, threshold_abs, threshold_rel, exclude_border, footprint, labels
    )
    kept = _kept(np.inf, num_peaks_per_label, np.inf)
    most, p_norm = _count("num_peaks", num_peaks), _count("p_norm", p_norm)
    indices = truth("indices", indices)
    if not indices and image.ndim == 1:
        raise Declined("image is a line and indices is False; give indices=True")
    run = functools.partial(_corners, search, kept, None if math.isinf(most) else most, p_norm)
    cost = _cost(search, image, labels)
    if indices:
        return Plan(lambda **arrays: cp.asarray(run(**arrays)), cost=cost)
    if cost is not None:  # the places of the peaks, and the mask
        launches, read, written, between = cost
        places = 8 * image.size
        cost = Cost(launches + 1, read + places, written + image.size, between + places)
    return Plan(functools.partial(_marked, run), cost=cost)


class _Search(NamedTuple):
    """What is searched for in an image."""

    distance: int
    borders: tuple
    at_least: float | None
    share: float | None
    sides: tuple  # of the footprint
    elements: np.ndarray | None  # of a footprint that is no box
    tells: bool  # that there is no window


class _Kept(NamedTuple):
    """Which of the peaks are kept."""

    most: float
    most_per_label: float
    p_norm: float


def _search(image, min_distance, threshold_abs, threshold_rel, exclude_border, footprint, labels):
    if image.size == 0 or image.ndim == 0:
        # its least value is the threshold where none is given
        raise (Invalid if threshold_abs is None and image.ndim else Declined)(
            "image is empty or has no axes; nothing to change"
        )
    if image.dtype.char in "?e":
        # refused but where scikit-image finds none without a filter: in one pixel, without labels
        refused = image.dtype.char == "?" and labels is None
        raise (Invalid if refused else Declined)(
            f"image is {image.dtype}, of which peaks are not found; give "
            "image.astype(numpy.float32)"
        )
    if image.ndim > MOST_AXES:
        raise Declined(f"image has {image.ndim} axes; give one of at most {MOST_AXES}")
    distance = _distance(min_distance)
    borders = borders_of(exclude_border, image.ndim, distance)
    thresholds = (
        _threshold("threshold_abs", threshold_abs),
        _threshold("threshold_rel", threshold_rel),
    )
    _refuse_labels(labels, image)
    sides, elements = _footprint(footprint, image.ndim, distance, labels is not None)
    tells = (footprint is None or footprint.size == 1) and distance < 1
    return _Search(distance, borders, *thresholds, sides, elements, tells)


def _kept(most, most_per_label, p_norm):
    return _Kept(
        _count("num_peaks", most),
        _count("num_peaks_per_label", most_per_label),
        _count("p_norm", p_norm),
    )


def _cost(search, image, labels):
    """None with labels, of which the largest decides."""
    return None if labels is not None else most_cost(image, search.sides, search.elements)


def _distance(min_distance):
    if not isinstance(min_distance, int | np.integer):
        raise Declined("min_distance is not an integer; give one, as 1")
    refuse_wrapping("min_distance", min_distance)
    distance = integer("min_distance", min_distance)
    if not 0 <= distance < 1 << 20:
        raise Declined("min_distance is negative, or 2**20 or more; give an integer from 0 on")
    return distance


def _threshold(name, value):
    """As it is: what it is compared with depends on its type."""
    if value is None or (is_real(value) and not isinstance(value, np.bool_)):
        return value
    raise Declined(f"{name} is not a number; give a number, as 2.5")


def _count(name, value):
    """As it is: a number that is no integer is an error where there are more peaks."""
    if not is_real(value):
        raise Declined(f"{name} is not a number; give a number, as 2.5")
    if value < 0 and not isinstance(value, int | np.integer):  # even no peaks are more
        raise Declined(f"{name} is negative and no integer; give a number from 0 on")
    return value


def _footprint(footprint, ndim, distance, labelled):
    """Sides and, where it is no box, elements of what is given, or of the box of `distance`."""
    if footprint is None:
        return (2 * distance + 1,) * ndim, None
    if not isinstance(footprint, np.ndarray):
        if not hasattr(footprint, "size"):
            raise Invalid("footprint is no array; give numpy.asarray(footprint)")
        raise Declined("footprint is no NumPy array; give numpy.asarray(footprint)")
    if footprint.ndim != ndim and footprint.size != 1:
        raise Declined(
            "footprint has another number of axes than the image; give one with image.ndim axes"
        )
    if footprint.dtype.kind not in "biuf":
        raise Declined(f"footprint has dtype {footprint.dtype}; give footprint.astype(bool)")
    if footprint.size == 1 or footprint.all():
        return footprint.shape, None
    if not footprint.any():
        raise Declined("footprint has no element that is not 0; give one that has")
    if labelled:
        raise Declined(
            "labels are given with a footprint that is not all ones; give footprint=numpy.ones(...)"
        )
    return footprint.shape, footprint.astype(bool)


def _refuse_labels(labels, image):
    if labels is None:
        return
    if type(labels) is not type(image):
        raise Declined(
            "labels is no array of the image's kind; give numpy.asarray(labels) with a "
            "NumPy image, cupy.asarray(labels) with a CuPy one"
        )
    if not np.can_cast(labels.dtype, int, "safe"):
        raise Invalid("labels are not integers that fit into int64")
    if labels.shape != image.shape:
        raise Declined("labels has another shape than the image; give labels of the image's shape")


def _peaks(search, kept, image, labels=None):
    return cp.asarray(_coords(search, kept, image, labels))


def _coords(search, kept, image, labels):
    """Coordinates of the peaks, as a NumPy array."""
    if search.tells:
        warn_caller(
            "When min_distance < 1, peak_local_max acts as finding "
            "image > max(threshold_abs, threshold_rel * max(image)).",
            RuntimeWarning,
        )
    found = Maxima(image, search.sides, search.elements, search.borders, labels)
    refuse_odd_values(found)
    threshold = threshold_of(found, search.at_least, search.share)
    thin = functools.partial(highest, min_distance=search.distance, p_norm=kept.p_norm)
    if labels is None:
        if found.all_equal:
            return np.empty((0, image.ndim), np.int64)
        peaks = found.listed(above(image.dtype, threshold))
        return thin(coordinates(peaks["place"], image.shape), peaks["value"], kept.most)
    limits = np.iinfo(image.dtype) if image.dtype.kind in "iu" else np.finfo(image.dtype)
    if limits.min > threshold:
        raise Declined(
            "threshold_abs is below all values of the image's dtype, so that there are "
            "peaks outside the labels; give a higher one"
        )
    peaks = found.listed(above(image.dtype, threshold))
    if not found.has_labels:
        return np.empty((0, 2), np.int64)
    return _of_each_label(thin, kept, peaks, image.shape)


def _of_each_label(thin, kept, peaks, shape):
    coords = coordinates(peaks["place"], shape)
    order = np.argsort(peaks["label"], kind="stable")
    starts = np.flatnonzero(np.diff(peaks["label"][order])) + 1
    each = [
        thin(coords[own], peaks["value"][own], kept.most_per_label)
        for own in np.split(order, starts)
    ]
    coords = np.vstack(each)
    if len(coords) > kept.most:
        places = np.sort(np.ravel_multi_index(tuple(coords.T), shape))
        values = peaks["value"][np.searchsorted(peaks["place"], places)]
        coords = thin(coordinates(places, shape), values, kept.most)
    return coords


def _corners(search, kept, most, p_norm, image, labels=None):
    coords = _coords(search, kept, image, labels)
    return _spaced(coords, search.distance, p_norm)[:most] if len(coords) else coords


def _marked(corners, image, labels=None):
    coords = corners(image=image, labels=labels)
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


def specializations():
    """Every (source, expression) that this room launches."""
    for name in _DTYPES:
        kind = c_name(np.dtype(name))
        for kernel in ("line_maxima", "box_maxima", "list_peaks"):
            yield "feature/peaks.cu", f"{kernel}<{kind}>"
        for kernel in ("footprint_maxima", "list_labelled"):
            yield "feature/peaks_labels.cu", f"{kernel}<{kind}>"
