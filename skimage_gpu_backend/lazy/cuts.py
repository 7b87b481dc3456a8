"""Where the chunks of images begin, so that each has what its neighbours need of it."""

from itertools import accumulate
from typing import NamedTuple

from ..tiles.plan import up_to


class Axis(NamedTuple):
    """Chunks along one axis, and the elements that each takes of its neighbours.

    Attributes
    ----------
    chunks : tuple of int
        Their lengths.
    before, after : int
        Elements of the chunk before and of the one after.
    ends : int
        Rows of numbers of the whole image that chunks have beyond their halo: behind it, but the
        last chunk before it, so that true borders stay as they are.
    """

    chunks: tuple
    before: int = 0
    after: int = 0
    ends: int = 0

    def core(self, number):
        """Slice of a chunk with halos that is the chunk itself."""
        start = self.before if number else 0
        if self.is_last(number):
            start += self.ends
        return slice(start, start + self.chunks[number])

    def is_last(self, number):
        return number == len(self.chunks) - 1

    @property
    def is_wide(self):
        """Whether chunks have more than themselves."""
        return bool(self.before or self.after or self.ends)


def axes(chunks, reach) -> list[Axis]:
    """How images are cut along each axis: where they are cut already, as nearly as possible.

    Parameters
    ----------
    chunks : tuple of tuple of int
        Lengths of the chunks along each axis, as a Dask array has them.
    reach : Reach
    """
    aligns = reach.align or (1,) * len(chunks)
    return [_axis(*each) for each in zip(chunks, reach.halo, aligns, strict=True)]


def _axis(chunks, halo, align):
    whole = sum(chunks)
    if halo is None or len(chunks) == 1:
        return Axis((whole,))
    before = up_to(halo, align)
    least = max(before, halo, 1)  # Dask takes a halo from one neighbour
    cuts = [0]
    for place in accumulate(chunks[:-1]):
        place = up_to(place, align)
        if place - cuts[-1] >= least and whole - place >= least:
            cuts.append(place)
    if len(cuts) == 1:
        return Axis((whole,))
    lengths = [b - a for a, b in zip(cuts, [*cuts[1:], whole], strict=True)]
    return Axis(tuple(lengths), before, halo)
