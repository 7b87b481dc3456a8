"""The values that an image of integers has, and each pixel's counterpart of its own."""

import numpy as np

from ..device import c_name, launch
from ..device.launches import Array, Launches
from ..devices import argsort, to_host, xp
from .lookup import lookup, search
from .value_range import value_range

_SOURCE = "util/present.cu"
_ENTRIES = 1 << 16  # of a table, however small the image is


def specializations():
    """Every (source, expression) that the functions of this module launch."""
    for size in (1, 2, 4, 8):
        for kernel in ("present", "counted"):
            yield _SOURCE, f"{kernel}<{c_name(np.dtype(f'u{size}'))}>"


class Values:
    """The values of an image.

    2 launches and a few of CuPy's on a table with an entry for each integer between the least and
    the largest value; where these lie further apart than twice the image's elements CuPy sorts
    the image instead. 24 bytes, and the number of values, come to the host.

    Parameters
    ----------
    image : cupy.ndarray
        Integers or booleans, not empty.

    Attributes
    ----------
    low, high : int
        The least and the largest value.
    are_close : bool
        Whether there is such a table.
    values : cupy.ndarray
        Of the image's dtype (of booleans ``uint8``), rising, each once.
    """

    def __init__(self, image):
        image = xp.ascontiguousarray(image)
        self._image = image = image.view("uint8") if image.dtype.kind == "b" else image
        self.low, self.high = (int(number) for number in to_host(value_range(image))[:2])
        self._span = self.high - self.low + 1
        self.are_close = self._span <= max(_ENTRIES, 2 * image.size)
        if not self.are_close:
            self.values = xp.unique(image.ravel())
            return
        table = xp.zeros(self._span, "uint8")
        self._launch("present", table)
        self._places = xp.flatnonzero(table)
        values = self._places.astype(image.dtype)  # sums of the dtype wrap, and come out right
        self.values = values + np.array(self.low).astype(image.dtype)[()]

    def counts(self):
        """How many pixels each of `values` has: 1 launch, and one of CuPy's on the table."""
        if not self.are_close:
            return xp.unique(self._image.ravel(), return_counts=True)[1]
        table = xp.zeros(self._span, "uint64")
        self._launch("counted", table)
        return table[self._places].view("int64")

    def _launch(self, kernel, table):
        unsigned = c_name(np.dtype(f"u{self._image.dtype.itemsize}"))
        args = (self._image, self._image.size, self._first(), table)
        launch(_SOURCE, f"{kernel}<{unsigned}>", args, work=self._image.size)

    def _first(self):
        return np.array(self.low, self._image.dtype).view(f"u{self._image.dtype.itemsize}")[()]

    def mapped(self, counterparts):
        """An image of the counterpart of each pixel's value.

        1 launch, and one of CuPy's; the image is read once, the result written once.

        Parameters
        ----------
        counterparts : cupy.ndarray
            One for each of `values`, of integers.
        """
        image = Array.given("image", self._image)
        result = Array(image.shape, counterparts.dtype)
        if self.are_close:
            table = xp.zeros(self._span, counterparts.dtype)
            table[self._places] = counterparts
            tables = {"table": table}
            seen = Array((1,), np.dtype(np.uint32), zero=True)
            entries = Array.given("table", table)
            step = lookup(image, int(self._first()), entries, result, seen)
        else:
            keys = self.values.view(f"u{self.values.dtype.itemsize}")
            order = argsort(keys)
            tables = {"keys": keys[order], "values": counterparts[order]}
            step = search(image, *(Array.given(*each) for each in tables.items()), result)
        return Launches([step], result)(image=self._image, **tables)
