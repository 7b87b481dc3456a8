"""Partial results of chunks, added up in a tree."""

from functools import partial

import numpy as np


def summed(function, arrays, add, **options):
    """Dask array of no axes: what `add` makes of a list of what `function` gives for each chunk.

    Parameters
    ----------
    function : callable
        Takes a chunk of each array. Those without axes are the same for all.
    arrays : tuple of dask.array.Array
    add : callable
    """
    import dask.array as da

    axes = tuple(range(arrays[0].ndim))
    pairs = [x for a in arrays for x in (a, axes[: a.ndim])]
    nothing = np.empty((0,) * len(axes), object)
    parts = da.blockwise(
        function,
        axes,
        *pairs,
        dtype=object,
        meta=nothing,
        adjust_chunks=dict.fromkeys(axes, lambda length: 1),
        align_arrays=False,
        token=f"{function.__name__}-part",
        **options,
    )
    return totalled(parts, add)


def totalled(parts, add, name=None):
    """Dask array of no axes: what `add` makes of a list of the elements of an array of objects."""
    import dask.array as da

    return da.reduction(
        parts,
        chunk=_alone,
        combine=partial(_together, add=add),
        aggregate=partial(_together, add=add),
        concatenate=False,
        dtype=object,
        meta=np.empty((), object),
        name=name or add.__name__,
    )


def _alone(part, axis, keepdims):
    return part


def _together(parts, axis, keepdims, add):
    return add(list(_flat(parts)))


def _flat(parts):
    """What lies in lists of lists, as Dask gives the parts of several axes."""
    for part in parts if type(parts) is list else [parts]:
        yield from _flat(part) if type(part) is list else [part]


def add_counts(parts):
    """Sum of pairs of counts and centers of integers, one bin for each."""
    first = min(int(centers[0]) for _, centers in parts)
    last = max(int(centers[-1]) for _, centers in parts)
    total = np.zeros(last - first + 1, np.int64)
    for counts, centers in parts:
        start = int(centers[0]) - first
        total[start : start + len(counts)] += counts
    return total, np.arange(first, last + 1)


def add_bins(parts):
    """Sum of pairs of counts and centers of the same bins."""
    return sum(counts for counts, _ in parts), parts[0][1]


def add_numbers(parts):
    """Sum of tuples of numbers, of each place in them."""
    return tuple(map(sum, zip(*parts, strict=True)))


def add_arrays(parts):
    """Sum of arrays of one shape."""
    return sum(parts[1:], start=parts[0])
