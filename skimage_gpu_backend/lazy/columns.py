"""A lazy table that pandas takes as it is: `pd.DataFrame(regionprops_table(...))`.

pandas asks each column for its length, which Dask does not know before it is computed, and for its
values. The columns of a table are computed together, once, when somebody asks one of them.
"""

from functools import cache
from threading import Lock

import numpy as np


def as_table(columns):
    """A dict of Dask arrays without lengths as one whose arrays are asked together."""
    together = _Together(columns)
    return {name: _of(column, together) for name, column in columns.items()}


class _Together:
    """Values of all columns, which are computed when those of one are asked for."""

    def __init__(self, columns):
        self._columns, self._values, self._lock = columns, None, Lock()

    def __getitem__(self, name):
        from dask import compute

        with self._lock:
            if self._values is None:
                (found,) = compute(self._columns)
                keys = (column.name for column in self._columns.values())
                self._values = dict(zip(keys, found.values(), strict=True))
        return self._values[name]


def _of(array, together):
    column = _class()(array.dask, array.name, array.chunks, array.dtype, array._meta)
    column.together = together
    return column


@cache
def _class():
    from dask.array import Array

    class Column(Array):
        """A Dask array, which pickles and persists as a plain one."""

        def __len__(self):
            return len(self.together[self.name])

        def __array__(self, dtype=None, copy=None):
            return np.array(self.together[self.name], dtype)  # the caller's own

    return Column
