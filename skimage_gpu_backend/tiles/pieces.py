"""An image in pieces on the device, for functions that only add up what they see."""

import contextlib
import math

import cupy as cp
import numpy as np

from ..adapt.pinned import PIECE, copy_in
from ..adapt.transfer import is_device_array
from ..plan import Reach, point
from . import plan, progress
from .arrivals import DEPTH, arrivals


class Pieces:
    """An image of which a few parts are on the device at a time.

    Iterating copies them there, one after the other, each time anew; a part lasts until the next
    one is asked for.

    Parameters
    ----------
    image : numpy.ndarray or cupy.ndarray
    lengths : tuple of int
        Of a part, along each axis.
    call : Call
        Whose image it is.
    reach : Reach
        Along which axes it may be cut.
    """

    def __init__(self, image, lengths, call, reach):
        self.dtype = image.dtype.newbyteorder("=")
        self.shape, self.ndim, self.size = image.shape, image.ndim, image.size
        self._image = image
        self._call = call
        self._tiles = plan.tiles(image.shape, reach, lengths)
        self.most = math.prod(lengths)  # elements of a part

    def __len__(self):
        return len(self._tiles)

    def __iter__(self):
        coming = arrivals(iter(self._tiles), self._tiles, {0: self._image})
        with contextlib.closing(coming), progress.shown(len(self)) as advance:
            for _, parts in coming:
                yield parts[0]
                advance()

    def stretch(self, begin, end, axis=-1):
        """Elements `begin` to `end` in C order, on the device; with `axis` as the last one."""
        if is_device_array(self._image):
            return cp.moveaxis(self._image, axis, -1).reshape(-1)[begin:end]
        moved = np.moveaxis(self._image, axis, -1)
        # without a copy of the whole
        host = moved.reshape(-1)[begin:end] if moved.flags.c_contiguous else moved.flat[begin:end]
        device = cp.empty(host.shape, self.dtype)
        copy_in(host, device, cp.cuda.get_current_stream())
        return device


def in_pieces(images, free, call, beside=None) -> list[Pieces]:
    """Images of one shape, cut at the same places.

    Parameters
    ----------
    images : list of array
    free : int
        Bytes of device memory that may be used.
    call : Call
        Whose images they are.
    beside : int, optional
        Bytes that an element needs beside the images, of which slabs along the first axis are cut.

    Raises
    ------
    plan.TooLarge
        A slab of one row does not fit.
    """
    cost = sum(image.dtype.itemsize for image in images) + (beside or 0)
    budget = min(PIECE, free // (2 * DEPTH))
    first = images[0]
    reach = point(first) if beside is None else Reach((0, *(None,) * (first.ndim - 1)))
    lengths = plan.tile_shape(first.shape, reach, cost, budget)
    return [Pieces(image, lengths, call, reach) for image in images]
