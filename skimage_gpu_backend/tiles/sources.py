"""Where a tile's part of an image comes from: one class for each way.

`fetch` gives the part as device array, complete for whatever comes after on `stream`. It is called
for one tile after the other, from a thread of its own.
"""

import math

import cupy as cp

from ..adapt.pinned import copy_in
from ..adapt.transfer import is_device_array


def source_of(image, tiles, depth, *, whole):
    """Source of an image for `tiles`, of which `depth` are on the device at a time."""
    if is_device_array(image):
        return OnDevice(image)
    return Progressive(image) if whole else Slots(image, tiles, depth)


class OnDevice:
    """An image that is on the device already."""

    def __init__(self, image):
        self._image = image

    def fetch(self, tile, slot, stream):
        return self._image[_part(tile, self._image)]


class Slots:
    """An image of the host of which the device has a few tiles at a time."""

    def __init__(self, image, tiles, depth):
        self._image = image
        self._dtype = image.dtype.newbyteorder("=")
        parts = (_part(tile, image) for tile in tiles)
        most = max(math.prod(each.stop - each.start for each in part) for part in parts)
        slots = min(depth, len(tiles))
        self._slots = [cp.empty(most, self._dtype) for _ in range(slots)]

    def fetch(self, tile, slot, stream):
        host = self._image[_part(tile, self._image)]
        device = self._slots[slot % len(self._slots)][: host.size].reshape(host.shape)
        copy_in(host, device, stream)
        return device


class Progressive:
    """An image of the host that fits: each element crosses the bus once, as tiles need it.

    For tiles along the first axis alone, in order.
    """

    def __init__(self, image):
        self._image = image
        self._device = cp.empty(image.shape, image.dtype.newbyteorder("="))
        self._there = 0

    def fetch(self, tile, slot, stream):
        stop = tile.outer[0].stop
        if stop > self._there:
            new = slice(self._there, stop)
            copy_in(self._image[new], self._device[new], stream)
            self._there = stop
        return self._device[_part(tile, self._image)]


def _part(tile, image):
    """What of an image a tile has; one with fewer axes than others has their first ones."""
    return tile.outer[: image.ndim]
