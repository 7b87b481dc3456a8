"""Maps between numbers of labels, as functions of scikit-image return them."""

import numpy as np

from ..devices import xp
from ..scikit_image import private

_map_array = private("util._map_array")


class Map:
    """A map whose kind follows from that of its arrays.

    Parameters
    ----------
    in_values, out_values : array
        Numbers and what becomes of them.
    """

    def __init__(self, in_values, out_values):
        self._values = in_values, out_values

    def with_arrays(self, change):
        """The map as the caller gets it."""
        changed = [change(values) for values in self._values]
        on_host = isinstance(changed[0], np.ndarray)
        return (_map_array.ArrayMap if on_host else ArrayMap)(*changed)


class ArrayMap(_map_array.ArrayMap):
    """scikit-image's map, of arrays on the device."""

    def __len__(self):
        return int(self.in_values.max()) + 1

    def __getitem__(self, index):
        if isinstance(index, slice):
            index = xp.arange(len(self))[index]
        labels = xp.asarray(index)
        if labels.dtype.kind == "b":
            labels = xp.flatnonzero(labels)
        known = self.in_values  # they rise
        place = xp.minimum(xp.searchsorted(known, labels.astype(known.dtype)), len(known) - 1)
        found = xp.where(known[place] == labels, self.out_values[place], 0)
        return found.astype(self.out_values.dtype)

    def __array__(self, dtype=None, copy=None):
        """The map as an array on the device, which NumPy does not take."""
        output = xp.zeros(len(self), dtype or self.out_values.dtype)
        output[self.in_values] = self.out_values
        return output
