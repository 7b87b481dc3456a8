"""skimage.restoration.inpaint_biharmonic: the equations of all holes at once."""

import functools
import math

import numpy as np

from ...device import c_name, launch, resident_blocks
from ...device.dtypes import C_NAMES, float_type
from ...device.launches import Array
from ...device.rounds import batches, rounds
from ...devices import to_host, xp
from ...plan import Declined, Invalid, Plan
from ...primitives.arguments import refuse_but_arrays, truth
from ...primitives.channels import channels_moved, refuse_axis
from ...primitives.components import MOST_AXES, labelled

_SYSTEMS = "restoration/inpaint.cu"
_CHOLESKY = "restoration/band_cholesky.cu"
_GRADIENTS = "restoration/conjugate_gradient.cu"
_PANEL = 8  # PANEL in band_cholesky.cu
_NARROW = 48  # band that few threads factor
_FEW, _SOME, _MANY = 64, 128, 512  # threads of a block
_WIDEST = 704  # band whose panel fits into shared memory
_MOST_CHANNELS, _BLOCK = 65535, 256
_MOST_WANTED = 1 << 31
_FEW_PIXELS = 1 << 31  # whose indices are of 32 bits
_MUCH_WORK = 1 << 31  # of a hole, pixels * band ** 2, from which on conjugate gradients come first
_MOST_WORK = 1 << 34  # above which only they do
_AT_ONCE = 1 << 28  # work of a block in a launch: estimated at 0.3 s where doubles are slow
_MOST_PANELS = 1 << 13  # of a hole in a launch, each with its barriers
_FIRST, _NEXT, _LAST = 32, 64, 1500  # iterations before the host asks; most of all
_REFUSED = 2  # REFUSED in conjugate_gradient.cu
_EXACT = 1e-14  # of the right side: what is left of it
_GRID = np.dtype(
    [
        ("lengths", "i8", MOST_AXES),
        ("strides", "i8", MOST_AXES),
        ("pixels", "i8"),
        ("axes", "i4"),
        ("bits", "i4"),
    ]
)
_SOLVING = np.dtype(
    [
        *((name, "f8") for name in ("rho", "beta", "alpha", "limit")),
        ("iterations", "i8"),
        *((name, "u4") for name in ("arrived", "stopped")),
    ]
)
_FOUND = "odd", "holes", "elements", "band", "longest", "work", "large", "largest"
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

    Holes whose matrices were much work are solved by conjugate gradients, all together, 2 launches
    an iteration; the host asks whether they are solved after 32 and each 64 more. What takes more
    than 1,500 gets a matrix, up to 8 times as much work, or is declined. A factorization that takes
    long is cut into launches of up to 2**28 operations for each block.

    Notes
    -----
    scikit-image fills images in single precision with an error that was 1e-2 of the range in a hole
    of 100 x 100 pixels; here the equations are solved in double. In double precision results differ
    by 1e-10 of the range in such a hole, and by 1e-9 at 160 x 160.
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


def _run(axis, image, mask):
    moved = image[..., None] if axis is None else xp.moveaxis(image, axis, -1)
    result = _filled(xp.ascontiguousarray(moved), xp.ascontiguousarray(mask.astype(bool)))
    return result[..., 0] if axis is None else xp.moveaxis(result, -1, axis)


def _filled(image, mask):
    """The result, with channels last."""
    value, channels = np.dtype(float_type(image.dtype)), image.shape[-1]
    result = xp.empty(image.shape, value)
    ranges = xp.zeros((2, channels), f"u{value.itemsize}")
    told = xp.zeros(_TOLD.itemsize // 8, "i8")
    args = (image, mask, mask.size, channels, result, ranges, told)
    launch(_SYSTEMS, f"known<{_of(image.dtype, value)}>", args, work=image.size)
    wanted = xp.flatnonzero(mask)
    if wanted.size == mask.size:
        raise ValueError(_EMPTY)
    if wanted.size >= _MOST_WANTED:
        raise Declined("mask has 2**31 pixels or more; nothing to change")
    if wanted.size:
        _solve(mask, wanted, result, ranges, told)
    else:
        _refuse(to_host(told).view(_TOLD)[0])
    return result


def _of(*dtypes):
    return ", ".join(map(c_name, dtypes))


def _refuse(found):
    """Decline what is not for the device, as the host is told."""
    if found["odd"]:
        raise Declined(
            "image has NaN or infinities outside of the mask, or values near the largest floats; "
            "give smaller, finite numbers"
        )


def _solve(mask, wanted, result, ranges, told):
    """Write the wanted pixels."""
    grid, index = _grid(mask.shape), np.dtype("i4" if mask.size < _FEW_PIXELS else "i8")
    count, channels = wanted.size, result.shape[-1]
    near = xp.empty(grid["lengths"][: grid["axes"]].tolist(), bool)
    launch(_SYSTEMS, "spread", (mask, grid, near), work=mask.size)
    labels, _ = labelled(Array(near.shape, near.dtype, "near"), 0, 1, index)(near=near)

    def over_wanted(kernel, args, of=(index,), each=1):
        launch(_SYSTEMS, f"{kernel}<{_of(*of)}>", args, work=count * each)

    boxes, keys = xp.zeros(count * 2 * int(grid["axes"]), "u8"), xp.empty(count, "i8")
    over_wanted("measure", (wanted, count, labels, grid, boxes))
    over_wanted("order", (wanted, count, labels, grid, boxes, keys))
    keys.sort()
    pixels, starts = wanted, xp.empty(count + 1, "i8")
    over_wanted("place", (keys, count, grid, boxes, pixels, labels, starts, told))
    reaches, bands, offsets = xp.empty(count, "i8"), xp.empty(count, "u8"), xp.empty(count, "i8")

    def couple():
        bands.fill(0)
        over_wanted("couple", (keys, pixels, count, mask, labels, grid, reaches, bands))

    def laid_out(most):
        args = (starts, bands, _WIDEST, most, offsets, told)
        launch(_SYSTEMS, "lay_out", args, work=_FEW, block=_FEW)
        return to_host(told).view(_TOLD)[0]

    couple()
    found = laid_out(_MUCH_WORK)
    if found["band"] > _NARROW or found["large"]:
        holes = int(found["holes"])
        pixels = _by_levels(keys, pixels, mask, labels, grid, starts, holes, bands)
        couple()
        told[2:] = 0
        found = laid_out(_MUCH_WORK)
    _refuse(found)

    def assembled():
        matrices, sides = xp.zeros(int(found["elements"])), xp.empty(count * channels)
        args = (keys, pixels, count, mask, labels, grid, starts, bands, offsets, result, channels)
        over_wanted("assemble", (*args, matrices, sides), (result.dtype, index), channels)
        return matrices, sides

    matrices, sides = assembled()
    if found["large"]:
        x, inverse = _approached(keys, pixels, mask, labels, grid, offsets, sides, channels)
        if x is not None:
            args = (pixels, count, inverse, x, channels, ranges, result)
            launch(_GRADIENTS, f"write<{c_name(result.dtype)}>", args, work=count * channels)
        else:
            told[2:] = 0
            found = laid_out(_MOST_WORK)
            if found["large"]:
                raise Declined(
                    f"mask has a hole of {found['largest']} pixels, too many for a matrix, and too "
                    f"wide to be filled in {_LAST} steps from around; nothing to change"
                )
            matrices, sides = assembled()
    holes, widest = int(found["holes"]), int(found["band"])
    for least, most, threads in ((0, _NARROW, _FEW), (_NARROW + 1, _WIDEST, _MANY)):
        if widest < least:
            break
        args = (starts, holes, bands, least, most, offsets, matrices, sides, reaches, pixels)
        args += (channels, ranges)
        band = min(widest, most)
        size = {"work": holes * threads, "block": threads, "shared": 8 * _PANEL * (_PANEL + band)}
        panels, at_once = 2 * -(-int(found["longest"]) // _PANEL), _at_once(found, band, channels)
        for turn in rounds(-(-panels // at_once)):
            part = turn * at_once, (turn + 1) * at_once
            launch(_CHOLESKY, f"solve<{c_name(result.dtype)}>", (*args, *part, result), **size)


def _at_once(found, band, channels):
    """Panels of each hole that a launch takes, so that it ends before a display's watchdog."""
    each = _PANEL * max(band, 1) * (band + 2 * channels)
    most, processors = _AT_ONCE // each, resident_blocks(1024)
    if found["work"] + 2 * channels * found["elements"] > processors * _AT_ONCE:
        most = min(most, processors * _AT_ONCE // (each * int(found["holes"])))
    return max(1, min(most, _MOST_PANELS))


def _by_levels(keys, pixels, mask, places, grid, starts, holes, bands):
    """Pixels of wide holes by the levels of a search, where that is narrower; `places` follow."""
    count, index = pixels.size, c_name(places.dtype)
    levels, queue, ranks = xp.zeros(count, "i4"), xp.empty(count, "i4"), xp.empty(count, "i8")
    args = (starts, holes, bands, _NARROW, pixels, mask, places, grid, levels, queue)
    launch(_SYSTEMS, f"level<{index}>", args, work=holes * _SOME, block=_SOME)
    launch(_SYSTEMS, "rank", (keys, grid["bits"], starts, count, levels, ranks), work=count)
    ranks.sort()
    moved = xp.empty(count, "i8")
    launch(_SYSTEMS, f"move<{index}>", (ranks, pixels, count, moved, places), work=count)
    return moved


def _approached(keys, pixels, mask, places, grid, offsets, sides, channels):
    """The solution for holes without a matrix, and the inverse of the diagonal there, else 0.

    There is no solution where it takes more than `_LAST` iterations, or squares overflow.
    """
    if channels > _MOST_CHANNELS:
        raise Declined("image has more than 65535 channels and a large hole; give fewer")
    count = pixels.size
    blocks = min(-(-count // _BLOCK), resident_blocks(_BLOCK))
    how = {"work": count, "block": _BLOCK, "grid": (blocks, channels)}
    solving = xp.zeros((channels, _SOLVING.itemsize), "uint8")
    partials, inverse = xp.empty((channels, blocks, 3)), xp.empty(count)
    x, r, p, spare = (xp.empty((channels, count)) for _ in range(4))
    args = (keys, pixels, count, grid, offsets, sides, channels, _EXACT)
    launch(_GRADIENTS, "begin", (*args, x, r, p, inverse, partials, solving), **how)
    wanted, index = (pixels, count, mask, places, grid, inverse), c_name(places.dtype)
    for _, batch in batches(_LAST, _FIRST, _NEXT):
        for _ in batch:
            args = (*wanted, r, p, spare, partials, solving)
            launch(_GRADIENTS, f"direct<{index}>", args, **how)
            launch(
                _GRADIENTS, f"advance<{index}>", (*wanted, spare, x, r, partials, solving), **how
            )
            p, spare = spare, p
        stopped = to_host(solving).view(_SOLVING)["stopped"]
        if (stopped == _REFUSED).any():
            break
        if stopped.all():
            return x, inverse
    return None, inverse


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
        yield _SYSTEMS, f"known<{_of(dtype, np.dtype(float_type(dtype)))}>"
    yield _SYSTEMS, "spread"
    yield _SYSTEMS, "lay_out"
    yield _SYSTEMS, "rank"
    for index in map(np.dtype, ("i4", "i8")):
        for kernel in ("measure", "order", "place", "couple", "level", "move"):
            yield _SYSTEMS, f"{kernel}<{_of(index)}>"
        for value in map(np.dtype, ("f4", "f8")):
            yield _SYSTEMS, f"assemble<{_of(value, index)}>"
    yield _GRADIENTS, "begin"
    for index in ("int", "long long"):
        yield _GRADIENTS, f"direct<{index}>"
        yield _GRADIENTS, f"advance<{index}>"
    for value in ("float", "double"):
        yield _CHOLESKY, f"solve<{value}>"
        yield _GRADIENTS, f"write<{value}>"
