"""skimage.exposure.equalize_adapthist."""

import functools
import math
from typing import NamedTuple

import numpy as np

from ...device import c_name, launch, resident_blocks
from ...device.dtypes import float_type
from ...device.launches import Cost
from ...device.shared import most_dynamic
from ...devices import to_host, xp
from ...plan import Declined, Invalid, Plan
from ...primitives.arguments import is_finite, is_real
from ...primitives.points import launch_points
from ...primitives.reduce import BLOCK, scratch
from ...primitives.value_range import value_range

_MAPS = "exposure/clahe_maps.cu"
_APPLY = "exposure/clahe_apply.cu"
_GRAY = ("bool", "int8", "int16", "uint8", "uint16", "float32", "float64")
_COLOR = (*_GRAY, "float16")
_AXES = 4  # MOST_AXES of the kernels
_MOST_BINS = most_dynamic("clahe_maps_of_gray") // 4  # that a block has room for
_MOST_COUNTS = 1 << 26  # bins of all tiles
_LEVELS = 1 << 14
_SEGMENT = 1024  # of clahe_apply.cu
_TILE = 256  # of clahe_apply.cu
_LEAST_PART = 4096  # pixels for which a block of its own pays


class _Tiles(NamedTuple):
    """The pixels of an image, without channels, and the tiles that they lie in."""

    shape: tuple
    size: tuple
    number: tuple
    limit: int  # pixels of a tile beyond which a bin is clipped
    nbins: int

    @property
    def count(self):
        return math.prod(self.number)


def equalize_adapthist(image, kernel_size=None, clip_limit=0.01, nbins=256):
    """Contrast limited adaptive histogram equalization.

    As `skimage.exposure.equalize_adapthist`. 4 launches: range; bins, histograms and maps of
    the tiles; levels between the maps; result. Each but the first depends on all pixels of
    the one before, so the image is read twice (colours once more for the result), two bytes
    for each pixel are written, read and written, and read; the result is written once. Of
    floating images the range comes to the host.

    References
    ----------
    K. Zuiderveld, "Contrast Limited Adaptive Histogram Equalization", Graphics Gems IV,
    Academic Press, 1994.
    """
    tiles, is_color = tiles_of(image, kernel_size, clip_limit, nbins)
    run = functools.partial(_equalized, tiles, is_color)
    return Plan(run, cost=_cost(image, tiles, is_color))


def tiles_of(image, kernel_size, clip_limit, nbins):
    """`_Tiles` of a call, and whether its image is one of colours."""
    if image.size == 0:
        raise Invalid("image is empty; nothing to change")
    shape, is_color = image.shape, image.ndim == 3 and image.shape[-1] in (3, 4)
    if is_color:
        shape = shape[:-1]
    elif image.dtype.char == "e":
        raise Declined("image is float16, whose levels overflow; give image.astype(numpy.float32)")
    if not 0 < len(shape) <= _AXES:
        raise Declined(f"image has {len(shape)} axes; give one of 1 to {_AXES}")
    if image.dtype.kind in "iu" and image.dtype.itemsize > 2:
        raise Declined(
            "image has integers of more than 16 bits; give img_as_float(image), which changes the "
            "result"
        )
    if not is_finite(clip_limit) or clip_limit > 1e9:
        raise Declined("clip_limit is not a number below 1e9; give one, as 0.01")
    if type(nbins) is not int:
        raise Declined("nbins is no plain integer; give one of Python's, as 256")
    if not 0 < nbins <= _MOST_BINS:
        raise Declined(f"nbins is not from 1 to {_MOST_BINS}; give an integer within, as 256")
    return _tiles(shape, _tile_size(shape, kernel_size), clip_limit, nbins), is_color


def _tile_size(shape, kernel_size):
    if kernel_size is None:
        return tuple(max(length // 8, 1) for length in shape)
    if is_real(kernel_size) and not isinstance(kernel_size, np.bool_):
        kernel_size = (kernel_size,) * len(shape)
    if not isinstance(kernel_size, tuple | list | np.ndarray):
        raise Declined(
            "kernel_size is neither an integer nor a sequence; give an integer, as 64, "
            "or one for each axis"
        )
    if getattr(kernel_size, "ndim", 1) == 0 or len(kernel_size) != len(shape):
        raise Invalid("kernel_size has another length than the image has axes")
    if not all(map(is_finite, kernel_size)):
        raise Invalid("kernel_size is not of finite numbers")
    return tuple(map(int, kernel_size))


def _tiles(shape, size, clip_limit, nbins):
    if min(size) < 1:
        raise Declined("kernel_size is less than 1; give integers from 1 on")
    pixels = math.prod(size)
    if pixels >= 1 << 31:
        raise Declined("kernel_size makes tiles of 2**31 pixels or more; give a smaller one")
    try:
        limit = int(np.clip(clip_limit * pixels, 1, None)) if clip_limit > 0.0 else pixels
    except OverflowError:
        raise Invalid("clip_limit, times a tile's pixels, is beyond its type") from None
    number = tuple(-(-length // k) for length, k in zip(shape, size, strict=True))
    tiles = _Tiles(shape, size, number, min(limit, pixels), nbins)
    if tiles.count * nbins > _MOST_COUNTS:
        raise Declined(
            "kernel_size is so small that the histograms need too much memory; give a larger one"
        )
    return tiles


def _cost(image, tiles, is_color):
    levels, maps = 2 * math.prod(tiles.shape), 2 * tiles.count * tiles.nbins
    weights = 8 * sum(tiles.size)
    counts = 2 * maps + 4 * tiles.count
    result = _float_of(image).itemsize * math.prod(tiles.shape) * (3 if is_color else 1)
    return Cost(
        4,
        (3 if is_color else 2) * image.nbytes + levels + maps + weights,
        result + 2 * levels + maps + counts,
        levels + maps + counts,
    )


def _float_of(image):
    return np.dtype(float_type(image.dtype))


def _equalized(tiles, is_color, image):
    image = xp.ascontiguousarray(image)
    value = _range_of_color(image) if is_color else value_range(image)
    levels, maps = _maps(image, is_color, value, tiles)
    limits = _interpolate(levels, maps, tiles)
    if is_color or image.dtype.kind == "f":
        _refuse(*to_host(value)[:2])
    return _result(image, is_color, levels, limits)


def _range_of_color(image):
    limit = _float_of(image)
    pixels, channels = image.size // image.shape[-1], image.shape[-1]
    blocks = min(-(-pixels // BLOCK), resident_blocks(BLOCK))
    partials, arrived = scratch(blocks, 2, limit)
    found = xp.empty(2, limit)
    args = (image, channels, pixels, partials, arrived, found)
    expression = f"clahe_range_of_color<{c_name(image.dtype)}>"
    launch(_MAPS, expression, args, work=pixels, block=BLOCK, grid=(blocks,))
    return found


def _maps(image, is_color, value, tiles):
    """The bin of each pixel, and the level that each bin becomes in each tile."""
    count, pixels, nbins = tiles.count, math.prod(tiles.size), tiles.nbins
    at_once = resident_blocks(BLOCK)
    parts = max(1, min(pixels // _LEAST_PART, -(-at_once // count)))
    geometry = _struct(
        shape=_axes(tiles.shape),
        size=_axes(tiles.size),
        number=_axes(tiles.number),
        scale=np.float64((_LEVELS - 1) / pixels),
        pixels=np.int64(pixels),
        clip_limit=np.int64(tiles.limit),
        axes=np.int32(len(tiles.shape)),
        bin_size=np.int32(bin_size(nbins)),
        bin_count=np.int32(nbins),
        parts=np.int32(parts),
    )
    bins, maps = xp.empty(tiles.shape, "uint16"), xp.empty((count, nbins), "uint16")
    counts = xp.zeros(count * nbins if parts > 1 else 1, "uint32")
    arrived = xp.zeros(count, "uint32")
    channels = (image.shape[-1],) if is_color else ()
    launch(
        _MAPS,
        f"clahe_maps_of_{'color' if is_color else 'gray'}<{c_name(image.dtype)}>",
        (image, *channels, value, geometry, bins, counts, arrived, maps),
        work=image.size,
        block=BLOCK,
        shared=4 * nbins,
        grid=(min(count * parts, at_once),),
    )
    return bins, maps


def bin_size(nbins):
    """Levels of a bin."""
    return 1 + _LEVELS // nbins


def _axes(values, fill=1):
    """A number for each axis, as the kernels' structs have them."""
    filled = np.full(_AXES, fill, np.int64)
    filled[_AXES - len(values) :] = values
    return filled


def _struct(**fields):
    layout = [(name, value.dtype, value.shape) for name, value in fields.items()]
    return np.array(tuple(fields.values()), np.dtype(layout, align=True))[()]


def levels_at(tiles, start, maps, image):
    """Levels of the bins of a part of an image, which begins at `start`, by the tiles' maps."""
    levels = xp.array(image, order="C")
    _interpolate(levels, xp.asarray(maps), tiles, start)
    return levels


def _interpolate(levels, maps, tiles, start=()):
    """Make levels of bins, in place; their minimum and maximum."""
    shape, size = levels.shape, tiles.size
    geometry = _struct(
        shape=_axes(shape),
        start=_axes(start or (0,) * len(shape), 0),
        size=_axes(size),
        number=_axes(tiles.number),
        first=_axes(np.cumsum(size) - size),
        bin_count=np.int32(tiles.nbins),
    )
    weights = xp.asarray(np.concatenate([np.arange(k) / k for k in size]))
    segments = -(-shape[-1] // _SEGMENT) * math.prod(shape[:-1])
    blocks = min(segments, resident_blocks(BLOCK))
    partials, arrived = scratch(blocks, 2, "uint32")
    limits = xp.empty(2, "uint32")
    args = (levels, maps, weights, geometry, partials, arrived, limits)
    expression = f"clahe_levels<{len(shape)}>"
    launch(_APPLY, expression, args, work=levels.size, block=BLOCK, grid=(blocks,))
    return limits


def _refuse(low, high):
    if np.isnan(low):
        raise Declined(
            "image has NaN; give finite numbers, as numpy.nan_to_num(image), which changes the "
            "result"
        )
    if low < -1.0 or high > 1.0:
        raise ValueError("Images of type float must be between -1 and 1.")


def _result(image, is_color, levels, limits):
    w = _float_of(image)
    if not is_color:
        result = xp.empty(image.shape, w)
        args = (levels, levels.size, limits, result)
        expression = f"clahe_result_of_gray<{c_name(w)}>"
        launch_points(_APPLY, expression, args, levels, result)
        return result
    result = xp.empty((*levels.shape, 3), w)
    args = (image, image.shape[-1], levels, levels.size, limits, result)
    expression = f"clahe_result_of_color<{c_name(image.dtype)}, {c_name(w)}>"
    blocks = min(-(-levels.size // _TILE), resident_blocks(BLOCK))
    launch(_APPLY, expression, args, work=levels.size, block=BLOCK, grid=(blocks,))
    return result


def specializations():
    """Every (source, expression) that this room launches, but for the range."""
    for name in _GRAY:
        yield _MAPS, f"clahe_maps_of_gray<{c_name(np.dtype(name))}>"
    for name in _COLOR:
        c = c_name(np.dtype(name))
        w = "float" if name in ("float16", "float32") else "double"
        yield _MAPS, f"clahe_maps_of_color<{c}>"
        yield _MAPS, f"clahe_range_of_color<{c}>"
        yield _APPLY, f"clahe_result_of_color<{c}, {w}>"
    for axes in range(1, _AXES + 1):
        yield _APPLY, f"clahe_levels<{axes}>"
    for w in ("float", "double"):
        yield _APPLY, f"clahe_result_of_gray<{w}>"
