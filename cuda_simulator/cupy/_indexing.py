"""Indices of device arrays: what CuPy takes, and how out-of-bounds ones wrap around."""

import operator
from collections.abc import Iterable

import numpy as np

from cuda_simulator import counters

_BASIC = (int, slice, type(None), type(Ellipsis))
_BOUNDS = {int, type(None)}


def checked_shape(shape):
    """Lengths of axes as a tuple; `ValueError` for negative ones."""
    scalar = not isinstance(shape, Iterable) or getattr(shape, "ndim", 1) == 0
    shape = (shape,) if scalar else tuple(shape)
    for length in shape:
        if isinstance(length, bool | np.bool_):
            raise TypeError("an integer is required")
        if operator.index(length) < 0:
            raise ValueError("Negative dimensions are not allowed")
    return shape


def checked_order(order, allowed="CFAK"):
    """One letter for the order of axes in memory; `ValueError` for what CuPy refuses."""
    letter = "K" if order is None and "K" in allowed else str(order)[:1].upper()
    if not letter or letter not in allowed:
        raise ValueError(f"order not understood. order={order}")
    return letter


def host_index(slices, host):
    """The index for NumPy, with an ellipsis, and whether it has an array in it."""
    items = slices if isinstance(slices, tuple) else (slices,)
    ellipsis = advanced = False
    for item in items:
        kind = type(item)
        if kind not in _BASIC or (kind is slice and not _is_plain(item)):
            advanced = True
        elif item is Ellipsis:
            ellipsis = True
    if advanced:
        return _advanced(items, host)
    return (items if ellipsis else (*items, Ellipsis)), False


def selects_nothing(index):
    """Whether an index is one mask without a true element: nothing is assigned, or looked at."""
    arrays = [item for item in index if isinstance(item, np.ndarray)]
    return len(arrays) == 1 and arrays[0].dtype == bool and not arrays[0].any()


def _is_plain(item):
    """Whether the bounds of a slice are Python's integers."""
    return {type(item.start), type(item.stop), type(item.step)} <= _BOUNDS


def _advanced(items, host):
    items = [_host_item(item) for item in items]
    arrays = [item for item in items if isinstance(item, np.ndarray)]
    if len(arrays) > 1:  # a `ValueError` where NumPy raises an `IndexError`
        np.broadcast_shapes(
            *(a.shape if a.dtype != bool else (np.count_nonzero(a),) for a in arrays)
        )
    advanced = any(isinstance(item, np.ndarray) for item in items)
    if not any(item is Ellipsis for item in items):
        items.append(Ellipsis)
    axis, taken = 0, sum(map(_axes, items))
    for i, item in enumerate(items):
        if item is Ellipsis:
            axis += host.ndim - taken
            continue
        if isinstance(item, np.ndarray) and item.dtype == bool and item.size == 0:
            items[i] = np.zeros(host.shape[axis : axis + item.ndim], bool)  # fits anything
        elif isinstance(item, np.ndarray) and item.dtype.kind in "iu" and axis < host.ndim:
            length = host.shape[axis]
            # CuPy wraps indices around where NumPy raises
            items[i] = item.astype(np.intp) % length if length else item
        axis += _axes(item)
    return tuple(items), advanced


def _host_item(item):
    """An index without device arrays."""
    from ._ndarray import ndarray

    if isinstance(item, ndarray):
        return _checked(item._host)
    if isinstance(item, slice):
        bounds = (item.start, item.stop, item.step)
        # arrays of no dimension are bounds too, each at the price of a copy to the host
        return slice(*(None if b is None else int(b) for b in bounds))
    if isinstance(item, list | tuple | np.ndarray):
        array = np.asarray(_gathered(item))
        if array.size == 0 and not isinstance(item, np.ndarray):
            array = array.astype(np.intp)
        counters.copied_to_device(array.nbytes)
        return _checked(array)
    if isinstance(item, bool | np.bool_):
        return np.asarray(item)
    return int(item) if np.isscalar(item) else item  # a float, too, is an integer there


def _gathered(item):
    from ._ndarray import ndarray

    if isinstance(item, list | tuple):
        return [_gathered(i) for i in item]
    return item._host if isinstance(item, ndarray) else item


def _checked(array):
    if array.dtype.kind not in "biu":
        raise IndexError("arrays used as indices must be of integer or boolean type")
    return array


def _axes(item):
    """How many axes of the array an item of an index stands for."""
    if item is None or item is Ellipsis:
        return 0
    return item.ndim if isinstance(item, np.ndarray) and item.dtype == bool else 1


class flatiter:
    """`cupy.ndarray.flat`: the elements in C order."""

    def __init__(self, a):
        self._array = a
        self._next = 0

    @property
    def base(self):
        """The array."""
        return self._array

    def __len__(self):
        return self._array.size

    def __iter__(self):
        return self

    def __next__(self):
        if self._next == len(self):
            raise StopIteration
        self._next += 1
        return self[self._next - 1]

    def __getitem__(self, ind):
        from ._ndarray import from_host

        found = self._array._host.flat[self._checked(ind)]
        return from_host(np.asarray(found), self._array)

    def __setitem__(self, ind, value):
        from ._ndarray import ndarray

        host = value._host if isinstance(value, ndarray) else np.asarray(value)
        counters.launched(host.nbytes, host.nbytes)
        self._array._host.flat[self._checked(ind)] = host

    def copy(self):
        """A copy in one dimension."""
        return self._array.flatten()

    def _checked(self, ind):
        if ind is Ellipsis:
            return slice(None)
        if isinstance(ind, bool) or not (np.isscalar(ind) or isinstance(ind, slice)):
            raise IndexError("unsupported iterator index")
        return ind
