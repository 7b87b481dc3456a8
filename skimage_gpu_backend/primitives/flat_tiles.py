"""Steps of flat erosions and dilations in one launch: tiles, and the searches of each.

What `flat_tile.cu` does with a cell for each pixel, and `flat_bits.cu` with a word for 32 of them
where a plane is boolean.
"""

import itertools
import math
from typing import NamedTuple

import numpy as np

from .flat_footprints import Flat, searches
from .footprint_tiles import ENOUGH, SHARED, tiles_of, windows_of

_TILES = {  # of results, the larger ones first
    1: ((1, 1, 2048), (1, 1, 1024), (1, 1, 256)),
    2: ((1, 32, 128), (1, 32, 64), (1, 32, 32), (1, 16, 32), (1, 8, 32)),
    3: ((8, 8, 32), (4, 8, 32), (4, 4, 32)),
}
_SPARE = 128  # cells behind the last one, which threads read that have several
_MOST_HALO = 5  # cells of a tile, as a multiple of its results
_BITS = 32
_TILES_OF_WORDS = tuple(itertools.product((1,), (128, 64, 32, 16), (1024, 512, 256)))
_SPARE_WORDS = 4  # SPARE of flat_bits.cu before the copies, and behind them
_AT_ONCE = 256  # tiles of words that a large device works on at once; an estimate


class Step(NamedTuple):
    """An erosion or a dilation."""

    dilates: bool
    footprint: Flat


class Group(NamedTuple):
    """Steps of one launch in tiles; of a single one, where `tile` is None, by other kernels."""

    steps: tuple
    tile: tuple | None = None
    windows: np.ndarray | None = None
    program: np.ndarray | None = None
    count: int = 0
    shared: int = 0
    is_of_words: bool = False


def in_tiles(steps, shape, dtype):
    """The group of these steps where it fits, else None."""
    if dtype.kind == "b" and len(shape) == 2:
        return _of_words(steps, shape)
    return _of_cells(steps, shape, dtype.itemsize)


def _of_cells(steps, shape, itemsize):
    axes = _merged_axes([max(s.footprint.reach[a] for s in steps) for a in range(len(shape))])
    if len(axes) > 3:
        return None
    lengths = [math.prod(shape[a] for a in group) for group in axes]
    flats = [_of_three_axes(step.footprint.merged(axes)) for step in steps]
    halo = _reach(flats)
    for tile in _TILES[len(axes)]:
        around = tuple(t + 2 * h for t, h in zip(tile, halo, strict=True))
        cells = math.prod(around)
        if cells > _MOST_HALO * math.prod(tile):
            continue
        windows = _windows(lengths, tile, halo)
        if tiles_of(windows) < ENOUGH and tile != _TILES[len(axes)][-1]:
            continue
        program, count, copies = _program(steps, flats, halo, tile, around, is_kept=False)
        shared = (copies * cells + _SPARE) * itemsize
        if shared <= SHARED:
            return Group(steps, tile, windows, program, count, shared)
    return None


def _of_words(steps, shape):
    flats = [_of_three_axes(step.footprint) for step in steps]
    *reach, across = _reach(flats)
    halo = [*reach, -(-across // _BITS) * _BITS]
    fitting = []
    for tile in _TILES_OF_WORDS:
        around = tuple(t + 2 * h for t, h in zip(tile, halo, strict=True))
        pixels = math.prod(around)
        if pixels <= _MOST_HALO * math.prod(tile):
            windows = _windows(shape, tile, halo)
            rounds = -(-tiles_of(windows) // _AT_ONCE)
            fitting.append((rounds * pixels, tile, around, windows))
    for _, tile, around, windows in sorted(fitting, key=lambda each: each[0]):
        program, count, copies = _program(steps, flats, halo, tile, around, is_kept=True)
        shared = (copies * math.prod(around) // _BITS + _SPARE_WORDS) * _BITS // 8
        if shared <= SHARED:
            return Group(steps, tile, windows, program, count, shared, is_of_words=True)
    return None


def _of_three_axes(flat):
    lacking = 3 - len(flat.shape)
    return Flat((0,) * lacking + flat.low, (1,) * lacking + flat.shape, flat.elements)


def _reach(flats):
    return [sum(flat.reach[axis] for flat in flats) for axis in range(3)]


def _windows(shape, tile, halo):
    return windows_of(shape, tile, [2 * h + 1 for h in halo], halo)


def _merged_axes(reach):
    """Axes in groups of neighbours along which no step looks; each of the others alone."""
    groups = []
    for axis, farthest in enumerate(reach):
        if groups and farthest == 0 and reach[axis - 1] == 0:
            groups[-1] += (axis,)
        else:
            groups.append((axis,))
    return groups


def _program(steps, flats, halo, tile, around, is_kept):
    """Searches and offsets as the kernels read them, how many searches, and copies of a tile.

    Parameters
    ----------
    is_kept : bool
        Whether the results are written into a copy, too.
    """
    entries, offsets, copies = [], [], 1
    source, rest = 0, _reach(flats)
    for place, (step, flat) in enumerate(zip(steps, flats, strict=True)):
        rest = [r - farthest for r, farthest in zip(rest, flat.reach, strict=True)]
        follows = steps[place + 1] if place + 1 < len(steps) else None
        chain = searches(flat)
        held = {0: source}  # where the results of searches lie
        for number, search in enumerate(chain, 1):
            read = [(held[made], place) for made, place in search.offsets]
            is_complete = number == len(chain)
            target = -1
            if follows or is_kept or not is_complete:
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
