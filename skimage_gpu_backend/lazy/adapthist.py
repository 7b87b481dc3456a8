"""`exposure.equalize_adapthist` of Dask arrays: tiles are counted in all chunks that they cross.

Tiles lie at fixed places of the whole image, so what chunks count of one adds up; how a pixel
lies between the tiles' maps is told by where its chunk begins.
"""

import itertools
from functools import partial, reduce

import numpy as np

from ..device.dtypes import float_type
from ..functions.exposure import equalize_adapthist as room
from ..plan import Reach
from ..scikit_image import on_host, private
from .chunk import on_chunk
from .graph import Graph
from .join import like, on_the_host
from .measured import measured, plan_to

theirs = private("exposure._adapthist")

_RESCALE = "skimage.exposure:rescale_intensity"


def equalize_adapthist(call):
    """Contrast limited adaptive histogram equalization, of colours of their value."""
    (image,) = call.images
    dtype = np.dtype(float_type(image.dtype))
    tiles, is_color = room.tiles_of(image, **call.options)
    to_hsv = call.task("skimage.color:rgb2hsv", ("rgb",))
    gray = image
    if is_color:
        image = image.rechunk({-1: -1})
        gray = _pointwise(_value, image, dtype=dtype, drop_axis=-1, task=to_hsv)
    task = call.task("skimage.util:img_as_uint", ("image",))
    levels = _pointwise(on_chunk, gray, dtype=np.dtype(np.uint16), task=task)
    ends = levels.min(), levels.max()
    bins = _pointwise(_bins, levels, *ends, dtype=levels.dtype, width=room.bin_size(tiles.nbins))
    graph = Graph([bins], Reach((0,) * bins.ndim), call.task(call.name, ("image",)))
    maps = call.made(_maps, graph.added_up(_counts, _added, tiles=tiles), dtype=object, tiles=tiles)
    levels = graph.by_blocks(partial(_levels, tiles=tiles), maps, dtype=bins.dtype)
    ends = levels.min(), levels.max()
    task = call.task(_RESCALE, ("image",))
    result = _pointwise(_stretched, levels, *ends, dtype=dtype, into=dtype, task=task)
    if not is_color:
        return result
    to_rgb = call.task("skimage.color:hsv2rgb", ("hsv",))
    options = {"dtype": dtype, "to_hsv": to_hsv, "to_rgb": to_rgb}
    chunks = (*result.chunks, (3,))
    return _pointwise(_colored, image, result[..., np.newaxis], chunks=chunks, **options)


def _pointwise(function, image, *others, dtype, **options):
    ndim = image.ndim - ("drop_axis" in options)
    meta = np.empty_like(image._meta, shape=(0,) * ndim, dtype=dtype)
    name = f"equalize_adapthist-{function.__name__.strip('_')}"
    return image.map_blocks(function, *others, dtype=dtype, meta=meta, token=name, **options)


def _value(image, task):
    return on_chunk(image[..., :3], task=task)[..., 2]


def _colored(image, value, to_hsv, to_rgb):
    hsv = on_chunk(image[..., :3], task=to_hsv)
    hsv[..., 2:] = value
    return on_chunk(hsv, task=to_rgb)


def _bins(levels, *ends, width):
    """Bins of 16-bit levels, which lie between the least and the largest of the image."""
    options = {"in_range": tuple(map(float, ends)), "out_range": (0, theirs.NR_OF_GRAY - 1)}
    gray = np.round(on_host(_RESCALE, on_the_host(levels), **options))
    return like(levels, gray.astype(np.uint16) // np.uint16(width))


def _stretched(levels, *ends, into, task):
    options = {"in_range": tuple(map(float, ends))}
    return on_chunk(levels.astype(into), task=task._replace(kwargs=options))


def _counts(bins, task, axes, block_id, tiles):
    """First tiles along the axes that a chunk has pixels of, and the histograms from these on."""
    bins = on_the_host(bins)
    first, lengths, pixels, numbers = [], [], [], []
    places = (_mirrored(*each) for each in zip(tiles.shape, tiles.size, tiles.number, strict=True))
    for source, size, start, length in zip(
        places, tiles.size, _start(axes, block_id), bins.shape, strict=True
    ):
        here = np.flatnonzero((source >= start) & (source < start + length))
        own = here // size
        first.append(int(own.min()))
        lengths.append(int(own.max()) - first[-1] + 1)
        pixels.append(source[here] - start)
        numbers.append(own - first[-1])
    tile = np.zeros((), np.int64)
    for number, length in zip(np.ix_(*numbers), lengths, strict=True):
        tile = tile * length + number
    keys = tile * tiles.nbins + bins[np.ix_(*pixels)]
    found = np.bincount(keys.ravel(), minlength=int(np.prod(lengths)) * tiles.nbins)
    return tuple(first), found.reshape(*lengths, tiles.nbins)


def _mirrored(length, size, number):
    """Which pixel lies at each place of the tiles along an axis, the last of which is filled up."""
    before, behind = size // 2, -length % size + -(-size // 2)
    padded = np.pad(np.arange(length), (before, behind), mode="reflect")
    return padded[before : before + number * size]


def _start(axes, block_id):
    return [sum(axis.chunks[:number]) for axis, number in zip(axes, block_id, strict=True)]


def _added(parts):
    first = np.min([first for first, _ in parts], axis=0)
    last = np.max([np.add(first, counts.shape[:-1]) for first, counts in parts], axis=0)
    total = np.zeros((*(last - first), parts[0][1].shape[-1]), np.int64)
    for start, counts in parts:
        box = zip(start - first, counts.shape[:-1], strict=True)
        total[tuple(slice(begin, begin + length) for begin, length in box)] += counts
    return tuple(map(int, first)), total


def _maps(found, tiles):
    """The level that each bin becomes in each tile."""
    _, counts = found
    clipped = np.apply_along_axis(theirs.clip_histogram, -1, counts, clip_limit=tiles.limit)
    maps = theirs.map_histogram(clipped, 0, theirs.NR_OF_GRAY - 1, int(np.prod(tiles.size)))
    return maps.astype(np.uint16)


def _levels(bins, maps, task, axes, block_id, tiles):
    start = _start(axes, block_id)
    on_device = plan_to(partial(room.levels_at, tiles, start, maps))
    return measured((bins,), task, on_device, partial(_on_host, tiles, start, maps))


def _on_host(tiles, start, maps, bins):
    """As scikit-image's `_clahe` has them between the maps of neighbouring tiles."""
    between = []
    for axis, first in enumerate(start):
        size, most = tiles.size[axis], tiles.number[axis] - 1
        behind, place = np.divmod(first + np.arange(bins.shape[axis]) + size // 2, size)
        share = place / size
        sides = (np.maximum(behind - 1, 0), 1 - share), (np.minimum(behind, most), share)
        along = tuple(-1 if a == axis else 1 for a in range(bins.ndim))
        between.append([[each.reshape(along) for each in side] for side in sides])
    found = np.zeros(bins.shape, np.float32)
    for corner in itertools.product(*between):
        mapped = maps[(*(tile for tile, _ in corner), bins)]
        weight = reduce(np.multiply, [weight for _, weight in reversed(corner)])
        found += (mapped * weight).astype(np.float32)
    return found.astype(bins.dtype)
