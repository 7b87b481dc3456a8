"""`regionprops` and `regionprops_table`: where cuCIM and scikit-image differ."""

import contextlib
import io
import re
import warnings

import numpy as np

from .._warn import unheard
from ..trouble import Declined
from .difference import Difference

_INTEGERS = ("label", "bbox", "euler_number", "num_pixels")
# Columns of cuCIM's tables that are scikit-image's.
_COLUMNS = {
    *_INTEGERS,
    "area",
    "area_bbox",
    "area_convex",
    "axis_major_length",
    "axis_minor_length",
    "centroid",
    "centroid_local",
    "centroid_weighted",
    "centroid_weighted_local",
    "eccentricity",
    "equivalent_diameter_area",
    "extent",
    "inertia_tensor",
    "inertia_tensor_eigvals",
    "intensity_max",
    "intensity_mean",
    "intensity_min",
    "intensity_std",
    "moments_hu",
    "moments_weighted_hu",
    "orientation",
    "perimeter",
    "perimeter_crofton",
    "solidity",
}
_SUMMED = ("intensity_mean", "intensity_std")


@contextlib.contextmanager
def _quiet():
    """Without what cuCIM prints and warns about its own speed.

    Nor what scikit-image warns of whose functions cuCIM calls for small regions.
    """
    with unheard(), warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        yield


def _refuse_negative(labels):
    if labels.dtype.kind == "i" and labels.size and int(labels.min()) < 0:
        raise Declined("label_image has labels below 0; give labels from 0 on")


def _table(theirs, **arguments):
    """scikit-image's columns: in its order, in its dtypes, of the labels that are there."""
    _refuse_negative(arguments["label_image"])
    arguments.pop("cache", None)
    properties = arguments.pop("properties", ("label", "bbox"))
    separator = arguments.setdefault("separator", "-")
    with _quiet():
        found = theirs(**arguments, properties=tuple(dict.fromkeys((*properties, "num_pixels"))))
    labels = arguments["label_image"]
    spacing = 1 if arguments.get("spacing") is None else arguments["spacing"]
    if "area" in found:  # in single precision, where large areas are not exact
        found["area"] = found["num_pixels"] * np.prod(np.broadcast_to(spacing, labels.ndim))
    if not found.keys().isdisjoint(_SUMMED):
        # by sums of integers, which wrap around, and of squares, which lose digits
        made = zip(
            _SUMMED, _means_and_deviations(labels, arguments["intensity_image"]), strict=True
        )
        found.update((name, values) for name, values in made if name in found)
    if "orientation" in found:  # of regions as high as wide: the other way round
        angles = found["orientation"]
        found["orientation"] = angles * (1 - 2 * (abs(abs(angles) - np.pi / 4) < 1e-7))
    is_there = found["num_pixels"] > 0
    table = {}
    for name in properties:
        dtype = np.int64 if name in _INTEGERS else np.float64
        for column, values in found.items():
            if column == name or column.startswith(name + separator):
                table[column] = values[is_there].astype(dtype)
    return table


def _means_and_deviations(labels, image):
    """Mean and standard deviation of each label from 1 on, the latter by distances from it."""
    import cupy as cp

    place, values = labels.ravel().astype(np.int64), image.ravel().astype(float)
    counts = cp.bincount(place)
    means = cp.bincount(place, values) / counts
    means += cp.bincount(place, values - means[place]) / counts  # what the first sum has lost
    squares = cp.bincount(place, (values - means[place]) ** 2)
    return means[1:], cp.sqrt(squares / counts)[1:]


def _regions(theirs, **arguments):
    _refuse_negative(arguments["label_image"])
    with _quiet():
        return theirs(**arguments)


_EXTRA = Difference(
    "extra_properties are Python functions, which a GPU cannot call; give them "
    "in a call of their own",
    lambda call: call.extra_properties is not None,
)
_NO_LABELS = Difference(
    "labels must be integers", lambda call: call.label_image.dtype.kind not in "iu", invalid=True
)
_ISOTROPIC = {"perimeter", "perimeter_crofton", "moments_hu", "moments_weighted_hu"}
_OF_PIXELS = {"area_bbox", "area_convex", "extent", "solidity", "centroid", "centroid_weighted"}
REGION_DIFFERENCES = {
    "regionprops": (
        _NO_LABELS,
        Difference(
            "label_image is a NumPy array, for which regionprops gives objects that work "
            "on the CPU; use regionprops_table, which gives the same numbers as columns",
            lambda call: type(call.label_image) is np.ndarray,
        ),
        _EXTRA,
        Difference(
            "spacing is given, without which cuCIM makes centroid_weighted; leave spacing out, "
            "which changes the result",
            lambda call: call.spacing is not None,
        ),
        Difference(
            "offset is given, which cuCIM lacks; leave offset out, which changes the result",
            lambda call: call.offset is not None,
        ),
    ),
    "regionprops_table": (
        _NO_LABELS,
        _EXTRA,
        Difference(
            "properties names one that needs pixels as high as wide, and spacing is given; leave "
            "spacing out, or this property, which changes the result",
            lambda call: call.spacing is not None and not _ISOTROPIC.isdisjoint(call.properties),
        ),
        Difference(
            "spacing is given, and properties names one that cuCIM makes of pixels; leave spacing "
            f"out, or {', '.join(sorted(_OF_PIXELS))}, which changes the result",
            lambda call: call.spacing is not None and not _OF_PIXELS.isdisjoint(call.properties),
            example="""
labels = np.array([[0, 1], [0, 1]])
options = {"properties": ["centroid", "area_bbox"], "spacing": (0.5, 2)}
theirs = cs.measure.regionprops_table(cp.asarray(labels), **options)
ours = ski.measure.regionprops_table(labels, **options)
float(theirs["centroid-1"][0]) != ours["centroid-1"][0]
""",
            bug="""\
regionprops_table leaves spacing out where it adds bounding boxes.

Expected, as in scikit-image: with spacing, centroid and centroid_weighted are the scaled
coordinates' means; area_bbox and area_convex are areas of scaled pixels, and extent and
solidity quotients of two such.
Observed: regionprops_dict in measure/_regionprops_gpu.py calls regionprops_centroid_weighted
without its spacing, so that scaled local coordinates are added to corners in pixels; area_bbox
and area_convex are numbers of pixels.
""",
        ),
        Difference(
            "properties names one that cuCIM computes otherwise or not at all; give the "
            "others in a call of their own",
            lambda call: not _COLUMNS.issuperset(call.properties),
            example="""
labels = ski.measure.label(ski.data.coins()[:90, :120] > 110).astype(np.int32)
theirs = cs.measure.regionprops_table(cp.asarray(labels), properties=["feret_diameter_max"])
ours = ski.measure.regionprops_table(labels, properties=["feret_diameter_max"])
not np.allclose(theirs["feret_diameter_max"].get(), ours["feret_diameter_max"])
""",
        ),
        Difference(
            "intensity_image has channels; give one channel, as intensity_image[..., 0], which "
            "changes the result",
            lambda call: (
                call.intensity_image is not None
                and call.intensity_image.ndim != call.label_image.ndim
            ),
        ),
        Difference(
            "separator is empty or has letters, digits or _ in it; give another, as '-'",
            lambda call: not call.separator or re.search(r"\w", call.separator) is not None,
        ),
    ),
}
REGION_CORRECTIONS = {"regionprops": _regions, "regionprops_table": _table}
