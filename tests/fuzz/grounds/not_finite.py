"""Grounds about NaN, infinities, infinite squares, and what is next to nothing."""

import cupy as cp
import numpy as np

from tests.differential.check import inside

from .. import rounding
from ..compare import from_device
from ..rounding import distance, numbers_in


def not_finite(call, found, theirs, ours):
    """Arrays have NaN, infinities or infinite squares; results differ where one is not finite."""
    return _extreme(theirs, infinite=True) and alike_where_finite(theirs, ours)


def infinite_squares(call, found, theirs, ours):
    return _extreme(theirs, infinite=False) and alike_where_finite(theirs, ours)


def beside_largest(call, found, theirs, ours):
    """The same, where results may also differ by the last bits of the largest finite number."""
    return _extreme(theirs, infinite=True) and alike_where_finite(theirs, ours, limit=np.inf)


def by_steps(call, found, theirs, ours):
    """An image that has NaN, infinities or infinite squares is not taken by a method's room."""
    return ours.source == "steps" and _extreme(theirs, infinite=True)


def same_places(call, found, theirs, ours):
    """Arrays are as `not_finite` has them, and no element is finite in one result alone."""
    seen, got = ([np.isfinite(x) for x in numbers_in(ran.result)] for ran in (theirs, ours))
    return not_finite(call, found, theirs, ours) and all(map(np.array_equal, seen, got))


def _with_square(array):
    """Which elements have a finite square."""
    with np.errstate(over="ignore"):  # which no number in half precision reaches
        return np.abs(array) <= (1e18 if array.dtype.itemsize < 8 else 1e150)


def _extreme(theirs, infinite):
    """Whether the squares of a call's floats are infinite; the floats too, or never."""
    for array in map(np.asarray, inside([theirs.made], np.ndarray | float)):
        if array.dtype.kind != "f" or not array.size:
            continue
        largest = np.abs(array).max()  # NaN of NaN
        if np.isfinite(largest):
            if not _with_square(largest):
                return True
        elif infinite:
            return True
    return False


def alike_where_finite(theirs, ours, limit=None):
    """Whether results differ only in elements that are not finite in one of them.

    The largest number of a call is the one below `limit`; by default of those with a finite square.
    """
    seen = inside([theirs.result], np.ndarray)
    seen = [a.astype(a.dtype.newbyteorder("=")) for a in seen]
    got = [np.asarray(from_device(a)) for a in inside([ours.result], np.ndarray | cp.ndarray)]
    if [(a.shape, a.dtype) for a in seen] != [(a.shape, a.dtype) for a in got]:
        return False
    given = [x for x in inside([theirs.made], np.ndarray) if x.dtype.kind == "f"]
    given = [x[_with_square(x) if limit is None else np.abs(x) < limit] for x in given]
    largest = max((np.abs(x).max(initial=0) for x in given), default=0)
    for a, b in zip(seen, got, strict=True):
        finite = _with_square(a) & _with_square(b)
        if finite.any() and not _alike(a[finite], b[finite], largest):
            return False
    return bool(seen)


def _alike(a, b, largest):
    """Whether elements differ by little, or by the last bits of the largest number of a call."""
    if distance(b, a) < 1e-5:
        return True
    if a.dtype.kind != "f":
        return False
    limits = np.finfo(a.dtype)
    largest = max(largest, np.abs(a).max())  # a constant may be all that is finite
    return np.abs(b - a).max() <= 16 * (limits.eps * largest + limits.smallest_subnormal)


def unordered(call, found, theirs, ours):
    """NaN in the images of a filter that sorts, or looks for the smallest and largest values."""
    if "prefilter" in theirs.made:  # of optical flow, whose medians are those of products
        return bool(np.any(theirs.made["prefilter"])) and _extreme(theirs, infinite=True)
    given = [*inside([call.made()], np.ndarray), np.asarray(theirs.made.get("cval"))]
    return any(np.isnan(x).any() for x in given if x.dtype.kind == "f")


def unordered_hue(call, found, theirs, ours):
    """NaN in an image that becomes HSV."""
    becomes = theirs.made.get("tospace", "HSV").upper() == "HSV"
    return becomes and unordered(call, found, theirs, ours)


def constant_stands(call, found, theirs, ours):
    """An image has infinities, and scikit-image clips what is made of the constant; we do not."""
    seen, got = (rounding.numbers_in(ran.result) for ran in (theirs, ours))
    image, cval = theirs.made.get("image"), float(theirs.made.get("cval", 0))
    if (
        image is None
        or np.isfinite(image).all()
        or [x.shape for x in seen] != [x.shape for x in got]
    ):
        return False
    least, largest = np.nanmin(image), np.nanmax(image)

    def explained(a, b):
        same = np.isclose(b, a, equal_nan=True) | np.isclose(b, cval)
        return (same | ~np.isfinite(a) | np.isclose(np.clip(b, least, largest), a)).all()

    return all(map(explained, seen, got))


def divided_by_0(call, found, theirs, ours):
    """A weight is 0, and what is not finite is NaN or infinite by the order of operations."""
    weights = [value for value in theirs.made.values() if isinstance(value, int | float)]
    return 0 in weights and alike_where_finite(theirs, ours)


def no_index(call, found, theirs, ours):
    """Where results differ, a coordinate is beyond all integers or infinite."""
    coordinates, seen = theirs.made["inverse_map"], theirs.result
    if not isinstance(coordinates, np.ndarray) or coordinates.shape[1:] != seen.shape:
        return False
    same = np.isclose(from_device(ours.result), seen, equal_nan=True)
    return bool((same | ~(np.abs(coordinates) < 2**53).all(axis=0)).all())


def no_eigenvalues(call, found, theirs, ours):
    given = [a.astype(float) for a in inside([theirs.made], np.ndarray) if a.dtype.kind == "f"]
    finite = all((np.abs(array) < 1e150).all() for array in given)  # and the squares, too
    return isinstance(theirs.error, np.linalg.LinAlgError) and not finite
