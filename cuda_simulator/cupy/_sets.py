"""Arrays as sets."""

from typing import NamedTuple

import numpy as np

from ._creation import asarray
from ._declare import define, wrapped
from ._ndarray import ndarray
from ._reduce import axes_of
from .cuda.thrust import sorting

__all__ = [
    "in1d",
    "isin",
    "unique",
    "unique_all",
    "unique_counts",
    "unique_inverse",
    "unique_values",
]

__all__ += define(
    globals(),
    "intersect1d(arr1: array, arr2: array, assume_unique=False, return_indices=False)",
    "setdiff1d(ar1: array, ar2: array, assume_unique=False)",
    "setxor1d(ar1: array, ar2: array, assume_unique=False)",
    "union1d(arr1: array, arr2: array)",
)


def isin(element, test_elements, assume_unique=False, invert=False):
    """Where elements are among others."""
    found = np.isin(element._host, test_elements._host, assume_unique, invert)
    return wrapped(np.asarray(found), element, test_elements)


def in1d(ar1, ar2, assume_unique=False, invert=False):
    """`isin` of the elements in one dimension."""
    return isin(ar1.ravel(), ar2, assume_unique, invert)


def unique(
    ar,
    return_index=False,
    return_inverse=False,
    return_counts=False,
    axis=None,
    *,
    equal_nan=True,
):
    """Elements, or slices along an axis, without repetitions and in order."""
    shape = ar.shape  # what has none is refused
    ar = asarray(ar)
    if axis is not None:
        (axis,) = axes_of(axis, len(shape))
    results = sorting(np.unique)(
        ar._host, return_index, return_inverse, return_counts, axis, equal_nan=equal_nan
    )
    return wrapped(results, ar)


class UniqueAllResult(NamedTuple):
    """What `unique_all` returns."""

    values: ndarray
    indices: ndarray
    inverse_indices: ndarray
    counts: ndarray


class UniqueCountsResult(NamedTuple):
    """What `unique_counts` returns."""

    values: ndarray
    counts: ndarray


class UniqueInverseResult(NamedTuple):
    """What `unique_inverse` returns."""

    values: ndarray
    inverse_indices: ndarray


def unique_all(x):
    """Elements without repetitions, where they were, where each went, how many there were."""
    return UniqueAllResult(*unique(x, True, True, True, equal_nan=False))


def unique_counts(x):
    """Elements without repetitions and how many there were."""
    return UniqueCountsResult(*unique(x, return_counts=True, equal_nan=False))


def unique_inverse(x):
    """Elements without repetitions and where each went."""
    return UniqueInverseResult(*unique(x, return_inverse=True, equal_nan=False))


def unique_values(x):
    """Elements without repetitions."""
    return unique(x, equal_nan=False)
