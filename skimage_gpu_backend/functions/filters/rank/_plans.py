"""Plans of rank filters: on which scale of grey values, by which kernel.

Sums, extremes and the like come from one walk over the footprint; values in a given
place of the sorted window from one walk for each of their bits; what needs to know how often
values occur from comparing each with each. Where footprints are large, the last two come from a
histogram that moves along the row.
"""

import functools
import itertools
import math
from typing import NamedTuple

import numpy as np

from ...._warn import warn_caller
from ....device.launches import Array, Bytes, Cost, Launch, Launches, added
from ....devices import to_host, xp
from ....plan import Declined, Passes, Plan, Reach, warned
from ....primitives.footprint_tiles import (
    SHARED,
    cells_around,
    cells_of,
    offsets_of,
    tiles_of,
    windows_of,
)
from ....primitives.value_range import value_range
from ...util.img_as import img_as_ubyte

_WALK = "filters/rank.cu"
_HISTOGRAM = "filters/rank_histogram.cu"
_TYPES = {"uint8": "u8", "uint16": "u16"}
_COLUMNS = 64  # results along which a histogram moves
_WARP = 32
_SORTED = 28  # offsets of a footprint that is sorted, zeros behind the last one
_MOST_THERE = 256  # elements of a footprint that blocks read on the device
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
# Of the values between two places of the sorted window: where that is all, no place is asked for.
_BETWEEN = {f"{name}_percentile" for name in ("pop", "sum", "mean", "subtract_mean")}
_OPERATIONS = list(_STATISTIC_OF)
_UINT8, _UINT16, _FLOAT64 = map(np.dtype, ("uint8", "uint16", "float64"))
_OUT = {_UINT8: 0, _UINT16: 1, _FLOAT64: 2}
_AS_THEY_ARE = ("bool", "uint8")  # masks
# Above, scikit-image warns that its histograms are slow.
_MANY_BINS = 2**10

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


# What a footprint on the device is.
_ELEMENTS = np.dtype([("itemsize", "i4"), ("hollow", "i4"), ("most", "u8")], align=True)
_READS = ("image", "mask", "out", "footprint")

_PRECISION = (
    "Possible precision loss converting image of type {} to uint8 as required by rank filters. "
    "Convert manually using skimage.util.img_as_ubyte to silence this warning."
)


class Filter(NamedTuple):
    """A rank filter as numbers.

    Attributes
    ----------
    name : str
        Of the formula.
    extent : tuple of int
        Of the footprint.
    elements : bytes or numpy.dtype
        Whether each of its elements counts; of a footprint that stays on the device its dtype.
    centre : tuple of int
        The element that lies on the pixel.
    p0, p1 : float
        Shares of the sorted window.
    below, above : int
        Grey values around the pixel's own.
    depth : int or None
        Numbers of a pixel where the result is a histogram, else 0; None: as many as the image
        has levels, which only its largest value tells.
    hollow : int
        Element that does not count, of a footprint on the device, from the first one; or -1.
    """

    name: str
    extent: tuple
    elements: bytes | np.dtype
    centre: tuple
    p0: float = 0.0
    p1: float = 1.0
    below: int = 0
    above: int = 0
    depth: int | None = 0
    hollow: int = -1

    @property
    def is_there(self):
        """Whether its footprint stays on the device."""
        return type(self.elements) is not bytes


def stays_there(name, size):
    """Whether no value of a footprint of so many elements has to be known to plan a filter."""
    return size <= _MOST_THERE and _STATISTIC_OF[name] != "PAIRS"


@functools.lru_cache(maxsize=256)
def planned(call, shape, dtype, masked, into) -> Plan:
    """Plan of a rank filter.

    Parameters
    ----------
    call : Filter
    shape, dtype
        Of the image.
    masked, into : numpy.dtype or None
        Of the mask and of ``out``.
    """
    reach = _reach(call, dtype, masked)
    reads = _READS if call.is_there else None
    as_it_is = dtype == _UINT8 and (masked is None or masked.name in _AS_THEY_ARE)
    if as_it_is and call.depth is not None:
        return Plan(_launches(call, shape, dtype, 256, masked, into), reach, reads=reads)
    cost = None if call.depth is None else _cost(call, shape, dtype, masked, into)
    told = "" if dtype.name in _TYPES else _PRECISION.format(dtype)
    return warned(Plan(functools.partial(_run, call), reach, cost=cost, reads=reads), told)


def _reach(call, dtype, masked):
    """What a rank filter looks at; None where the largest value decides more than a scale."""
    if call.depth is None or (masked is not None and _is_scaled_or_not(masked)):
        return None
    halo = tuple(max(at, n - 1 - at) for at, n in zip(call.centre, call.extent, strict=True))
    reach = Reach(halo, arrays=call.depth or 2)
    if dtype == _UINT16:
        return Passes(_largest, functools.partial(_on_scale, call), reach)
    return None if _is_scaled_or_not(dtype) else reach


def _is_scaled_or_not(dtype):
    """Whether an image becomes uint8 in a way that its largest value decides."""
    return dtype.kind in "iu" and dtype.itemsize > 1


def _cost(call, shape, dtype, masked, into):
    """The most that it takes where something is converted or found first."""
    image, size = Array(shape, dtype), math.prod(shape)
    first = []
    if dtype.name not in _TYPES:
        first.append(img_as_ubyte(image).cost)
        image = Array(shape, _UINT8)
    elif dtype == _UINT16:
        first.append(Cost(1, image.nbytes, 0))  # the largest value
    between = image.nbytes if image.dtype != dtype else 0
    if masked is not None and masked.name not in _AS_THEY_ARE:
        first.append(img_as_ubyte(Array(shape, masked)).cost)
        between += size
    # offsets of elements, of those that enter and of those that leave; or the elements
    footprint = math.prod(call.extent) * (call.elements.itemsize if call.is_there else 3 * 4)
    read = image.nbytes + footprint + (0 if masked is None else size)
    written = size * max(1, call.depth) * _written(call, image.dtype, into).itemsize
    return added(*first, Cost(1, read, written, between))


def _run(call, image, mask=None, out=None, footprint=None):
    image = xp.ascontiguousarray(_levels(image))
    is_asked = image.dtype == _UINT16 or call.depth is None
    return _on_scale(call, _largest(image) if is_asked else None, image, mask, out, footprint)


def _levels(image):
    """The image in 8 or 16 bits.

    Launches of `img_as_ubyte` for other dtypes than these.
    """
    return image if image.dtype.name in _TYPES else _as_bytes(image)


def _as_bytes(image):
    return img_as_ubyte(image).run(image=image)


def _largest(image, mask=None):
    """Largest value of an image, which may be in pieces. 1 launch; the image is read once."""
    return int(to_host(value_range(image)[1]))


def _on_scale(call, largest, image, mask=None, out=None, footprint=None):
    """Result for (a part of) an image of 8 or 16 bits; the largest value of the whole.

    scikit-image's scale of uint16 images ends there.
    """
    arrays = {"image": image} if footprint is None else {"image": image, "footprint": footprint}
    if mask is not None:  # which scikit-image may refuse, before it warns of bins
        arrays["mask"] = mask if mask.dtype.name in _AS_THEY_ARE else _as_bytes(mask)
    bins = 256 if image.dtype == _UINT8 else max(3, largest) + 1
    if bins > _MANY_BINS:
        warn_caller(
            f"Bad rank filter performance is expected due to a large number of bins ({bins}),"
            f" equivalent to an approximate bitdepth of {np.log2(bins):.1f}.",
            UserWarning,
        )
    if call.depth is None:
        call = call._replace(depth=largest + 1)
    masked = None if mask is None else arrays["mask"].dtype
    into = None if out is None else out.dtype
    return _launches(call, image.shape, image.dtype, bins, masked, into)(out=out, **arrays)


def _written(call, dtype, into):
    """dtype of the result."""
    if into is not None:
        return into
    return _FLOAT64 if call.depth or call.name == "entropy" else dtype


@functools.lru_cache(maxsize=256)
def _launches(call, shape, dtype, bins, masked, into):
    """The one launch for an image of 8 or 16 bits with `bins` grey values."""
    if call.depth > bins:
        raise Declined(
            "n_bins is above the number of grey values, where scikit-image reads beyond "
            "its histogram; give fewer"
        )
    image = Array(shape, dtype, "image")
    mask = None if masked is None else Array(shape, masked, "mask")
    deep = (call.depth,) if call.depth else ()
    result = Array((*shape, *deep), _written(call, dtype, into))
    formula = _formula(call, bins, _OUT[result.dtype])
    cell = 2 * dtype.itemsize
    tile = (1, 1, _COLUMNS)
    shared = 4 * bins + cell * cells_around(tile, call.extent)
    statistic = _statistic(call)
    is_moving = not call.is_there and _is_moving(statistic, sum(call.elements), bins)
    if shared <= SHARED and (deep or is_moving):
        windows = windows_of(shape, tile, call.extent, call.centre)
        offsets, edge = _moving_offsets(_elements_of(call), windows)
        counts = np.int32(len(offsets) - 2 * edge), np.int32(edge)
        numbers = (Array.of(offsets), *counts, windows[()], formula, call.depth or 1)
        source, expression, block = _HISTOGRAM, f"rank_histogram<{_TYPES[dtype.name]}>", (_WARP, 1)
    elif deep:
        raise Declined(
            f"image has values that need histograms of {bins} bins, more than fit into "
            "a GPU's shared memory; give image.astype(numpy.uint8)"
        )
    else:
        tile, cells = cells_of(call.extent, SHARED // cell, shape)
        shared = cell * cells
        windows = windows_of(shape, tile, call.extent, call.centre)
        numbers = (*_elements(call, windows), windows[()], formula)
        source, expression, block = _WALK, f"rank<{_TYPES[dtype.name]}, {statistic}>", (32, 8)
    arguments = (image, mask, masked is not None, *numbers, Bytes(result))
    work = tiles_of(windows) * block[0] * block[1]
    return Launches([Launch(source, expression, arguments, work, block, shared)], result)


def _elements_of(call):
    """Array of whether each element of a footprint counts."""
    return np.frombuffer(call.elements, bool).reshape(call.extent)


def _elements(call, windows):
    """Offsets or a footprint on the device, and the struct RankElements of rank_elements.cuh."""
    told = np.zeros((), _ELEMENTS)
    if not call.is_there:
        offsets = offsets_of(_elements_of(call), windows)
        read = np.pad(offsets, (0, max(0, _SORTED - len(offsets))))
        return Array.of(read), np.int32(len(offsets)), None, told[()]
    dtype = call.elements
    told["itemsize"], told["hollow"], told["most"] = dtype.itemsize, call.hollow, _most(dtype)
    footprint = Array(call.extent, dtype, "footprint")
    return None, np.int32(footprint.size), Bytes(footprint), told[()]


def _most(dtype):
    """Bits of the largest number of a dtype, below which all that are above 0 lie."""
    if dtype.kind == "f":
        return np.array(np.inf, dtype).view(f"u{dtype.itemsize}")
    return np.iinfo(dtype).max if dtype.kind in "iu" else 1


def _statistic(call):
    """What a filter gathers in a window, as in rank_formulas.cuh."""
    is_of_all = call.name in _BETWEEN and call.p0 <= 0 and call.p1 >= 1
    return "BAND" if is_of_all else _STATISTIC_OF[call.name]


def _formula(call, bins, result):
    """The struct RankFormula of rank_formulas.cuh."""
    formula = np.zeros((), _FORMULA)
    formula["operation"], formula["bins"] = _OPERATIONS.index(call.name), bins
    formula["result"] = result
    formula["below"], formula["above"] = call.below, call.above
    formula["p0"], formula["p1"] = call.p0, call.p1
    return formula[()]


def _is_moving(statistic, elements, bins):
    """Whether a histogram that moves is cheaper than all that a pixel's thread looks at."""
    walked = 0  # where that grows no faster than the footprint
    if statistic == "PAIRS":
        walked = elements**2
    elif statistic == "PLACES":
        walked = elements * (bins - 1).bit_length()
    return _MOVING + bins < walked


def _moving_offsets(elements, windows):
    """Offsets of all elements, of those that enter along the row and of those that leave."""
    beyond = np.zeros((*elements.shape[:-1], 1), bool)
    enter = elements & ~np.concatenate([elements[..., 1:], beyond], -1)
    leave = elements & ~np.concatenate([beyond, elements[..., :-1]], -1)
    parts = [offsets_of(part, windows) for part in (elements, enter, leave)]
    return np.concatenate(parts), len(parts[1])


def specializations():
    """Every (source, expression) that rank filters launch."""
    for name, statistic in itertools.product(_TYPES.values(), _STATISTICS):
        yield _WALK, f"rank<{name}, {statistic}>"
    for name in _TYPES.values():
        yield _HISTOGRAM, f"rank_histogram<{name}>"
