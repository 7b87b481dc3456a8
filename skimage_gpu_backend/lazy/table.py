"""`measure.regionprops_table` of Dask arrays.

What chunks can add up is added up; for other properties regions that lie in several chunks are put
together (`pieces`).
"""

import warnings

import numpy as np

from ..functions.measure._region_shapes import objects
from ..functions.measure.regionprops import steps_of
from ..scikit_image import on_host, private
from ..trouble import Declined
from . import faces, pieces
from .chunk import on_chunk
from .columns import as_table
from .join import joined_boxes, on_the_host

theirs = private("measure._regionprops")

_FROM_BOX = {"bbox", "area_bbox", "extent", "centroid_local", "slice"}
_FROM_SUMS = {"centroid", "centroid_local"}
_FROM_VALUES = {"intensity_max", "intensity_mean", "intensity_min"}
_OTHERS = {"label", "num_pixels", "area", "equivalent_diameter_area"}
_ADDED_UP = _FROM_BOX | _FROM_SUMS | _FROM_VALUES | _OTHERS
_ARRAYS = {*theirs.OBJECT_COLUMNS} - {"slice"}


def regionprops_table(call):
    """A dict of Dask arrays whose length is known when they are computed, one for each column."""
    options = call.options
    label_image, *intensity = call.images
    steps = steps_of(options["spacing"], label_image.ndim)
    if options["extra_properties"]:
        raise Declined("extra_properties needs regions as a whole; give label_image.compute()")
    asked = {name: theirs.PROPS.get(name, name) for name in options["properties"]}
    _refuse([name for name, made in asked.items() if made in _ARRAYS])
    added = {made for made in asked.values() if made in _ADDED_UP}
    if (steps != 1).any():
        added.discard("centroid_local")
    whole = {made: made for made in asked.values() if made not in added}
    if "centroid_weighted" in whole:  # which lies in the whole image, not in a box
        whole["centroid_weighted"] = "centroid_weighted_local"
        added.add("bbox")
    wanted = _wanted(added)
    measure = call.task(call.name, ("label_image", "intensity_image")[: len(call.images)])
    relabel = call.task("skimage.segmentation:relabel_sequential", ("label_field",))
    boxes = label_image.map_blocks(
        _box,
        *intensity,
        chunks=tuple((1,) * n for n in label_image.numblocks),
        dtype=object,
        meta=np.empty((0,) * label_image.ndim, object),
        token="regionprops_table-chunk",
        measure=measure._replace(kwargs={"properties": tuple(wanted)}),
        relabel=relabel,
    )
    ufuncs = ("add", *wanted.values())
    found = joined_boxes(boxes, _known, ufuncs=ufuncs, name="regionprops_table")
    rows = None
    if whole:
        names = tuple(dict.fromkeys(whole.values()))
        measure = measure._replace(kwargs={"properties": names, "spacing": options["spacing"]})
        rows = pieces.measured_whole(found, call.images, measure, relabel)
    single = bool(intensity) and intensity[0].dtype.kind == "f" and intensity[0].dtype
    table = {}
    for name, made in asked.items():
        dtype, several = np.dtype(theirs.COL_DTYPES[made]), made in _SEVERAL
        length = {"dtype": dtype, "lengths": ((np.nan,),)}
        if made in whole:
            for place, key in enumerate(_keys(whole[made], measure, call.images)):
                suffix = key.removeprefix(whole[made]).replace("-", options["separator"])
                if made == "centroid_weighted":
                    given = {"key": key, "into": dtype, "place": place, "step": steps[place]}
                    column = call.made(_in_image, rows, found, **length, **given)
                else:
                    column = call.made(pieces.column, rows, **length, key=key, into=dtype)
                table[name + suffix] = column
            continue
        column = {"made": made, "wanted": tuple(wanted), "steps": steps, "single": single}
        for place in range(_width(made, label_image.ndim)):
            key = f"{name}{options['separator']}{place}" if several else name
            table[key] = call.made(_column, found, **length, place=place, **column)
    return as_table(table)


_SEVERAL = {"bbox", "centroid", "centroid_local"}


def _width(made, ndim):
    return 1 if made not in _SEVERAL else 2 * ndim if made == "bbox" else ndim


def _keys(made, measure, images):
    """Names of the columns of a property."""
    small = [np.ones((4,) * image.ndim, image.dtype) for image in images]
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return list(on_host(measure.name, *small, **measure.kwargs | {"properties": [made]}))


def _refuse(names):
    if names:
        raise Declined(
            f"properties has {', '.join(names)}, an array for each region; leave it out, or give "
            "label_image.compute()"
        )


class _Known:
    """Columns of all regions; of some regions, in how many chunks each of them lies."""

    def __init__(self, parts, columns):
        self._parts, self.columns = parts, columns

    def __getitem__(self, regions):
        return self._parts[regions]


def _known(names, parts, *columns):
    return _Known(parts, columns)


def _wanted(made):
    """Properties of a chunk's regions, and the ufuncs that make those of the whole image's."""
    wanted = {"num_pixels": "add"}
    if made & _FROM_BOX:
        wanted["bbox"] = "maximum"
    if made & _FROM_SUMS:
        wanted["centroid"] = "add"
    ufuncs = {"intensity_max": "maximum", "intensity_mean": "add", "intensity_min": "minimum"}
    return wanted | {name: ufunc for name, ufunc in ufuncs.items() if name in made}


def _box(label_image, *intensity, measure, relabel, block_info):
    """`faces.Box` of a chunk: what is measured of its labels."""
    here = block_info[0]
    if label_image.dtype.kind == "i":
        label_image = label_image * (label_image > 0)
    numbers, names, _ = on_chunk(label_image, task=relabel)
    names = on_the_host(names.in_values)
    names = names[names > 0]
    found = on_chunk(numbers, *intensity, task=measure)
    found = {name: on_the_host(column) for name, column in found.items()}
    starts = np.array([start for start, _ in here["array-location"]])
    whole = not intensity or intensity[0].dtype.kind != "f"
    columns = [_summed(name, found, starts, whole) for name in measure.kwargs["properties"]]
    grid, place = here["num-chunks"], here["chunk-location"]
    chunk = faces.Chunk(
        int(np.ravel_multi_index(place, grid)), names, (np.ones_like(names), *columns)
    )
    nothing = (None,) * len(grid)
    return faces.Box(nothing, nothing, [], [chunk])


def _summed(name, found, starts, whole):
    """What is added up, or compared, of a property that a chunk has been measured for."""
    pixels = found["num_pixels"]
    if name == "bbox":  # first ones negative, so that the largest is that of all
        places = np.stack([found[f"bbox-{n}"] for n in range(2 * starts.size)], axis=-1)
        places += np.tile(starts, 2)
        places[:, : starts.size] *= -1
        return places
    if name == "centroid":
        sums = [found[f"centroid-{n}"] * pixels for n in range(starts.size)]
        return np.rint(np.stack(sums, axis=-1)).astype(np.int64) + pixels[:, np.newaxis] * starts
    if name == "intensity_mean":
        sums = found[name] * pixels
        return np.rint(sums) if whole else sums
    return found[name]


def _column(found, made, place, wanted, steps, single):
    columns = dict(zip(wanted, found.answers.columns, strict=True))
    if made == "label":
        return found.names.astype(int)
    with np.errstate(all="ignore"):
        values = _values(made, columns, steps, single)
    values = values.astype(theirs.COL_DTYPES[made], copy=False)
    return values[:, place] if values.ndim > 1 else values


def _values(made, columns, steps, single):
    pixels, ndim, unit = columns["num_pixels"], steps.size, np.prod(steps)
    if made == "num_pixels":
        return pixels
    if made == "area":
        return pixels * unit
    if made == "equivalent_diameter_area":  # one by one, as scikit-image rounds powers
        sizes = pixels * unit
        return np.array([(2 * ndim * size / theirs.PI) ** (1 / ndim) for size in sizes], float)
    if made == "centroid":
        return columns["centroid"] * steps / pixels[:, np.newaxis]
    if made == "intensity_mean":
        means = columns["intensity_mean"] / pixels
        return means.astype(single, copy=False) if single else means
    if made in _FROM_VALUES:
        return columns[made]
    bbox = columns["bbox"] * np.repeat([-1, 1], ndim)
    if made == "bbox":
        return bbox
    if made == "slice":
        corners = zip(bbox[:, :ndim].tolist(), bbox[:, ndim:].tolist(), strict=True)
        return objects([tuple(map(slice, *box)) for box in corners])
    if made == "centroid_local":
        sums = columns["centroid"] - pixels[:, np.newaxis] * bbox[:, :ndim]
        return sums / pixels[:, np.newaxis].astype(float)
    boxes = (bbox[:, ndim:] - bbox[:, :ndim]).prod(axis=1) * unit
    return boxes if made == "area_bbox" else pixels * unit / boxes


def _in_image(rows, found, key, into, place, step):
    """A coordinate, from one that begins at the corner of a region's box."""
    corner = -found.answers.columns[1][:, place]  # behind num_pixels; first places are negative
    return pieces.column(rows, key, into) + corner * step
