"""skimage.measure.regionprops, regionprops_table: what is measured of each labelled region."""

import functools
from collections.abc import KeysView
from numbers import Real

import numpy as np

from ... import notify
from ...adapt.kinds import CUPY, kind_of, why_not_dtype
from ...availability import as_trouble
from ...device.dtypes import C_NAMES
from ...devices import as_numpy, xp
from ...failures import Failure
from ...plan import Declined, Invalid, Plan
from ...primitives.arguments import is_numeric, truth
from ...primitives.regions import Regions
from ...scikit_image import on_host, private
from ._region_columns import Columns, NotHere
from ._region_objects import Objects

theirs = private("measure._regionprops")

_NAME = "skimage.measure:regionprops_table"
_OF_PLANES = {
    *("eccentricity", "moments_hu", "moments_weighted_hu", "orientation"),
    *("perimeter", "perimeter_crofton"),
}
_OF_UNITS = {"moments_hu", "moments_weighted_hu"}
_OF_SQUARES = {"perimeter", "perimeter_crofton"}
# Properties that have elements which are not finite in any image: those below the second order.
_NORMALIZED = {"moments_normalized", "moments_weighted_normalized"}
# Properties of sorted pixels alone, and of how many there are.
_OF_PIXELS = {
    *("coords", "coords_scaled", "euler_number", "perimeter", "perimeter_crofton"),
    *(f"intensity_{name}" for name in ("max", "mean", "median", "min", "std")),
}
_OF_COUNTS = {"area", "equivalent_diameter_area", "label", "num_pixels"}
_PYTHON = "no kernel calls Python functions"


def regionprops_table(
    label_image,
    intensity_image=None,
    properties=("label", "bbox"),
    *,
    cache=True,
    separator="-",
    extra_properties=None,
    spacing=None,
):
    """Table of properties of labelled regions: `skimage.measure.regionprops_table`.

    The same launches however many regions there are. Areas and bounding boxes take 1 launch, which
    reads the image once, unless labels are large. For all else runs of equal pixels are sorted by
    label, which takes 4 launches, which read the image once, and CuPy's; then centroids and
    ellipses take 2, bounding boxes of large labels, too, and each group of properties takes 2,
    which read what is measured: moments; central moments; least, largest and mean intensity; its
    deviation; weighted moments, raw and central; corners (Euler's number, Crofton's perimeter);
    perimeters; convex hulls of planes (and 1 launch for their diameters).
    Filled holes take 3, and crops of intensities 1 and two of CuPy's, over the boxes of all
    regions. The sums of each region come to the host, which makes properties of them, and so do
    the crops.
    Convex hulls of volumes, columns whose values are not finite, and filled holes and crops of
    boxes that overlap much, scikit-image computes on the host.

    Notes
    -----
    Columns of objects (``coords``, ``slice``, ``image``) are NumPy arrays, also for CuPy images.
    """
    _refuse_images(label_image, intensity_image)
    ndim = label_image.ndim
    steps = steps_of(spacing, ndim)
    names = _names(properties, extra_properties)
    truth("cache", cache)
    if not isinstance(separator, str):
        raise Declined("separator is not a string; give one, as '-'")
    for name in names:
        _refuse(theirs.PROPS.get(name, name), ndim, steps, intensity_image is not None)
    options = {"cache": cache, "spacing": spacing, "extra_properties": extra_properties}
    return Plan(functools.partial(_table, names, separator, steps, options))


def regionprops(
    label_image,
    intensity_image=None,
    cache=True,
    *,
    extra_properties=None,
    spacing=None,
    offset=None,
):
    """Objects with properties of labelled regions: `skimage.measure.regionprops`.

    The call itself sorts runs of pixels by label and finds the bounding boxes. A property is made
    of all regions, when it is first asked for of one of them, as in `regionprops_table`; the images
    stay on the device as long as there is a region of them. What has no GPU version, or is not
    finite in a region, scikit-image computes on the host for each region.

    Notes
    -----
    Properties that are computed on the device are those of the images at the time of the call. For
    CuPy images arrays and most scalars are CuPy's; functions in `extra_properties` get NumPy
    arrays.
    """
    _refuse_images(label_image, intensity_image)
    ndim = label_image.ndim
    try:  # scikit-image refuses these where there are regions
        _names((), extra_properties)
    except Invalid:
        raise Declined("extra_properties has what is no function; give functions") from None
    try:
        steps = steps_of(spacing, ndim)
    except Invalid:
        raise Declined("spacing is not a finite number for each axis; give such numbers") from None
    where = steps, _first_pixel(offset, ndim)
    options = {"extra_properties": extra_properties, "spacing": spacing, "offset": where[1]}
    return Plan(functools.partial(_objects, where, cache, options))


def _first_pixel(offset, ndim):
    """Coordinates of the first pixel."""
    try:
        found = np.zeros(ndim, int) if offset is None else np.array(offset)
    except (TypeError, ValueError):
        raise Invalid("offset is no sequence of numbers; give one for each axis") from None
    if found.shape != (ndim,):
        raise Invalid("offset has another length than label_image has axes; give one for each")
    if found.dtype.kind not in "iuf":
        raise Declined("offset is not of real numbers; give integers")
    return found


def _refuse_images(labels, intensity):
    shape, ndim = labels.shape, labels.ndim
    if labels.dtype.kind not in "iu":
        raise Invalid("label_image is not of integers; give skimage.measure.label(label_image)")
    if ndim not in (2, 3):
        raise Invalid("label_image has other than 2 or 3 axes; give such an image")
    if not labels.size:
        raise Declined("label_image has no elements; nothing to change")
    if intensity is None:
        return
    if not isinstance(getattr(intensity, "dtype", None), np.dtype):
        raise Declined("intensity_image is not an array; give numpy.asarray(intensity_image)")
    if intensity.shape[:ndim] != shape or intensity.ndim not in (ndim, ndim + 1):
        # which scikit-image refuses where there are regions
        raise Declined("intensity_image has another shape than label_image; give one of its shape")
    if not intensity.size:
        raise Declined("intensity_image has no channels; nothing to change")
    if intensity.dtype.name not in C_NAMES:
        raise Declined(why_not_dtype("intensity_image", intensity.dtype))


def steps_of(spacing, ndim):
    """The spacing along each axis, as scikit-image has it."""
    try:
        steps = np.array(np.full(ndim, 1.0) if spacing is None else spacing)
    except (TypeError, ValueError):
        raise Invalid("spacing is neither a number nor a sequence of them") from None
    if steps.shape not in ((), (ndim,)):
        raise Invalid(f"spacing is not for {ndim} axes; give a number for each")
    steps = np.broadcast_to(steps, (ndim,))
    if not all(isinstance(step, Real) for step in steps):
        raise Invalid("spacing is not of numbers; give a number for each axis")
    if not is_numeric(steps.dtype):
        raise Declined("spacing is of numbers of more than 64 bits; give floats, as 0.5")
    if not np.isfinite(steps).all():
        raise Invalid("spacing is not finite; give numbers that are, as 0.5")
    if (steps <= 0).any() or (steps > 1e30).any():
        raise Declined("spacing is not above 0, or beyond 1e30; give such numbers, as 0.5")
    return steps


def _names(properties, extra):
    """Names of all properties that are asked for, in the order of their columns."""
    for name, values in (
        ("properties", properties),
        ("extra_properties", () if extra is None else extra),
    ):
        if not isinstance(values, list | tuple | KeysView):
            raise Declined(f"{name} is neither a list nor a tuple; give list({name})")
    own = {name for name in theirs.PROPS if theirs.PROPS[name] in theirs.COL_DTYPES}
    own |= theirs.COL_DTYPES.keys()
    extra = [getattr(function, "__name__", None) for function in extra or ()]
    names = [*properties, *extra]
    for name in names:
        if not isinstance(name, str) or name not in {*own, *extra}:
            raise Invalid("properties names one that there is not; give such as regionprops has")
    return names


def _refuse(name, ndim, steps, has_values):
    if name in theirs._require_intensity_image and not has_values:
        raise Invalid("intensity_image is not given for a property that needs one; give it")
    if name in _OF_PLANES and ndim != 2:
        raise Invalid("label_image is a volume, for which properties names one of planes alone")
    if name in _OF_UNITS and (steps != 1).any():
        raise Invalid("spacing is given for a property that has none; leave spacing out")
    if name in _OF_SQUARES and (steps != steps[0]).any():
        raise Invalid("spacing differs between axes; leave the perimeter out, or spacing")


def _objects(where, cache, options, label_image, intensity_image=None):
    regions = Regions(label_image)
    if not len(regions):
        return []
    columns = Columns(regions, intensity_image, *where)
    own = "skimage.measure:regionprops"
    if extra := options["extra_properties"]:
        notify.partly(own, {_PYTHON: _told("properties", [each.__name__ for each in extra])})

    def values(name):
        try:
            _refuse(name, columns.ndim, where[0], intensity_image is not None)
            return _values(columns, name, ())
        except Invalid:  # scikit-image raises
            return None
        except NotHere as error:
            reason = str(error)
        except Exception as error:
            trouble, failure = as_trouble(error), Failure(error)
            if trouble is None:
                failure.log(own)
            reason = trouble.reason if trouble else failure.reason
        notify.partly(own, {reason: _told("properties", [name])})
        return None

    return Objects(columns, (label_image, intensity_image), values, cache, **options)


def _table(names, separator, steps, options, label_image, intensity_image=None):
    regions = Regions(label_image)
    asked = {theirs.PROPS.get(name, name) for name in names}
    if asked & _OF_PIXELS and asked <= _OF_PIXELS | _OF_COUNTS:
        regions.sort()
    if not len(regions):
        return _of_none(names, separator, options, label_image, intensity_image)
    columns = Columns(regions, intensity_image, steps, np.zeros(steps.size, int))
    extra = [function.__name__ for function in options["extra_properties"] or ()]
    found, left = {}, {}
    for name in dict.fromkeys(names):
        try:
            found[name] = _values(columns, name, extra)
        except NotHere as reason:
            left.setdefault(str(reason), []).append(name)
    given = None
    if left:
        notify.partly(_NAME, {why: _told("columns", names) for why, names in left.items()})
        intensity = None if intensity_image is None else as_numpy(intensity_image)
        given = on_host("skimage.measure:regionprops", as_numpy(label_image), intensity, **options)
    table = {}
    for name in names:
        if name in found:
            table |= _split(name, found[name], separator)
        else:
            table |= theirs._props_to_dict(given, [name], separator)
    return Table(table)


def _values(columns, name, extra):
    """A property's values for all regions, one row each."""
    name = theirs.PROPS.get(name, name)
    if name in extra:
        raise NotHere(_PYTHON)
    if not hasattr(Columns, name):
        raise NotHere("this version of scikit-image added them")
    with np.errstate(all="ignore"):
        values = getattr(columns, name)
    dtype = np.dtype(theirs.COL_DTYPES[name])
    numbers = values
    if name in _NORMALIZED:
        numbers = values[:, np.indices(values.shape[1 : 1 + columns.ndim]).sum(axis=0) >= 2]
    if dtype.kind == "f" and not np.isfinite(numbers).all():
        raise NotHere("values are not finite, which scikit-image may warn of")
    return values.astype(dtype, copy=False)


def _split(name, values, separator):
    """Columns of one property."""
    if values.ndim == 1:
        return {name: values.copy()}
    return {
        separator.join(map(str, (name, *place))): np.ascontiguousarray(
            values[(slice(None), *place)]
        )
        for place in np.ndindex(values.shape[1:])
    }


def _of_none(names, separator, options, labels, intensity):
    """The table without a row, whose columns scikit-image knows."""
    pixel = np.zeros((1,) * labels.ndim, labels.dtype)
    if intensity is not None:
        intensity = np.zeros(pixel.shape + intensity.shape[labels.ndim :], intensity.dtype)
    own = [name for name in names if name in {*theirs.PROPS, *theirs.COL_DTYPES}]
    return Table(on_host(_NAME, pixel, intensity, own, separator=separator, **options))


def _told(what, names):
    return f"{what} {', '.join(names)}"


class Table:
    """A table made on the host, whose columns go where the caller has his arrays.

    Parameters
    ----------
    columns : dict
    """

    def __init__(self, columns):
        self._columns = columns

    def with_arrays(self, change):
        """The table as the caller gets it: columns of one dtype go to the device in one copy."""
        if kind_of(change(xp.empty(1))) is not CUPY:
            return self._columns
        table = dict(self._columns)
        for kind in "if":
            names = [name for name, values in table.items() if values.dtype.kind == kind]
            if names:
                moved = xp.asarray(np.stack([table[name] for name in names]))
                table |= zip(names, map(change, moved), strict=True)
        return table
