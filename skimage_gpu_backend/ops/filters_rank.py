"""Ops of `skimage.filters.rank`: each pixel and its footprint, in one launch.

Budget of every function here, for uint8 images: 1 launch; the image (and the mask) read
once, the result written once; a few numbers of the footprint go to the device. uint16
images: 2 launches, read twice: scikit-image's scale ends at the largest value. Others are
made uint8 first, as scikit-image does it: 1 or 2 launches more.

Sums, extremes and the like come from one walk over the footprint; values in a given
place of the sorted window from one walk for each of their bits; what needs to know how often
values occur from comparing each with each. Where footprints are large, the last two come from a
histogram that moves along the row.
"""

import itertools

import cupy as cp
import numpy as np

from ..accept._rank import SHARED, cells_around, cells_of, centre_of, hollow_at
from ..device import launch
from ..primitives.footprint_tiles import offsets_of, tiles_of, windows_of
from ..primitives.value_range import value_range
from ..trouble import Declined
from ._rank_input import rank_image, rank_mask

_WALK = "filters/rank.cu"
_HISTOGRAM = "filters/rank_histogram.cu"
_TYPES = {"uint8": "u8", "uint16": "u16"}
_COLUMNS = 64  # results along which a histogram moves
_WARP = 32
# what a pixel costs a histogram that moves, besides its bins, in values looked at: an
# estimate from the barriers and the steps of the sums over a warp
_MOVING = 2000
# RankStatistic -> its functions, in the order of RankOperation in rank_formulas.cuh
_STATISTICS = {
    "BAND": "pop sum mean subtract_mean threshold pop_bilateral sum_bilateral mean_bilateral",
    "EXTREMES": "minimum maximum gradient enhance_contrast autolevel",
    "BELOW": "equalize",
    "NEXT": "noise_filter",
    "PRODUCT": "geometric_mean",
    "PLACES": "median percentile threshold_percentile gradient_percentile"
    " enhance_contrast_percentile autolevel_percentile pop_percentile sum_percentile"
    " mean_percentile subtract_mean_percentile",
    "PAIRS": "entropy modal otsu windowed_histogram",
}
_STATISTIC_OF = {name: s for s, names in _STATISTICS.items() for name in names.split()}
_OPERATIONS = list(_STATISTIC_OF)
_OUT = {np.dtype("uint8"): 0, np.dtype("uint16"): 1, np.dtype("float64"): 2}

_FORMULA = np.dtype(
    [
        ("operation", "i4"),
        ("bins", "i4"),
        ("result", "i4"),
        ("below", "i4"),
        ("above", "i4"),
        ("p0", "f8"),
        ("p1", "f8"),
    ],
    align=True,
)


def specializations():
    """Every (source, expression) that the ops of this module launch."""
    for name, statistic in itertools.product(_TYPES.values(), _STATISTICS):
        yield _WALK, f"rank<{name}, {statistic}>"
    for name in _TYPES.values():
        yield _HISTOGRAM, f"rank_histogram<{name}>"


def _filter(name, image, footprint, out, mask, shifts=(0, 0, 0), p0=0, p1=1, s0=0, s1=0):
    """Result of the rank filter `name`; `shifts` are x, y and z."""
    image, bins = rank_image(image)
    formula = np.zeros((), _FORMULA)
    formula["operation"], formula["bins"] = _OPERATIONS.index(name), bins
    formula["p0"], formula["p1"] = p0, p1
    formula["below"], formula["above"] = np.clip([s1, s0], -(2**17), 2**17)
    result = out
    if out is None:
        result = cp.empty(image.shape, "float64" if name == "entropy" else image.dtype)
    elif cp.may_share_memory(out, image):
        result = cp.empty(out.shape, out.dtype)
    elements = np.asarray(footprint) > 0
    if name == "noise_filter":
        elements[hollow_at(elements.shape, shifts)] = False
    _launch(image, elements, mask, centre_of(elements.shape, shifts), formula, result)
    if out is not None and result is not out:
        out[...] = result
    return result if out is None else out


def _launch(image, elements, mask, centre, formula, result):
    """Choose the kernel and launch it; `result` may have one more axis, for histograms."""
    masked = mask is not None
    arrays = (image, rank_mask(mask) if masked else None, masked)
    formula["result"] = _OUT[result.dtype]
    operation = _OPERATIONS[formula["operation"]]
    is_histogram = operation == "windowed_histogram"
    bins, cell = int(formula["bins"]), 2 * image.dtype.itemsize
    tile = (1, 1, _COLUMNS)
    shared = 4 * bins + cell * cells_around(tile, elements.shape)
    statistic = _STATISTIC_OF[operation]
    is_cheaper = _MOVING + bins < _walked(statistic, np.count_nonzero(elements), bins)
    if shared <= SHARED and (is_histogram or is_cheaper):
        windows = windows_of(image.shape, tile, elements.shape, centre)
        offsets, edge = _moving_offsets(elements, windows)
        counts = np.int32(len(offsets) - 2 * edge), np.int32(edge)
        depth = result.size // image.size
        args = (*arrays, cp.asarray(offsets), *counts, windows[()], formula[()], depth)
        source, kernel, block = _HISTOGRAM, "rank_histogram<{}>", (_WARP, 1)
    elif is_histogram:
        raise Declined(f"histograms of {bins} bins are too large for a block's shared memory")
    else:
        tile, cells = cells_of(elements.shape, SHARED // cell)
        shared = cell * cells
        windows = windows_of(image.shape, tile, elements.shape, centre)
        offsets = offsets_of(elements, windows)
        args = (*arrays, cp.asarray(offsets), np.int32(len(offsets)), windows[()], formula[()])
        source, kernel, block = _WALK, f"rank<{{}}, {statistic}>", (32, 8)
    launch(
        source,
        kernel.format(_TYPES[image.dtype.name]),
        (*args, result.view("uint8")),
        work=tiles_of(windows) * block[0] * block[1],
        block=block,
        shared=shared,
    )


def _walked(statistic, elements, bins):
    """Values that a pixel's thread looks at, where that grows faster than the footprint."""
    if statistic == "PAIRS":
        return elements**2
    return elements * (bins - 1).bit_length() if statistic == "PLACES" else 0


def _moving_offsets(elements, windows):
    """Offsets of all elements, of those that enter along the row and of those that leave."""
    beyond = np.zeros((*elements.shape[:-1], 1), bool)
    enter = elements & ~np.concatenate([elements[..., 1:], beyond], -1)
    leave = elements & ~np.concatenate([beyond, elements[..., :-1]], -1)
    parts = [offsets_of(part, windows) for part in (elements, enter, leave)]
    return np.concatenate(parts), len(parts[1])


def _generic(name):
    def op(image, footprint, out=None, mask=None, shift_x=0, shift_y=0, shift_z=0):
        return _filter(name, image, footprint, out, mask, (shift_x, shift_y, shift_z))

    return _documented(op, name)


def _percentile(name):
    def op(image, footprint, out=None, mask=None, shift_x=0, shift_y=0, p0=0, p1=1):
        return _filter(name, image, footprint, out, mask, (shift_x, shift_y, 0), p0, p1)

    return _documented(op, name)


def _bilateral(name):
    def op(image, footprint, out=None, mask=None, shift_x=0, shift_y=0, s0=10, s1=10):
        shifts = (shift_x, shift_y, 0)
        return _filter(name, image, footprint, out, mask, shifts, s0=s0, s1=s1)

    return _documented(op, name)


def _one_share(name):
    def op(image, footprint, out=None, mask=None, shift_x=0, shift_y=0, p0=0):
        return _filter(name, image, footprint, out, mask, (shift_x, shift_y, 0), p0)

    return _documented(op, name)


def _documented(op, name):
    op.__name__ = op.__qualname__ = name
    op.__doc__ = f"`skimage.filters.rank.{name}`. 1 launch; uint16: 2."
    return op


autolevel = _generic("autolevel")
enhance_contrast = _generic("enhance_contrast")
entropy = _generic("entropy")
equalize = _generic("equalize")
geometric_mean = _generic("geometric_mean")
gradient = _generic("gradient")
maximum = _generic("maximum")
mean = _generic("mean")
minimum = _generic("minimum")
modal = _generic("modal")
noise_filter = _generic("noise_filter")
otsu = _generic("otsu")
pop = _generic("pop")
subtract_mean = _generic("subtract_mean")
sum = _generic("sum")
threshold = _generic("threshold")
autolevel_percentile = _percentile("autolevel_percentile")
enhance_contrast_percentile = _percentile("enhance_contrast_percentile")
gradient_percentile = _percentile("gradient_percentile")
mean_percentile = _percentile("mean_percentile")
percentile = _one_share("percentile")
pop_percentile = _percentile("pop_percentile")
subtract_mean_percentile = _percentile("subtract_mean_percentile")
sum_percentile = _percentile("sum_percentile")
threshold_percentile = _one_share("threshold_percentile")
mean_bilateral = _bilateral("mean_bilateral")
pop_bilateral = _bilateral("pop_bilateral")
sum_bilateral = _bilateral("sum_bilateral")


def majority(image, footprint, *, out=None, mask=None, shift_x=0, shift_y=0, shift_z=0):
    """`skimage.filters.rank.majority`, which is `modal`. 1 launch; uint16: 2."""
    return modal(image, footprint, out, mask, shift_x, shift_y, shift_z)


def median(image, footprint=None, out=None, mask=None, shift_x=0, shift_y=0, shift_z=0):
    """`skimage.filters.rank.median`. 1 launch; uint16: 2."""
    if footprint is None:
        footprint = np.ones((3,) * image.ndim, bool)
    return _filter("median", image, footprint, out, mask, (shift_x, shift_y, shift_z))


def windowed_histogram(image, footprint, out=None, mask=None, shift_x=0, shift_y=0, n_bins=None):
    """`skimage.filters.rank.windowed_histogram`.

    1 launch where `n_bins` is given for a uint8 image, else 2, and the image is read twice;
    the histograms of all pixels are written once.
    """
    image, bins = rank_image(image)
    if n_bins is None:
        # the scale of 16 bits ends at the largest value, unless that is below 3
        is_known = image.dtype == np.uint16 and bins > 4
        n_bins = bins if is_known else int(value_range(image)[1].get()) + 1
    if n_bins > bins:
        raise Declined("scikit-image reads beyond its histogram where n_bins is larger")
    formula = np.zeros((), _FORMULA)
    formula["operation"], formula["bins"] = _OPERATIONS.index("windowed_histogram"), bins
    result = cp.empty((*image.shape, n_bins), "float64")
    elements = np.asarray(footprint) > 0
    centre = centre_of(elements.shape, (shift_x, shift_y, 0))
    _launch(image, elements, mask, centre, formula, result)
    return result
