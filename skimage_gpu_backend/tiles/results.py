"""Results of tiles, put together."""

import threading

import cupy as cp
import numpy as np

from ..adapt.pinned import copy_out
from ..adapt.values import replace
from .plan import share


class Results:
    """Arrays of whole results, made when the first tile tells what they are.

    Parameters
    ----------
    reach : Reach
    shape : tuple of int
        Of the images.
    on_device : bool
        Whether the whole results are device arrays.
    """

    def __init__(self, reach, shape, *, on_device):
        self._places = reach.places or tuple(range(len(shape)))
        self._cut = tuple(halo is not None for halo in reach.halo)
        self._shape = shape
        self._empty = cp.empty if on_device else np.empty
        self._form = None  # what the function returns, with numbers in place of arrays
        self._wholes = []
        self._lock = threading.Lock()
        self.on_device = on_device

    def cores(self, tile, result):
        """The parts of a tile's result that count, C-contiguous."""
        parts = []
        replace(result, parts.append)
        with self._lock:
            if self._form is None:
                numbers = iter(range(len(parts)))
                self._form = replace(result, lambda _: next(numbers))
                self._wholes = [self._whole(part) for part in parts]
        return [
            cp.ascontiguousarray(part[share(part, tile.inner, self._places, self._cut)])
            for part in parts
        ]

    def _whole(self, part):
        shape = list(part.shape)
        for place, length, is_cut in zip(self._places, self._shape, self._cut, strict=True):
            if is_cut:
                shape[place] = length
        return self._empty(shape, part.dtype)

    def put(self, tile, cores, stream):
        """Put what `cores` gave into its place; on the host it is there on return."""
        for whole, core in zip(self._wholes, cores, strict=True):
            target = whole[share(whole, tile.core, self._places, self._cut)]
            if self.on_device:
                target[...] = core
            else:
                copy_out(core, target, stream)

    def value(self):
        """What the function would have returned for all of the image."""
        return replace(self._form, self._wholes.__getitem__)
