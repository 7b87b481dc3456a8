"""skimage.exposure.equalize_adapthist on the device."""

import math
import numbers

import cupy as cp
import numpy as np

from ..device import c_name, launch, resident_blocks
from ..functions.color._pixels import compute_type
from ..primitives.points import launch_points
from ..primitives.reduce import BLOCK, scratch
from ..primitives.value_range import value_range
from ..trouble import Declined

_MAPS = "exposure/clahe_maps.cu"
_APPLY = "exposure/clahe_apply.cu"
_GRAY = ("bool", "int8", "int16", "uint8", "uint16", "float32", "float64")
_COLOR = (*_GRAY, "float16")
_AXES = 4  # MOST_AXES of the kernels
_LEVELS = 1 << 14
_SEGMENT = 1024  # of clahe_apply.cu
_TILE = 256  # of clahe_apply.cu
_LEAST_PART = 4096  # pixels for which a block of its own pays


def specializations():
    """Every (source, expression) that the op of this module launches."""
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
    image = cp.ascontiguousarray(image)
    is_color = image.ndim == 3 and image.shape[-1] in (3, 4)
    shape = image.shape[:-1] if is_color else image.shape
    size = _tile_size(shape, kernel_size)
    number = [-(-length // k) for length, k in zip(shape, size, strict=True)]
    value = _range_of_color(image) if is_color else value_range(image)
    levels, maps = _maps(image, is_color, value, shape, size, number, clip_limit, nbins)
    limits = _interpolate(levels, maps, shape, size, number)
    if is_color or image.dtype.kind == "f":
        _refuse(*value.get()[:2])
    return _result(image, is_color, levels, limits)


def _tile_size(shape, kernel_size):
    if kernel_size is None:
        return [max(length // 8, 1) for length in shape]
    if isinstance(kernel_size, numbers.Number):
        kernel_size = (kernel_size,) * len(shape)
    return [int(length) for length in kernel_size]


def _range_of_color(image):
    limit = compute_type(image.dtype)
    pixels, channels = image.size // image.shape[-1], image.shape[-1]
    blocks = min(-(-pixels // BLOCK), resident_blocks(BLOCK))
    partials, arrived = scratch(blocks, 2, limit)
    found = cp.empty(2, limit)
    args = (image, channels, pixels, partials, arrived, found)
    expression = f"clahe_range_of_color<{c_name(image.dtype)}>"
    launch(_MAPS, expression, args, work=pixels, block=BLOCK, grid=(blocks,))
    return found


def _maps(image, is_color, value, shape, size, number, clip_limit, nbins):
    """The bin of each pixel, and the level that each bin becomes in each tile."""
    tiles, pixels = math.prod(number), math.prod(size)
    limit = int(np.clip(clip_limit * pixels, 1, pixels)) if clip_limit > 0.0 else pixels
    at_once = resident_blocks(BLOCK)
    parts = max(1, min(pixels // _LEAST_PART, -(-at_once // tiles)))
    geometry = _struct(
        shape=_axes(shape),
        size=_axes(size),
        number=_axes(number),
        scale=np.float64((_LEVELS - 1) / pixels),
        pixels=np.int64(pixels),
        clip_limit=np.int64(limit),
        axes=np.int32(len(shape)),
        bin_size=np.int32(1 + _LEVELS // nbins),
        bin_count=np.int32(nbins),
        parts=np.int32(parts),
    )
    bins, maps = cp.empty(shape, "uint16"), cp.empty((tiles, nbins), "uint16")
    counts = cp.zeros(tiles * nbins if parts > 1 else 1, "uint32")
    arrived = cp.zeros(tiles, "uint32")
    channels = (image.shape[-1],) if is_color else ()
    launch(
        _MAPS,
        f"clahe_maps_of_{'color' if is_color else 'gray'}<{c_name(image.dtype)}>",
        (image, *channels, value, geometry, bins, counts, arrived, maps),
        work=image.size,
        block=BLOCK,
        shared=4 * nbins,
        grid=(min(tiles * parts, at_once),),
    )
    return bins, maps


def _axes(values):
    """A number for each axis, as the kernels' structs have them."""
    filled = np.ones(_AXES, np.int64)
    filled[_AXES - len(values) :] = values
    return filled


def _struct(**fields):
    layout = [(name, value.dtype, value.shape) for name, value in fields.items()]
    return np.array(tuple(fields.values()), np.dtype(layout, align=True))[()]


def _interpolate(levels, maps, shape, size, number):
    """Make levels of bins, in place; their minimum and maximum."""
    geometry = _struct(
        shape=_axes(shape),
        size=_axes(size),
        number=_axes(number),
        first=_axes(np.cumsum(size) - size),
        bin_count=np.int32(maps.shape[1]),
    )
    weights = cp.asarray(np.concatenate([np.arange(k) / k for k in size]))
    segments = -(-shape[-1] // _SEGMENT) * math.prod(shape[:-1])
    blocks = min(segments, resident_blocks(BLOCK))
    partials, arrived = scratch(blocks, 2, "uint32")
    limits = cp.empty(2, "uint32")
    args = (levels, maps, weights, geometry, partials, arrived, limits)
    expression = f"clahe_levels<{len(shape)}>"
    launch(_APPLY, expression, args, work=levels.size, block=BLOCK, grid=(blocks,))
    return limits


def _refuse(low, high):
    if np.isnan(low):
        raise Declined("some elements are not a number")
    if low < -1.0 or high > 1.0:
        raise ValueError("Images of type float must be between -1 and 1.")


def _result(image, is_color, levels, limits):
    w = compute_type(image.dtype)
    if not is_color:
        result = cp.empty(image.shape, w)
        args = (levels, levels.size, limits, result)
        expression = f"clahe_result_of_gray<{c_name(w)}>"
        launch_points(_APPLY, expression, args, levels, result)
        return result
    result = cp.empty((*levels.shape, 3), w)
    args = (image, image.shape[-1], levels, levels.size, limits, result)
    expression = f"clahe_result_of_color<{c_name(image.dtype)}, {c_name(w)}>"
    blocks = min(-(-levels.size // _TILE), resident_blocks(BLOCK))
    launch(_APPLY, expression, args, work=levels.size, block=BLOCK, grid=(blocks,))
    return result
