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
from .flat_footprints import Flat, runs, searches
from .footprint_tiles import SHARED, tiles_of, windows_of
from .stencils import BOUNDARY

MOST_AXES = 8
ITSELF, IMAGE_MINUS, MINUS_IMAGE, OTHER_THAN_IMAGE = range(4)
_TILES = {  # of results, the larger ones first
    1: ((1, 1, 2048), (1, 1, 1024), (1, 1, 256)),
    2: ((1, 32, 64), (1, 32, 32), (1, 16, 32), (1, 8, 32)),
    3: ((8, 8, 32), (4, 8, 32), (4, 4, 32)),
}
_SPARE = 16  # cells behind the last one that a vector of the simulator reads
_MOST_HALO = 5  # cells of a tile, as a multiple of its results
_HEIGHT, _WIDTH = 32, 64  # in flat_runs.cu
_LEADING = MOST_AXES - 2
_PIECE = 2048  # results of a block of line_across
_RUNS = np.dtype(
    [("shape", "i8", MOST_AXES), ("low", "i8", 2)]
    + [(name, "i4") for name in ("rows", "columns", "slabs", "powers", "batch")],
    align=True,
)


class Step(NamedTuple):
    """An erosion or a dilation."""

    dilates: bool
    footprint: Flat


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
    groups = _groups(steps, image.shape, dtype.itemsize)
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


class _Group(NamedTuple):
    """Steps of one launch in tiles; of a single one, where `tile` is None, by other kernels."""

    steps: tuple
    tile: tuple | None = None
    windows: np.ndarray | None = None
    program: np.ndarray | None = None
    count: int = 0
    shared: int = 0


@functools.lru_cache(maxsize=256)
def _groups(steps, shape, itemsize):
    groups, first = [], 0
    while first < len(steps):
        group, end = _Group(steps[first : first + 1]), first + 1
        if fits := _in_tiles(steps[first:end], shape, itemsize):
            group = fits
            while end < len(steps) and (fits := _in_tiles(steps[first : end + 1], shape, itemsize)):
                group, end = fits, end + 1
        else:
            _refuse_too_wide(steps[first].footprint, itemsize)
        groups.append(group)
        first = end
    return tuple(groups)


def _in_tiles(steps, shape, itemsize):
    """The group of these steps where it fits, else None."""
    axes = _merged_axes([max(s.footprint.reach[a] for s in steps) for a in range(len(shape))])
    if len(axes) > 3:
        return None
    lengths = [math.prod(shape[a] for a in group) for group in axes]
    lacking = 3 - len(axes)
    flats = []
    for step in steps:
        flat = step.footprint.merged(axes)
        low, extent = (0,) * lacking + flat.low, (1,) * lacking + flat.shape
        flats.append(Flat(low, extent, flat.elements))
    halo = [sum(flat.reach[a] for flat in flats) for a in range(3)]
    for tile in _TILES[len(axes)]:
        around = tuple(t + 2 * h for t, h in zip(tile, halo, strict=True))
        cells = math.prod(around)
        if cells > _MOST_HALO * math.prod(tile):
            continue
        program, count, copies = _program(steps, flats, halo, tile, around)
        shared = (copies * cells + _SPARE) * itemsize
        if shared <= SHARED:
            places = [2 * h + 1 for h in halo]
            windows = windows_of(lengths, tile, places, halo)
            return _Group(steps, tile, windows, program, count, shared)
    return None


def _merged_axes(reach):
    """Axes in groups of neighbours along which no step looks; each of the others alone."""
    groups = []
    for axis, farthest in enumerate(reach):
        if groups and farthest == 0 and reach[axis - 1] == 0:
            groups[-1] += (axis,)
        else:
            groups.append((axis,))
    return groups


def _program(steps, flats, halo, tile, around):
    """Searches and offsets as flat_tile.cu reads them, how many searches, and copies of a tile."""
    entries, offsets, copies = [], [], 1
    source, rest = 0, list(halo)
    for place, (step, flat) in enumerate(zip(steps, flats, strict=True)):
        rest = [r - farthest for r, farthest in zip(rest, flat.reach, strict=True)]
        follows = steps[place + 1] if place + 1 < len(steps) else None
        chain = searches(flat)
        held = {0: source}  # where the results of searches lie
        for number, search in enumerate(chain, 1):
            read = [(held[made], place) for made, place in search.offsets]
            is_complete = number == len(chain)
            target = -1
            if follows or not is_complete:
                needed = {made for later in chain[number - 1 :] for made, _ in later.offsets}
                taken = {copy for made, copy in held.items() if made in needed}
                target = next(c for c in range(len(chain) + 1) if c not in taken)
                held = {made: copy for made, copy in held.items() if made in needed}
                held[number] = target
                copies = max(copies, target + 1)
            low, high = (
                [h + sign * r + grown for h, r, grown in zip(halo, rest, side, strict=True)]
                for sign, side in ((-1, search.low), (1, search.high))
            )
            high = [end + t for end, t in zip(high, tile, strict=True)]
            inverts = is_complete and follows and follows.dilates != step.dilates
            extends = 1 + follows.dilates if is_complete and follows else 0
            first = target * math.prod(around) if target >= 0 else -1
            entries += [len(offsets), len(read), first, *low, *high, bool(inverts), extends, 0]
            offsets += [copy * math.prod(around) + _cell(where, around) for copy, where in read]
        source = held.get(len(chain))
    count = len(entries) // 12
    return np.array(entries + offsets, np.int32), count, copies


def _cell(place, around):
    return (place[0] * around[1] + place[1]) * around[2] + place[2]


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
        raise Declined("footprint is too wide for the GPU's fast memory; give a smaller one")


@functools.lru_cache(maxsize=256)
def _parts(flat, shape, itemsize):
    """Slabs and runs of a footprint as flat_runs.cu reads them, and its struct Runs."""
    lacking = MOST_AXES - len(shape)
    low = (0,) * lacking + flat.low
    slabs = {}
    for place, power, a, b in runs(flat.array.reshape((1,) * lacking + flat.shape)):
        where = tuple(i + at for i, at in zip(place[:_LEADING], low[:_LEADING], strict=True))
        slabs.setdefault(where, {}).setdefault(power, []).append((place[_LEADING], a, b))
    powers = 1 + max(max(of_slab) for of_slab in slabs.values())
    firsts, listed = [0], []
    for of_slab in slabs.values():
        for power in range(powers):
            listed += sorted(of_slab.get(power, ()))
            firsts.append(len(listed))
    parts = [np.ravel(list(slabs)), np.array(firsts), np.ravel(listed)]
    numbers = np.zeros((), _RUNS)
    numbers["shape"] = (1,) * lacking + shape
    numbers["low"] = low[_LEADING:]
    rows, columns = (1, *flat.shape)[-2:]
    batch = min(_batch(flat, itemsize), _HEIGHT + rows - 1)
    for name, value in zip(
        _RUNS.names[2:], (rows, columns, len(slabs), powers, batch), strict=True
    ):
        numbers[name] = value
    return np.concatenate(parts).astype(np.int32), numbers
