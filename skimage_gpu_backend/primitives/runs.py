"""The pixels of an image of labels, sorted by label as runs."""

import functools

import numpy as np

from ..device import c_name, launch
from ..devices import argsort, to_host, xp
from .components import RANK_CHUNK, RANK_WORDS

_SOURCE = "measure/runs.cu"
_BLOCK = 256  # RANK_THREADS in common/ranks.cuh
_INT, _LONG = np.dtype(np.int32), np.dtype(np.int64)


class Runs:
    """Runs of equal pixels side by side in a row, sorted by label, then in raster order.

    4 launches and CuPy's sort of the runs, whose keys have as many bytes as the largest label
    needs. All pixels of 0 and below are of one label, 0. How many runs there are comes to the
    host.

    Parameters
    ----------
    image : cupy.ndarray
        Of integers, C-contiguous, with at least one element.

    Attributes
    ----------
    firsts : cupy.ndarray
        The first pixel of each run, in the image as one row.
    places : cupy.ndarray
        Of each run, how many pixels are before it in the sorted order; and how many there are.
    largest : int
        The largest label.
    table : cupy.ndarray
        Three rows: the labels that there are, in ascending order, 0 among them where pixels have
        none, and 0; of each, the first place of its pixels among the sorted ones, and of its runs,
        and how many there are of both.
    """

    def __init__(self, image):
        n = image.size
        self.index = index = _INT if n < 2**31 else _LONG
        given = image, np.int32(image.itemsize), np.uint64(np.iinfo(image.dtype).max)
        chunks = -(-n // RANK_CHUNK)
        words, bases = xp.empty(chunks * RANK_WORDS, np.uint64), xp.empty(chunks, index)
        arrived, found = xp.zeros(1, np.uint32), xp.zeros(2, np.uint64)
        rows = _multiples(image.shape[-1], index)
        ranked = (*given, rows, index.type(n), words, bases, arrived)
        self._launch("rank_runs", (*ranked, found[:1].view(_LONG), found[1:]), chunks * _BLOCK)
        runs, self.largest = map(int, to_host(found))
        keys, firsts = xp.empty(runs, np.min_scalar_type(self.largest)), xp.empty(runs, index)
        self._launch("list_runs", (*given, n, words, bases, firsts, keys), words.size, keys.dtype)
        del words, bases
        self.firsts, lengths = xp.empty(runs, index), xp.empty(runs + 1, _LONG)
        changes = xp.empty(runs, bool)
        sorted_as = (argsort(keys), runs, n, firsts, keys, np.int32(keys.itemsize))
        self._launch("sort_runs", (*sorted_as, self.firsts, lengths, changes), runs)
        del sorted_as, keys, firsts
        self.places = xp.cumsum(lengths)
        changes = xp.flatnonzero(changes)
        self.table = xp.empty((3, changes.size + 1), _LONG)
        regions = (changes, changes.size, runs, *given, self.firsts, self.places, self.table)
        self._launch("tell_regions", regions, changes.size + 1)

    def __len__(self):
        return self.firsts.size

    @functools.cached_property
    def told(self):
        """`table`, on the host."""
        return to_host(self.table)

    def pixels(self, rows):
        """Sorted pixels of some labels, one after the other.

        Parameters
        ----------
        rows : sequence of int
            Labels, by their place among those that there are.

        Returns
        -------
        numpy.ndarray
            Places in the image as one row.
        """
        starts, stops = self.told[2, rows], self.told[2, np.add(rows, 1)]
        firsts = self._some(self.firsts, starts, stops)
        ends = self._some(self.places, starts, stops + 1)
        last = np.cumsum(stops + 1 - starts)[:-1]  # of each label's ends, before the next one's
        lengths = np.delete(np.diff(ends), last - 1)
        before = np.cumsum(lengths) - lengths
        return np.repeat(firsts - before, lengths) + np.arange(lengths.sum())

    @staticmethod
    def _some(values, starts, stops):
        """Elements from each of some places to another, on the host."""
        return xp.asnumpy(values[xp.asarray(np.concatenate(list(map(np.arange, starts, stops))))])

    def _launch(self, kernel, given, work, *types):
        names = ", ".join(map(c_name, (self.index, *types)))
        launch(_SOURCE, f"{kernel}<{names}>", given, work=work, block=_BLOCK)


def _multiples(length, index):
    """What tells which numbers are multiples of a length: `Multiples` in measure/runs.cu."""
    bits = 8 * index.itemsize
    twos = (length & -length).bit_length() - 1
    inverse = pow(length >> twos, -1, 1 << bits)
    dtype = np.dtype([(name, f"u{index.itemsize}") for name in ("inverse", "most", "twos")])
    return np.array((inverse, ((1 << bits) - 1) // length, twos), dtype)[()]


def specializations():
    """Every (source, expression) that this module launches."""
    for index in ("int", "long long"):
        for kernel in ("rank_runs", "sort_runs", "tell_regions"):
            yield _SOURCE, f"{kernel}<{index}>"
        for bits in (8, 16, 32, 64):
            yield _SOURCE, f"list_runs<{index}, {c_name(np.dtype(f'uint{bits}'))}>"
