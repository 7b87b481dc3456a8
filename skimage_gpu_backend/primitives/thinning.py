"""Thinning of planes: rounds of passes that remove pixels by what is around them."""

import math

import numpy as np

from ..device import launch
from ..device.rounds import batches
from ..devices import to_host, xp

_SOURCE = "morphology/thinning.cu"
_RULES = ("GuoHall", "Zhang")
_BLOCK = 192
_ROUNDS, _TILE = 8, (64, 4)  # of a launch; rows and words of a tile, in thinning.cu
_FIRST, _MOST = 2, 32  # launches before the device is asked whether there is more to do


def thinned(words, rule, rounds=math.inf):
    """Bits of a plane that are left after thinning.

    A launch makes 8 rounds. The host asks whether the last one has changed anything after 2
    launches, then 4, 8, 16 and each 32 more; those that come too late read 9 bytes for each
    tile of 64 x 128 pixels.

    Parameters
    ----------
    words : cupy.ndarray
        `bits.packed` of the plane. It is written.
    rule : {"GuoHall", "Zhang"}
    rounds : int, optional
        The most that are made.
    """
    rows, across = words.shape
    tiles = -(-rows // _TILE[0]) * -(-across // _TILE[1])
    other = xp.empty_like(words)
    before, after = xp.ones(tiles, "uint8"), xp.empty(tiles, "uint8")
    told = xp.zeros(1, "uint32")
    launches = math.inf if rounds == math.inf else -(-rounds // _ROUNDS)
    for end, batch in batches(launches, _FIRST, _MOST):
        for number in batch:
            made = number + 1
            here = min(rounds, _ROUNDS)
            args = (words, rows, across, np.int32(here), before, np.int32(made), after, other, told)
            launch(_SOURCE, f"thin_tiles<{rule}>", args, work=tiles * _BLOCK, block=_BLOCK)
            words, other, before, after = other, words, after, before
            rounds -= here
        if rounds > 0 and int(to_host(told)[0]) < end:
            break
    return words


def specializations():
    """Every (source, expression) that the functions of this module launch."""
    for rule in _RULES:
        yield _SOURCE, f"thin_tiles<{rule}>"
