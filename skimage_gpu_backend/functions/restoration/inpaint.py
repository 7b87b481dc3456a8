"""skimage.restoration.inpaint_biharmonic: the equations of all holes at once."""

import functools
import math

import numpy as np

from ...device import c_name, launch
from ...device.dtypes import C_NAMES
from ...device.launches import Array
from ...device.lazy import cp
from ...plan import Declined, Invalid, Plan
from ...primitives.arguments import refuse_but_arrays, truth
from ...primitives.channels import channels_moved, refuse_axis
from ...primitives.components import MOST_AXES, labelled

_SYSTEMS = "restoration/inpaint.cu"
_CHOLESKY = "restoration/band_cholesky.cu"
_PANEL = 8  # PANEL in band_cholesky.cu
_NARROW = 48  # band that few threads factor
_FEW, _SOME, _MANY = 64, 128, 512  # threads of a block
_WIDEST = 704  # band whose panel fits into shared memory
_MOST_WANTED = 1 << 31
_FEW_PIXELS = 1 << 31  # whose indices are of 32 bits
_MOST_WORK = 1 << 34  # of a hole: pixels * band ** 2
_GRID = np.dtype(
    [
        ("lengths", "i8", MOST_AXES),
        ("strides", "i8", MOST_AXES),
        ("pixels", "i8"),
        ("axes", "i4"),
        ("bits", "i4"),
    ]
)
_FOUND = "odd", "holes", "elements", "band", "work", "largest"
_TOLD = np.dtype([(name, "i8") for name in _FOUND])
_EMPTY = "zero-size array to reduction operation minimum which has no identity"


@channels_moved()
def inpaint_biharmonic(image, mask, *, split_into_regions=False, channel_axis=None):
    """Fill holes smoothly from around: `restoration.inpaint_biharmonic`.

    Holes are sets of wanted pixels that are coupled; their equations are solved by Cholesky's
    method in double, a block of threads for each, for all channels, with or without
    `split_into_regions`, as the equations of different holes do not touch. 17 launches, however
    many holes there are, 4 of them `labelled`; 26 where a band is wider than 48: CuPy's, which list
    and sort the wanted pixels, are counted as one each. The image is read once, the result is
    written once. A pixel takes 5 bytes of memory, a wanted one 8 * (band + 10), 8 more for each
    channel and 16 for each axis; the band is about twice the pixels of the hole in a line across
    its longest axis, or those of two levels of a search from its end. Two numbers come to the host,
    how many pixels are wanted and how large the systems are; with wide bands a third.
    """
    refuse_but_arrays(image=image, mask=mask)
    if image.ndim == 0:
        raise Invalid("image has no axes; give one that has")
    axis = None
    if channel_axis is not None:
        refuse_axis(image, channel_axis)
        axis = channel_axis % image.ndim
    if tuple(n for a, n in enumerate(image.shape) if a != axis) != mask.shape:
        raise Invalid("mask has another shape than image; give a value for each pixel")
    if image.size == 0 or not mask.shape:
        raise Invalid("image has no pixels; give one that has")
    if mask.dtype.name not in C_NAMES:
        raise Declined("mask has no dtype that kernels know; give mask.astype(bool)")
    truth("split_into_regions", split_into_regions)
    if sum(n > 1 for n in mask.shape) > MOST_AXES:
        raise Declined(f"image has many axes; give one of up to {MOST_AXES} longer than 1")
    return Plan(functools.partial(_run, axis))


def _working(dtype):
    """Type of the result: scikit-image's `_supported_float_type`."""
    return np.dtype("f4" if dtype.char in "ef" else "f8")


def _run(axis, image, mask):
    moved = image[..., None] if axis is None else cp.moveaxis(image, axis, -1)
    result = _filled(cp.ascontiguousarray(moved), cp.ascontiguousarray(mask.astype(bool)))
    return result[..., 0] if axis is None else cp.moveaxis(result, -1, axis)


def _filled(image, mask):
    """The result, with channels last."""
    value, channels = _working(image.dtype), image.shape[-1]
    result = cp.empty(image.shape, value)
    ranges = cp.zeros((2, channels), f"u{value.itemsize}")
    told = cp.zeros(_TOLD.itemsize // 8, "i8")
    args = (image, mask, mask.size, channels, result, ranges, told)
    launch(_SYSTEMS, f"known<{_of(image.dtype, value)}>", args, work=image.size)
    wanted = cp.flatnonzero(mask)
    if wanted.size == mask.size:
        raise ValueError(_EMPTY)
    if wanted.size >= _MOST_WANTED:
        raise Declined("mask has 2**31 pixels or more; nothing to change")
    if wanted.size:
        _solve(mask, wanted, result, ranges, told)
    else:
        _refuse(told.get().view(_TOLD)[0])
    return result


def _of(*dtypes):
    return ", ".join(map(c_name, dtypes))


def _refuse(found):
    """Decline what is not for the device, as the host is told."""
    if found["odd"]:
        raise Declined(
            "image has NaN or infinities outside of the mask; give finite numbers, as "
            "numpy.nan_to_num(image)"
        )
    if found["band"] > _WIDEST or found["work"] > _MOST_WORK:
        raise Declined(
            f"mask has a hole of up to {found['largest']} pixels, of which {found['band']} depend "
            "on each other at a time: one block of threads fills it no sooner than SciPy; nothing "
            "to change"
        )


def _solve(mask, wanted, result, ranges, told):
    """Write the wanted pixels."""
    grid, index = _grid(mask.shape), np.dtype("i4" if mask.size < _FEW_PIXELS else "i8")
    count, channels = wanted.size, result.shape[-1]
    near = cp.empty(grid["lengths"][: grid["axes"]].tolist(), bool)
    launch(_SYSTEMS, "spread", (mask, grid, near), work=mask.size)
    labels, _ = labelled(Array(near.shape, near.dtype, "near"), 0, 1, index)(near=near)

    def over_wanted(kernel, args, of=(index,), each=1):
        launch(_SYSTEMS, f"{kernel}<{_of(*of)}>", args, work=count * each)

    boxes, keys = cp.zeros(count * 2 * int(grid["axes"]), "u8"), cp.empty(count, "i8")
    over_wanted("measure", (wanted, count, labels, grid, boxes))
    over_wanted("order", (wanted, count, labels, grid, boxes, keys))
    keys.sort()
    pixels, starts = wanted, cp.empty(count + 1, "i8")
    over_wanted("place", (keys, count, grid, boxes, pixels, labels, starts, told))
    reaches, bands, offsets = cp.empty(count, "i8"), cp.empty(count, "u8"), cp.empty(count, "i8")

    def sized():
        bands.fill(0)
        over_wanted("couple", (keys, pixels, count, mask, labels, grid, reaches, bands))
        launch(_SYSTEMS, "lay_out", (starts, bands, offsets, told), work=_FEW, block=_FEW)
        return told.get().view(_TOLD)[0]

    found = sized()
    if found["band"] > _NARROW:
        levels, queue, ranks = cp.zeros(count, "i4"), cp.empty(count, "i4"), cp.empty(count, "i8")
        holes = int(found["holes"])
        args = (starts, holes, bands, _NARROW, pixels, mask, labels, grid, levels, queue)
        launch(_SYSTEMS, f"level<{_of(index)}>", args, work=holes * _SOME, block=_SOME)
        args = (keys, grid["bits"], starts, count, levels, ranks)
        launch(_SYSTEMS, "rank", args, work=count)
        ranks.sort()
        moved = cp.empty(count, "i8")
        over_wanted("move", (ranks, pixels, count, moved, labels))
        pixels = moved
        told[2:] = 0
        found = sized()
    _refuse(found)
    coupled = (keys, pixels, count, mask, labels, grid)
    matrices, sides = cp.zeros(int(found["elements"])), cp.empty(count * channels)
    args = (*coupled, starts, bands, offsets, result, channels, matrices, sides)
    over_wanted("assemble", args, (result.dtype, index), channels)
    holes, widest = int(found["holes"]), int(found["band"])
    for least, most, threads in ((0, _NARROW, _FEW), (_NARROW + 1, _WIDEST, _MANY)):
        if widest < least:
            break
        args = (starts, holes, bands, least, most, offsets, matrices, sides, reaches, pixels)
        args += (channels, ranges, result)
        size = {"work": holes * threads, "block": threads}
        size["shared"] = 8 * _PANEL * (_PANEL + min(widest, most))
        launch(_CHOLESKY, f"solve<{c_name(result.dtype)}>", args, **size)


def _grid(shape):
    """The struct Grid of the kernels; an axis of length 1 has no part in the equations."""
    lengths = [n for n in shape if n > 1] or [1]
    grid = np.zeros((), _GRID)
    grid["axes"], grid["pixels"] = len(lengths), math.prod(lengths)
    grid["bits"] = int(grid["pixels"] - 1).bit_length()
    grid["lengths"][: len(lengths)] = lengths
    grid["strides"][: len(lengths)] = [math.prod(lengths[a + 1 :]) for a in range(len(lengths))]
    return grid[()]


def specializations():
    """Every (source, expression) that the function launches."""
    for dtype in map(np.dtype, C_NAMES):
        yield _SYSTEMS, f"known<{_of(dtype, _working(dtype))}>"
    yield _SYSTEMS, "spread"
    yield _SYSTEMS, "lay_out"
    yield _SYSTEMS, "rank"
    for index in map(np.dtype, ("i4", "i8")):
        for kernel in ("measure", "order", "place", "couple", "level", "move"):
            yield _SYSTEMS, f"{kernel}<{_of(index)}>"
        for value in map(np.dtype, ("f4", "f8")):
            yield _SYSTEMS, f"assemble<{_of(value, index)}>"
    for value in ("float", "double"):
        yield _CHOLESKY, f"solve<{value}>"
