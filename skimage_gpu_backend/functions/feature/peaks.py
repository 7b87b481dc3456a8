"""skimage.feature: peak_local_max and corner_peaks."""

import functools
from typing import NamedTuple

import numpy as np

from ..._warn import warn_caller
from ...device import c_name
from ...device.dtypes import C_NAMES
from ...device.launches import Cost
from ...devices import argsort, xp
from ...plan import Declined, Invalid, Plan, warned
from ...primitives import spacing
from ...primitives.arguments import integer, is_real, refuse_wrapping, truth
from ...primitives.maxima import MOST_AXES, Maxima, most_cost
from ...primitives.spacing import Near, coordinates, spaced
from ...scikit_image import version
from ..transform._prominent_peaks import most as most_of
from ._peaks import above, borders_of, refuse_odd_values, threshold_of

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

    4 launches, CuPy's sort of the peaks and 2 more of CuPy's on them: one reads the image and marks
    local maxima (a bit a pixel), one counts those that are peaks, one lists them, and one tells
    their coordinates. Further launches: 1 for each axis before the last two; 1 for each axis whose
    windows are too large for shared memory (a `min_distance` above 4 in float64, some 50 in uint8);
    with a `min_distance` above 1 those of `spaced`. With labels up to 2 more, for the labels' dtype
    and their largest, and a sort of the peaks by label. Range, and numbers of peaks, come to the
    host.
    """
    search = _search(
        image, min_distance, threshold_abs, threshold_rel, exclude_border, footprint, labels
    )
    counts = {"num_peaks": num_peaks, "num_peaks_per_label": num_peaks_per_label}
    if version() >= (0, 27):  # None stands for all peaks, and infinity is deprecated
        counts = {name: np.inf if most is None else most for name, most in counts.items()}
    kept = _kept(search, *counts.values(), p_norm)
    plan = Plan(functools.partial(_peaks, search, kept), cost=_cost(search, kept, image, labels))
    if version() >= (0, 27):
        for name, most in (
            ("num_peaks_per_label", num_peaks_per_label),
            ("num_peaks", num_peaks),
        ):
            if most is not None and np.isinf(most):
                plan = warned(plan, _INFINITE.format(name=name), FutureWarning)
    return plan


_INFINITE = "Passing `np.inf` to `{name}` is deprecated in version 0.27, use `{name}=None` instead"


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

    Launches are those of `peak_local_max`, and those of `spaced`; with ``indices=False`` 2 more,
    which write the peaks into an empty mask.
    """
    search = _search(
        image, min_distance, threshold_abs, threshold_rel, exclude_border, footprint, labels
    )
    # before 0.27, p_norm did not reach the search for peaks inside
    kept = _kept(search, np.inf, num_peaks_per_label, p_norm if version() >= (0, 27) else np.inf)
    most = most_of("num_peaks", num_peaks)
    most = None if most == np.inf else most
    near = Near.up_to(search.distance, _count("p_norm", p_norm))
    indices = truth("indices", indices)
    if not indices and image.ndim == 1:
        raise Declined(
            "image is a line and indices is False; give indices=True, which changes the result"
        )
    return Plan(functools.partial(_corners, search, kept, near, most, indices))


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
    near: Near | None  # none has to keep its distance


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


def _kept(search, most, most_per_label, p_norm):
    counts = _most("num_peaks", most), _most("num_peaks_per_label", most_per_label)
    p_norm = _count("p_norm", p_norm)
    return _Kept(*counts, Near.below(search.distance, p_norm) if search.distance > 1 else None)


def _cost(search, kept, image, labels):
    """None where labels decide, or how many have to give way."""
    if labels is not None or kept.near is not None:
        return None
    cost = most_cost(image, search.sides, search.elements)
    # of each peak: its value's negative, its place in the order, its place, its coordinates
    size = image.dtype.itemsize
    read, written = (image.size * of for of in (2 * size + 24, size + 16 + 8 * image.ndim))
    return Cost(cost.launches + 4, cost.read + read, cost.written + written, cost.between + written)


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


def _most(name, value):
    """How many peaks there may be: a negative number is one of those that are left out."""
    if most_of(name, value) < 0:
        raise Declined(f"{name} is negative; give an integer from 0 on")
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
            "labels are given with a footprint that is not all ones; give "
            "footprint=numpy.ones(...), which changes the result"
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
    return _coords(_places(search, kept, image, labels), image.shape)


def _coords(places, shape):
    if places is None:
        axes = len(shape) if version() >= (0, 27) else 2
        return xp.empty((0, axes), "int64")
    return coordinates(places, shape)


def _places(search, kept, image, labels):
    """Places of the peaks in C order, first the one that scikit-image has first.

    None where there is no label.
    """
    if search.tells:
        text = "When {}min_distance < 1{}, {}peak_local_max{} acts as finding {}image > max("
        text += "threshold_abs, threshold_rel * max(image)){}."
        quote = "`" if version() >= (0, 27) else ""
        warn_caller(text.replace("{}", quote), RuntimeWarning)
    found = Maxima(image, search.sides, search.elements, search.borders, labels)
    refuse_odd_values(found)
    threshold = threshold_of(found, search.at_least, search.share)
    if labels is not None:
        return _places_of_labels(search, kept, found, threshold)
    if found.all_equal:
        return xp.empty(0, "int64")
    places, values = found.on_device(above(image.dtype, threshold))
    return _thinned(kept, places[_highest_first(values)], image.shape)


def _places_of_labels(search, kept, found, threshold):
    limits = np.iinfo(found.dtype) if found.dtype.kind in "iu" else np.finfo(found.dtype)
    if limits.min > threshold:
        raise Declined(
            "threshold_abs is below all values of the image's dtype, so that there are "
            "peaks outside the labels; give a higher one"
        )
    places, values, labels = found.on_device(above(found.dtype, threshold))
    if not found.has_labels:
        return None
    order = _highest_first(values)
    order = order[argsort(labels[order])]
    places, labels = places[order], labels[order]
    shape = found.image.shape
    if kept.near is not None:
        stays = spaced(places, shape, kept.near, labels)
        places, labels = places[stays], labels[stays]
    if kept.most_per_label != np.inf:
        before = xp.arange(places.size) - xp.searchsorted(labels, labels)  # of its label
        places = places[before < kept.most_per_label]
    if places.size > kept.most:
        places = xp.sort(places)
        order = _highest_first(found.image.ravel()[places])
        places = _thinned(kept, places[order], shape)
    return places


def _highest_first(values):
    """Where the highest is, the next one and so on, as ``numpy.argsort(-values, kind="stable")``.

    Of unsigned integers 0 is first, whose negative is not above others'; zeros have one sign.
    """
    return argsort(0 - values)


def _thinned(kept, places, shape):
    if kept.near is not None:
        places = places[spaced(places, shape, kept.near)]
    return places if kept.most == np.inf else places[: kept.most]


def _corners(search, kept, near, most, indices, image, labels=None):
    places = _places(search, kept, image, labels)
    if places is not None:
        places = places[spaced(places, image.shape, near)]
        if version() >= (0, 27) and most is not None and places.size > most:
            places = places[_highest_first(image.ravel()[places])]
        places = places[:most]
    if indices:
        return _coords(places, image.shape)
    mask = xp.zeros(image.shape, bool)
    if places is not None:
        mask.ravel()[places] = True
    return mask


def specializations():
    """Every (source, expression) that this room launches."""
    yield from spacing.specializations()
    for name in _DTYPES:
        kind = c_name(np.dtype(name))
        for kernel in ("line_maxima", "box_maxima", "rank_peaks", "list_peaks"):
            yield "feature/peaks.cu", f"{kernel}<{kind}>"
        for kernel in ("footprint_maxima", "rank_labelled"):
            yield "feature/peaks_labels.cu", f"{kernel}<{kind}>"
