"""Functions that choose, take and put elements."""

import numpy as np

from cuda_simulator import counters

from . import _ufunc
from ._creation import asarray, full
from ._indexing import flatiter
from ._ndarray import launched, ndarray

__all__ = [
    "argwhere",
    "choose",
    "compress",
    "diagonal",
    "extract",
    "fill_diagonal",
    "flatiter",
    "flatnonzero",
    "nonzero",
    "place",
    "put",
    "putmask",
    "select",
    "take",
    "take_along_axis",
    "where",
]


def _array(a, name="a"):
    if not isinstance(a, ndarray):
        raise TypeError(f"'{name}' must be a cupy.ndarray object, not {type(a)}.")
    return a


def where(condition, x=None, y=None):
    """Elements of one operand where a condition holds, else of the other; or `nonzero`."""
    if (x is None) != (y is None):
        raise ValueError("Must provide both 'x' and 'y' or neither.")
    if x is None:
        return nonzero(condition)
    return _ufunc.where(condition.astype("?", copy=False), x, y)


def nonzero(a):
    """Indices of the true elements, one array an axis."""
    return _array(a).nonzero()


def flatnonzero(a):
    """Indices of the true elements of the flattened array."""
    return _array(a).ravel().nonzero()[0]


def argwhere(a):
    """Indices of the true elements, one row each."""
    return launched(np.argwhere(_array(a)._host), a)


def take(a, indices, axis=None, out=None):
    """Elements, or slices of an axis, at indices, which wrap around."""
    return a.take(indices, axis, out)


def choose(a, choices, out=None, mode="raise"):
    """Elements of several arrays, chosen by one of integers."""
    return _array(a).choose(choices, out, mode)


def compress(condition, a, axis=None, out=None):
    """The slices of an axis for which a condition holds."""
    return a.compress(condition, axis, out)


def diagonal(a, offset=0, axis1=0, axis2=1):
    """A view of the diagonals of two axes."""
    return a.diagonal(offset, axis1, axis2)


def extract(condition, a):
    """The elements for which a condition holds."""
    if not isinstance(a, ndarray):
        raise TypeError("extract requires input array to be cupy.ndarray")
    condition = asarray(condition)
    return a.ravel()[condition.ravel().astype(bool, copy=False)]


def take_along_axis(a, indices, axis):
    """Elements at indices of their own along an axis."""
    if indices.dtype.kind not in "iu":
        raise IndexError("`indices` must be an integer array")
    if axis is None:
        a, axis = a.ravel(), 0
    if a.ndim != indices.ndim:
        raise ValueError("`indices` and `a` must have the same number of dimensions")
    host = np.take_along_axis(a._host, indices._host % a.shape[axis], axis)
    return launched(host, a, indices)


def select(condlist, choicelist, default=0):
    """Elements of the first choice whose condition holds."""
    if len(condlist) != len(choicelist):
        raise ValueError("list of cases must be same length as list of conditions")
    if not condlist:
        raise ValueError("select with an empty condition list is not possible")
    if not np.isscalar(default):
        raise TypeError("default only accepts scalar values")
    for name, arrays in (("choicelist", choicelist), ("condlist", condlist)):
        if not all(isinstance(a, ndarray) for a in arrays):
            raise TypeError(f"{name} only accepts lists of cupy ndarrays")
    if any(c.dtype != bool for c in condlist):
        raise ValueError("condlist must be of boolean ndarrays")
    conditions = [c._host for c in condlist]
    choices = [c._host for c in choicelist]
    dtype = np.result_type(*choices, default)
    found = np.select(conditions, choices, default).astype(dtype, copy=False)
    return launched(found, *condlist, *choicelist)


def put(a, ind, v, mode="wrap"):
    """Set the elements at indices into the flattened array."""
    a.put(ind, v, mode=mode)


def place(arr, mask, vals):
    """Set the masked elements to values, repeated as needed."""
    _array(arr, "arr")
    mask, vals = asarray(mask), asarray(vals).ravel()
    counters.launched(mask.nbytes + vals.nbytes, arr.nbytes)
    if mask.size != arr.size:
        raise ValueError("Mask and data must be the same size.")
    np.place(arr._host, mask._host.reshape(arr.shape), vals._host)


def putmask(a, mask, values):
    """Set the masked elements to the values at their place, repeated as needed."""
    _array(a)
    if np.isscalar(values):
        values = full((1,), values)
    if not isinstance(values, ndarray):
        raise TypeError("values should be of type cupy.ndarray")
    if not isinstance(mask, ndarray):
        raise TypeError("mask should be of type cupy.ndarray")
    if mask.size != a.size:
        raise ValueError("mask and data must be the same size")
    if not np.can_cast(values.dtype, a.dtype):
        raise TypeError(
            f"Cannot cast array data from {values.dtype} to {a.dtype} according to the rule 'safe'"
        )
    counters.launched(mask.nbytes + values.nbytes, a.nbytes)
    np.putmask(a._host, mask._host, values._host)


def fill_diagonal(a, val, wrap=False):
    """Set the main diagonal, of all axes."""
    if a.ndim < 2:
        raise ValueError("array must be at least 2-d")
    if a.ndim > 2 and len(set(a.shape)) > 1:
        raise ValueError("All dimensions of input must be of equal length")
    step = a.shape[1] + 1
    end = None if wrap else a.shape[1] ** 2
    if a.ndim > 2:
        step, end = 1 + int(np.cumprod(a.shape[:-1]).sum()), None
    a.flat[:end:step] = val
