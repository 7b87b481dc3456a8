"""Erosions and dilations by flat footprints, one after another, as launches.

Small ones are put together in one launch, as far as the halo of a tile fits; large boxes take
one for each axis, other large footprints one.
"""

import functools
import math
from typing import NamedTuple

import numpy as np

from ..device.dtypes import c_name
from ..device.launches import Array, Launch
from ..trouble import Declined
from .flat_footprints import runs
from .flat_tiles import Group, in_tiles
from .footprint_tiles import SHARED, tiles_of
from .stencils import BOUNDARY

MOST_AXES = 8
ITSELF, IMAGE_MINUS, MINUS_IMAGE, OTHER_THAN_IMAGE = range(4)
_SPARE = 16  # cells behind the last one that a vector of the simulator reads
_HEIGHT, _WIDTH = 32, 64  # in flat_runs.cu
_LEADING = MOST_AXES - 2
_PIECE = 2048  # results of a block of line_across
_RUNS = np.dtype(
    [("shape", "i8", MOST_AXES), ("low", "i8", 2)]
    + [(name, "i4") for name in ("rows", "columns", "slabs", "powers", "batch")],
    align=True,
)


class Border(NamedTuple):
    """A mode of SciPy's, and the constants that it puts there for erosions and for dilations."""

    mode: str
    under: tuple


def launches(image, steps, border, finish, result):
    """What is launched for a chain of steps.

    Parameters
    ----------
    image, result : Array
    steps : tuple of Step
    border : Border
    finish : int
        What becomes of the last step's result: `ITSELF`, or a difference from the image.
    """
    dtype = np.dtype("uint8") if image.dtype.kind == "b" else image.dtype
    under = [dtype.type(value) for value in border.under]
    groups = _groups(steps, image.shape, image.dtype)
    made, source = [], image
    for place, group in enumerate(groups):
        is_last = place + 1 == len(groups)
        ends = finish if is_last else ITSELF
        target = result if is_last else Array(image.shape, image.dtype)
        # the kernels take the image that they filter for the other of a difference, too
        beside = image if ends and source is not image else None
        arrays = source, beside, target
        number = np.int32(BOUNDARY[border.mode])
        if group.tile:
            made.append(_tile(group, arrays, dtype, number, under, np.int32(ends)))
        else:
            (step,) = group.steps
            settings = number, under[step.dilates], np.int32(step.dilates)
            launch = _lines if step.footprint.is_box else _runs
            made += launch(step.footprint, arrays, dtype, settings, np.int32(ends))
        source = target
    return made


def _tile(group, arrays, dtype, mode, under, finish):
    source, beside, target = arrays
    kinds = [np.int32(group.steps[place].dilates) for place in (0, -1)]
    program = Array.of(group.program), np.int32(group.count), group.windows[()]
    arguments = source, beside, *program, mode, *under, *kinds, finish, target
    block = (256, 1) if group.tile[:2] == (1, 1) else (32, 8)
    size = {"work": tiles_of(group.windows) * 256, "block": block, "shared": group.shared}
    if group.is_of_words:
        return Launch("morphology/flat_bits.cu", "flat_bits", arguments, **size)
    return Launch("morphology/flat_tile.cu", f"flat_tile<{c_name(dtype)}>", arguments, **size)


def _runs(flat, arrays, dtype, settings, finish):
    source, beside, target = arrays
    parts, numbers = _parts(flat, source.shape, dtype.itemsize)
    *planes, rows, columns = (1, *source.shape)
    tiles = math.prod(planes) * -(-rows // _HEIGHT) * -(-columns // _WIDTH)
    cells = _HEIGHT * _WIDTH + 2 * int(numbers["batch"]) * _row(flat) + _SPARE
    size = {"work": tiles * 256, "block": (64, 4), "shared": cells * dtype.itemsize}
    arguments = source, beside, Array.of(parts), numbers[()], *settings, finish, target
    yield Launch("morphology/flat_runs.cu", f"flat_runs<{c_name(dtype)}>", arguments, **size)


def _lines(flat, arrays, dtype, settings, finish):
    """One launch for each axis along which a box is long, or moved."""
    source, beside, target = arrays
    shape = source.shape
    sides = enumerate(zip(flat.shape, flat.low, strict=True))
    axes = [axis for axis, (length, low) in sides if length > 1 or low]
    for axis in axes:
        ending = np.int32(ITSELF), Array(shape, source.dtype)
        if axis == axes[-1]:
            ending = finish, target
        other = beside if axis == axes[-1] else None
        size, length, before = shape[axis], flat.shape[axis], -flat.low[axis]
        outer, inner = math.prod(shape[:axis]), math.prod(shape[axis + 1 :])
        if axis == len(shape) - 1:
            piece = min(_PIECE, size, SHARED // (2 * dtype.itemsize) - length + 1)
            numbers = outer, size, np.int32(piece), np.int32(length), before
            settled = {"work": outer * -(-size // piece) * 256}
            settled["shared"] = 2 * (piece + length - 1) * dtype.itemsize
            kernel = "line_across"
        else:
            numbers = outer, size, inner, length, before
            settled = {"work": outer * -(-size // length) * inner}
            kernel = "line_down"
        arguments = source, other, *numbers, *settings, *ending
        expression = f"{kernel}<{c_name(dtype)}>"
        yield Launch("morphology/flat_lines.cu", expression, arguments, **settled)
        source = ending[1]


@functools.lru_cache(maxsize=256)
def _groups(steps, shape, dtype):
    groups, first = [], 0
    while first < len(steps):
        group, end = Group(steps[first : first + 1]), first + 1
        if fits := in_tiles(steps[first:end], shape, dtype):
            group = fits
            while end < len(steps) and (fits := in_tiles(steps[first : end + 1], shape, dtype)):
                group, end = fits, end + 1
        else:
            _refuse_too_wide(steps[first].footprint, dtype.itemsize)
        groups.append(group)
        first = end
    return tuple(groups)


def _row(flat):
    """Cells of a row of flat_runs.cu."""
    return _WIDTH + flat.shape[-1] - 1


def _batch(flat, itemsize):
    """Rows of `_row` cells that shared memory takes beside the results."""
    return (SHARED // itemsize - _HEIGHT * _WIDTH - _SPARE) // (2 * _row(flat))


def _refuse_too_wide(flat, itemsize):
    if flat.is_box:
        room = SHARED // (2 * itemsize) - _PIECE // 8
        is_too_wide = flat.shape[-1] > room
    else:
        is_too_wide = _batch(flat, itemsize) < 1
    if is_too_wide:
        raise Declined("footprint is too wide for a GPU's shared memory; give a smaller one")


@functools.lru_cache(maxsize=256)
def _parts(flat, shape, itemsize):
    """Slabs and runs of a footprint as flat_runs.cu reads them, and its struct Runs."""
    lacking = MOST_AXES - len(shape)
    low = (0,) * lacking + flat.low
    elements = flat.array.reshape((1,) * lacking + flat.shape)
    places, powers, a, b = runs(elements)
    leading, lines = places[:, :_LEADING], places[:, _LEADING]
    slabs, slab = np.unique(leading, axis=0, return_inverse=True)
    slab = slab.ravel()  # NumPy 2.0.0 gives it a column
    by_slab = np.lexsort((powers, slab))  # stable: by line and start within
    listed = np.stack([lines, a, b], -1)[by_slab]
    powers_of_slab = 1 + int(powers.max())
    counts = np.bincount(slab * powers_of_slab + powers, minlength=len(slabs) * powers_of_slab)
    parts = [np.ravel(slabs + low[:_LEADING]), [0], np.cumsum(counts), np.ravel(listed)]
    numbers = np.zeros((), _RUNS)
    numbers["shape"] = (1,) * lacking + shape
    numbers["low"] = low[_LEADING:]
    rows, columns = (1, *flat.shape)[-2:]
    batch = min(_batch(flat, itemsize), _HEIGHT + rows - 1)
    for name, value in zip(
        _RUNS.names[2:], (rows, columns, len(slabs), powers_of_slab, batch), strict=True
    ):
        numbers[name] = value
    return np.concatenate(parts).astype(np.int32), numbers
